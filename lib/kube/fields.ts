/** A record of unknown members: what an object is until read. */
export type Fields = Readonly<Record<string, unknown>>;

/** True for a plain JSON object (not null, not a list). */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the member at a path; undefined where the path ends early. */
export function readField(from: unknown, ...path: readonly (string | number)[]): unknown {
  let at: unknown = from;
  for (const step of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at ?? undefined;
}

/** Reads a string, or undefined when it is absent or of another type. */
export function readString(from: unknown, ...path: readonly (string | number)[]): string | undefined {
  const value = readField(from, ...path);
  return typeof value === 'string' ? value : undefined;
}

/** Reads a finite number, or undefined when it is absent or of another type. */
export function readNumber(from: unknown, ...path: readonly (string | number)[]): number | undefined {
  const value = readField(from, ...path);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Reads a boolean, or undefined when it is absent or of another type. */
export function readBoolean(from: unknown, ...path: readonly (string | number)[]): boolean | undefined {
  const value = readField(from, ...path);
  return typeof value === 'boolean' ? value : undefined;
}

/** Reads a list; an absent or mistyped one is empty. */
export function readList(from: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const value = readField(from, ...path);
  return Array.isArray(value) ? value : [];
}

/** Reads an object; an absent or mistyped one is empty. */
export function readFields(from: unknown, ...path: readonly (string | number)[]): Fields {
  const value = readField(from, ...path);
  return isFields(value) ? value : {};
}
