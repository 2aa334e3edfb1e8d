import { isFields } from '@/lib/kube/fields';

/** Plain JSON that belongs to whoever holds it, until it is stored. */
export type Draft = Record<string, unknown>;

/** The member, made if it is not there. */
export function within(draft: Draft, key: string): Draft {
  const found = draft[key];
  if (isFields(found)) return found as Draft; // a draft is plain JSON to its depth
  const made: Draft = {};
  draft[key] = made;
  return made;
}

/** The member, if it is an object. */
export function peek(draft: Draft | undefined, ...path: readonly string[]): Draft | undefined {
  let at: unknown = draft;
  for (const key of path) at = isFields(at) ? at[key] : undefined;
  return isFields(at) ? (at as Draft) : undefined;
}

/** The objects of a list member. */
export function each(draft: Draft | undefined, ...path: readonly string[]): readonly Draft[] {
  let at: unknown = draft;
  for (const key of path) at = isFields(at) ? at[key] : undefined;
  return Array.isArray(at) ? (at.filter(isFields) as Draft[]) : [];
}

/** Sets members that are absent. */
export function fill(draft: Draft, values: Draft): Draft {
  for (const [key, value] of Object.entries(values)) if (draft[key] === undefined) draft[key] = value;
  return draft;
}
