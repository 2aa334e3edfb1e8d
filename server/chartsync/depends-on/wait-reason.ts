import { getCondition } from '@/lib/kube/condition';
import { readField, readNumber, readString } from '@/lib/kube/fields';
import { nameOfKind, nameOfKinds } from '@/lib/kube/kinds';
import type { ObjectKey } from '@/lib/kube/object';
import type { ExtendedRelease } from '../model/declared';
import type { Phase } from '../sync/status/phases';

/** How one that others wait for stands to them. */
type DependencyState = 'released' | 'missing' | 'failed' | 'changing' | 'not-yet';

/** While Helm works on the next revision, condition Released goes on telling of the one before. */
const AT_WORK: ReadonlySet<string | undefined> = new Set<Phase>(['Installing', 'Upgrading', 'Testing', 'RollingBack']);

/** How a resource stands to those that wait for it: released is what is released at its present generation, and rests. */
export function dependencyStateOf(resource: ExtendedRelease | undefined): DependencyState {
  if (resource === undefined) return 'missing';
  const { status, generation } = resource;
  const released = getCondition(resource, 'Released');
  const isSeen = (readNumber(status, 'observedGeneration') ?? 0) >= generation;
  if (isSeen && released?.status === 'True') return AT_WORK.has(readString(status, 'phase')) ? 'changing' : 'released';
  const hasFailed = released?.status === 'False' || readField(status, 'failure') !== undefined;
  return isSeen && hasFailed ? 'failed' : 'not-yet';
}

/**
 * Why a release waits for those that it depends on; undefined where all of them are released.
 *
 * 1. Those that wait for each other are named in the order in which they do: none of them would ever be released. Nor would one that waits for itself.
 * 2. Else the first that is not released is named, and whether it is missing, has failed, or is not there yet.
 * 3. Why one of another namespace failed is not told: who sees this one may not see that.
 */
export function waitReason(resource: ExtendedRelease, find: (key: ObjectKey) => ExtendedRelease | undefined): string | undefined {
  const kind = nameOfKind(resource.at);
  const circle = circleOf(resource, find);
  if (circle?.length === 2) return `${kind} ${resource.key} depends on itself, so it is never released`;
  if (circle !== undefined)
    return `these ${nameOfKinds(resource.at)} depend on each other, so none of them is released: ${circle.join(' → ')}`;
  const first = resource.dependsOn.find((key) => dependencyStateOf(find(key)) !== 'released');
  if (first === undefined) return undefined;
  const other = find(first);
  switch (dependencyStateOf(other)) {
    case 'missing':
      return `it depends on ${kind} ${first}, which does not exist`;
    case 'failed':
      return `it depends on ${kind} ${first}, which failed${other?.at.namespace === resource.at.namespace ? because(other) : ''}`;
    case 'changing':
      return `it depends on ${kind} ${first}, which is being changed`;
    default:
      return `it depends on ${kind} ${first}, which is not released yet`;
  }
}

function because(other: ExtendedRelease | undefined): string {
  if (other === undefined) return '';
  const why = readString(other.status, 'failure', 'message') ?? getCondition(other, 'Released')?.message ?? '';
  return why === '' ? '' : `: ${why}`;
}

/** The shortest way from a resource over what each waits for back to itself; undefined where there is none. Each resource is looked at once. */
function circleOf(
  { key: start, dependsOn }: ExtendedRelease,
  find: (key: ObjectKey) => ExtendedRelease | undefined,
): readonly ObjectKey[] | undefined {
  const before = new Map<ObjectKey, ObjectKey>(dependsOn.map((key) => [key, start]));
  for (const key of before.keys()) {
    if (key === start) return [...wayTo(start, before)];
    for (const next of find(key)?.dependsOn ?? []) if (!before.has(next)) before.set(next, key);
  }
  return undefined;
}

/** The way that led to a resource, from itself to itself. */
function wayTo(start: ObjectKey, before: ReadonlyMap<ObjectKey, ObjectKey>): readonly ObjectKey[] {
  const way = [start];
  for (let at = before.get(start); at !== undefined; at = before.get(at)) {
    way.unshift(at);
    if (at === start) break;
  }
  return way;
}
