import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';

/** Stands in place of what a chart makes up anew at each rendering. */
export const NONDETERMINISTIC = '(different each time)';

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

/** An object as a plan names it; without its name where that is another one at each rendering. */
export interface PlannedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly ns: string;
  readonly name: string | null;
}

/** Two renderings of a chart side by side: what both have, and the objects whose name is another one each time. */
export interface Renderings {
  readonly both: readonly { readonly id: string; readonly first: KubeObject; readonly second: KubeObject }[];
  readonly nameless: readonly PlannedObject[];
}

/** Tells what two renderings of a release in a namespace have in common. An object without a name has the cluster make one up each time. */
export function pairRenderings(first: readonly KubeObject[], second: readonly KubeObject[], namespace: string): Renderings {
  const others = new Map(second.map((object) => [toObjectId(toAddress(object, namespace)), object]));
  const both: Renderings['both'][number][] = [];
  const nameless: PlannedObject[] = [];
  for (const object of new Map(first.map((one) => [toObjectId(toAddress(one, namespace)), one])).values()) {
    const { apiVersion, kind, metadata } = object;
    const id = toObjectId(toAddress(object, namespace));
    const again = metadata.name === undefined ? undefined : others.get(id);
    if (again === undefined) nameless.push({ apiVersion, kind, ns: metadata.namespace ?? namespace, name: null });
    else both.push({ id, first: object, second: again });
  }
  return { both, nameless };
}

/** How an object of a release in a namespace is addressed. */
export function toAddress({ apiVersion, kind, metadata }: KubeObject, namespace: string) {
  return { apiVersion, kind, namespace: metadata.namespace ?? namespace, name: metadata.name ?? '' };
}

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
  return [NONDETERMINISTIC, old === undefined ? undefined : NONDETERMINISTIC];
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
