const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const VERSION_IN_TEXT = /(ResourceVersion in (?:the )?(?:precondition|record|object meta):? \(?|too old resource version: \d+ \()(\d+)/g;

/** Replaces what no two servers can agree on: uids, versions and times; equal ones stay recognisably equal. */
export interface Mask {
  apply(value: unknown): unknown;
}

/** A mask for one transcript. The suffix is what made its names unique. */
export function createMask(suffix: string): Mask {
  const uids = new Map<string, string>();
  const versions = new Map<string, string>();
  const nameOf = (names: Map<string, string>, word: string, value: string) => {
    const name = names.get(value) ?? `<${word} ${names.size + 1}>`;
    names.set(value, name);
    return name;
  };
  const maskText = (text: string) =>
    text
      .replaceAll(suffix, 'id')
      .replace(UUID, (uid) => nameOf(uids, 'uid', uid))
      .replace(TIME, '<time>')
      .replace(VERSION_IN_TEXT, (_all, before: string, version: string) => before + nameOf(versions, 'version', version));

  function maskMember(key: string, value: unknown, of: Record<string, unknown>): unknown {
    if (key === 'resourceVersion' && typeof value === 'string') return value === '' ? '' : nameOf(versions, 'version', value);
    if (key === 'continue') return '<token>';
    if (key === 'name' && typeof value === 'string' && typeof of.generateName === 'string')
      return maskText(`${of.generateName}<generated>`);
    return maskValue(value);
  }

  function maskValue(value: unknown): unknown {
    if (typeof value === 'string') return maskText(value);
    if (Array.isArray(value)) return value.map(maskValue);
    if (typeof value !== 'object' || value === null) return value;
    const of = value as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(of)
        // Who set a field is a contract of its own (W4).
        .filter(([key, member]) => key !== 'managedFields' && member !== undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, member]) => [maskText(key), maskMember(key, member, of)]),
    );
  }

  return { apply: maskValue };
}
