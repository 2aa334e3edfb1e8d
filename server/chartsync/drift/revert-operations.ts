import type { Fields } from '@/lib/kube/fields';
import { isFields, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';

/** An object as it is, and as it would be were its manifest applied to it. */
interface Sides {
  readonly live: KubeObject;
  readonly wanted: KubeObject;
}

/** The operations of a JSON patch that put fields back; where a list has other entries than are wanted it is put back whole. */
export function revertOperations(paths: readonly string[], { live, wanted }: Sides): readonly Fields[] {
  const places = [...new Set(paths.map((path) => placeOf(path, live, wanted)))];
  return places
    .filter((place) => !places.some((other) => place !== other && place.startsWith(`${other}/`)))
    .map((place) => toOperation(place, wanted));
}

/** The pointer, or the list on the way to it whose entries do not stand for each other. */
function placeOf(path: string, live: unknown, wanted: unknown): string {
  let [place, is, was] = ['', live, wanted];
  for (const step of path.split('/').slice(1)) {
    if (Array.isArray(is) && !areAlike(is, was)) return place;
    place += `/${step}`;
    [is, was] = [inside(is, step), inside(was, step)];
  }
  return place;
}

function areAlike(live: readonly unknown[], wanted: unknown): boolean {
  return (
    Array.isArray(wanted) &&
    live.length === wanted.length &&
    live.every((entry, at) => readString(entry, 'name') === readString(wanted[at], 'name'))
  );
}

/** In a list `add` would insert. */
function toOperation(path: string, wanted: KubeObject): Fields {
  const steps = path.split('/').slice(1);
  const value = steps.reduce<unknown>(inside, wanted);
  if (value === undefined) return { op: 'remove', path };
  return { op: Array.isArray(steps.slice(0, -1).reduce<unknown>(inside, wanted)) ? 'replace' : 'add', path, value };
}

function inside(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  const member = step.replaceAll('~1', '/').replaceAll('~0', '~');
  return isFields(value) && Object.hasOwn(value, member) ? value[member] : undefined;
}
