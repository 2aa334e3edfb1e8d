/**
 * The keys under which rules of a kind are looked up, most specific first: `group/Kind`, `group/*`, then families by the end of
 * their group, `*.suffix/Kind` before `*.suffix/*`, longer suffixes first. A kind of the core group has its own name alone.
 */
export function ruleKeysOf(key: string): readonly string[] {
  const known = KNOWN_KEYS.get(key);
  if (known !== undefined) return known;
  const keys = toKeys(key);
  if (KNOWN_KEYS.size < MAX_KEYS) KNOWN_KEYS.set(key, keys);
  return keys;
}

// Kinds are few, and their keys are wanted for every object.
const KNOWN_KEYS = new Map<string, readonly string[]>();
const MAX_KEYS = 5000;

function toKeys(key: string): readonly string[] {
  const slash = key.indexOf('/');
  if (slash < 0) return [key];
  const [group, kind] = [key.slice(0, slash), key.slice(slash + 1)];
  const keys = [key, `${group}/*`];
  for (let dot = group.indexOf('.'); dot >= 0; dot = group.indexOf('.', dot + 1)) {
    const family = `*${group.slice(dot)}`;
    keys.push(`${family}/${kind}`, `${family}/*`);
  }
  return keys;
}
