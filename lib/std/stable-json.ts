/** JSON with keys sorted at every depth and undefined members left out, so that equal values give equal text. */
export function toStableJson(value: unknown): string {
  return write(value) ?? 'null';
}

/** The text of a value; undefined for what JSON leaves out. Written member by member: a replacer makes a copy of every object first. */
function write(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') return write(value.toJSON());
  if (Array.isArray(value)) return `[${value.map((item) => write(item) ?? 'null').join(',')}]`;
  const members: string[] = [];
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of sortedKeys(fields)) {
    const member = write(fields[key]);
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${member}`);
  }
  return `{${members.join(',')}}`;
}

const LARGEST_INDEX = 4_294_967_294;
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/** Keys that are whole numbers come first and by size, as in every object of JavaScript; digests that are stored rest on that order. */
function sortedKeys(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const keys = Object.keys(fields);
  const named = keys.findIndex((key) => !INDEX.test(key) || Number(key) > LARGEST_INDEX);
  if (named < 0) return keys;
  return named === 0 ? keys.sort() : [...keys.slice(0, named), ...keys.slice(named).sort()];
}
