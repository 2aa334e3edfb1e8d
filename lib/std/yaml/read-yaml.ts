import type { Document, Tags } from 'yaml';
import { isAlias, isMap, isScalar, visit } from 'yaml';
import { hasPlainKeys, isTooDeep, readDocuments, YamlFault } from './documents';

/** Levels of a text, unless a setting says otherwise. */
export const DEEPEST = 100;

interface ReadOptions {
  readonly mostAliases: number;
  readonly customTags?: (tags: Tags) => Tags;
}

/**
 * The one document of a text that anybody may have written, as plain JSON; null for an empty one. It takes no longer than in proportion to the text,
 * where the parser by itself takes minutes for some: keys that are maps, thousands of keys or aliases. Throws YamlFault for what is no YAML, and for these.
 */
export function readYaml(text: string, { mostAliases, customTags }: ReadOptions): unknown {
  if (isTooDeep(text, DEEPEST)) throw new YamlFault('it is nested too deep', text, 0);
  // The parser compares each key with all before it: they are looked up below.
  const [document, another] = readDocuments(text, { schema: 'core', uniqueKeys: false, ...(customTags && { customTags }) });
  if (document === undefined) return null;
  const [error] = document.errors;
  if (error !== undefined) throw new YamlFault(error.message, text, error.pos[0]);
  if (another !== undefined) throw new YamlFault('it has more than one document', text, another.range[0]);
  if (!hasPlainKeys(document)) throw new YamlFault('a key is not a string', text, document.range[0]);
  requireHarmless(document, text, mostAliases);
  const value: unknown = document.toJS({ maxAliasCount: mostAliases });
  JSON.stringify(value); // an alias inside what it stands for has no end, and this says so
  return value;
}

function requireHarmless(document: Document, text: string, mostAliases: number): void {
  let aliases = 0;
  visit(document, (_key, node) => {
    if (isAlias(node) && ++aliases > mostAliases)
      throw new YamlFault(`it has more than ${mostAliases} aliases`, text, node.range?.[0] ?? 0);
    if (!isMap(node)) return;
    const seen = new Set<string>();
    for (const { key } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      if (seen.has(name)) throw new YamlFault('a map has a key twice', text, (isScalar(key) && key.range?.[0]) || 0);
      seen.add(name);
    }
  });
}
