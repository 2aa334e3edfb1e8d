import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';

/** Stands in place of what a chart makes up anew at each rendering. */
export const EACH_TIME = '(different each time)';

/** One object as two renderings have it, and as it was before. */
interface ThreeStates {
  readonly first: KubeObject;
  readonly second: KubeObject;
  readonly before: KubeObject | undefined;
}

interface Marked {
  readonly after: KubeObject;
  readonly before: KubeObject | undefined;
  /** The places that differ between the two renderings. */
  readonly paths: readonly string[];
}

/** The object without what differs between two renderings of it; the same places of what was there before are no difference either. */
export function markNondeterministic({ first, second, before }: ThreeStates): Marked {
  const paths: string[] = [];
  const [after, old] = walk([first, second, before], '', paths);
  return { after: after as KubeObject, before: old as KubeObject | undefined, paths }; // only places within were replaced
}

/** The objects of one rendering, with what another one made otherwise marked; what only one of them has stays as it is. */
export function markEachTime(first: readonly KubeObject[], second: readonly KubeObject[]): readonly KubeObject[] {
  const others = new Map(second.map((object) => [idOf(object), object]));
  return first.map((object) => {
    const again = others.get(idOf(object));
    return again === undefined ? object : markNondeterministic({ first: object, second: again, before: undefined }).after;
  });
}

const idOf = ({ apiVersion, kind, metadata }: KubeObject) => JSON.stringify([apiVersion, kind, metadata.namespace, metadata.name]);

type Sides = readonly [first: unknown, second: unknown, old: unknown];

function walk([first, second, old]: Sides, path: string, paths: string[]): readonly [after: unknown, old: unknown] {
  if (deepEqual(first, second)) return [first, old];
  if (isFields(first) && isFields(second)) return walkFields([first, second, old], path, paths);
  if (Array.isArray(first) && Array.isArray(second) && first.length === second.length) {
    const olds: readonly unknown[] = Array.isArray(old) && old.length === first.length ? old : [];
    const items = first.map((item, index) => walk([item, second[index], olds[index]], `${path}[${index}]`, paths));
    return [items.map(([after]) => after), olds.length === 0 ? old : items.map(([, item]) => item)];
  }
  paths.push(path);
  return [EACH_TIME, old === undefined ? undefined : EACH_TIME];
}

function walkFields(
  [first, second, old]: readonly [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>, unknown],
  path: string,
  paths: string[],
) {
  const olds = isFields(old) ? old : {};
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  const members = names.map(
    (name) => [name, ...walk([first[name], second[name], olds[name]], path === '' ? name : `${path}.${name}`, paths)] as const,
  );
  const marked = members.filter(([name, , before]) => Object.hasOwn(olds, name) && before !== olds[name]);
  return [
    Object.fromEntries(members.map(([name, after]) => [name, after])),
    isFields(old) ? { ...old, ...Object.fromEntries(marked.map(([name, , before]) => [name, before])) } : old,
  ] as const;
}
