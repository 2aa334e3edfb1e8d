import type { ChangeVerdict } from '@/lib/contract/change-rows';
import { readOwnedFields } from '@/lib/kube/field-owners';
import { LABELLED_BY, PLAN, REQUESTED_BY } from '@/lib/kube/kinds';
import { describeObject } from '@/lib/kube/object';
import { readAnnotatedUser } from '@/lib/kube/user-annotations';
import { inParallel } from '@/lib/std/in-parallel';
import { formatCount, formatList } from '@/lib/words/figures';
import type { PreviewedPlan } from '@/server/kube';
import type { ActContext } from '../act/context';
import type { ChangePlan, PlannedObject } from '../plan/change-plan';
import { toLine } from '../plan/change-plan';
import type { PlanBasis } from '../plan/plan-digest';
import { differenceOf, readBasis } from '../plan/plan-digest';
import type { Observation } from './observe';

/** So many objects are named, and asked about. */
const MAX_NAMED = 3;

interface Plans {
  readonly plan: PreviewedPlan;
  readonly now: ChangePlan;
}

/** Why the plan of a change is no longer the one that was previewed: whose change came in between, or which objects are others now. */
export async function explainMoved(context: ActContext, { plan, now }: Plans, seen: Observation): Promise<string> {
  const basis = readBasis(plan.digest);
  if (basis === undefined) return 'the plan of this change is no longer what was previewed';
  const { objects } = now;
  const difference = differenceOf(basis, {
    application: seen.object,
    lines: objects.map((object) => ({ id: object.id, line: toLine(object) })),
  });
  if (difference.isOfAnotherSpec) return formatOther(seen);
  const between = formatRevisionBetween(basis, now, seen);
  const moved = objects.filter(({ id }) => difference.moved.includes(id));
  const said = [...(await formatObjects(context, moved, difference.listed)), ...formatMissing(difference.missing)];
  if (between !== undefined) return [between, ...said].join('; ');
  if (difference.isRelabelled) return [formatLabeller(seen), ...said].join('; ');
  if (said.length === 0) return 'what this change does is no longer what was previewed';
  return `the cluster changed after the preview: ${said.join('; ')}`;
}

/** The plan came with another change than it was made for. */
function formatOther({ object }: Observation): string {
  const by = readAnnotatedUser(object, PLAN)?.user;
  const asked = readAnnotatedUser(object, REQUESTED_BY)?.user;
  return `${by ?? 'someone'} previewed a different change from the one that ${asked ?? 'someone'} applied`;
}

/** Somebody else's change was applied after the preview: it has the number that this one was to get. */
function formatRevisionBetween(basis: PlanBasis, now: ChangePlan, { revisions }: Observation): string | undefined {
  if (now.revision === undefined || basis.revision === 0) return undefined;
  const first = basis.isNew ? basis.revision : basis.revision + 1;
  const between = revisions.filter(({ number }) => number >= first);
  if (between.length === 0) return undefined;
  const made = between.map(({ name, object }) => {
    const by = readAnnotatedUser(object, REQUESTED_BY)?.user;
    return by === undefined ? `${name} (by an unknown person)` : `${name} (by ${by})`;
  });
  return `another change was applied after this one was previewed: ${formatList(made)}`;
}

const BECOMES: Readonly<Record<ChangeVerdict, string>> = {
  refused: 'is refused now',
  deleted: 'would be deleted now',
  held: 'would be held back from deletion now',
  changed: 'would be changed now',
  new: 'does not exist now',
  'handed-over': 'needs no change now',
  kept: 'needs no change now',
  gone: 'is gone',
  unknown: 'cannot be read now',
};

/** What is said of one that the preview showed with the same end: it may be another object of that name. */
const BECOMES_SHOWN: Readonly<Partial<Record<ChangeVerdict, string>>> = {
  deleted: 'would be deleted now, but is a different object than shown, or was to be kept',
  changed: 'is a different object than shown, or would be changed in other fields',
};

async function formatObjects(
  context: ActContext,
  moved: readonly PlannedObject[],
  listed: ReadonlySet<string>,
): Promise<readonly string[]> {
  const named = moved.slice(0, MAX_NAMED);
  const writers = new Map<string, string>();
  await inParallel(named, MAX_NAMED, async (object) => void writers.set(object.id, await formatWriter(context, object)));
  const becomes = ({ id, verdict }: PlannedObject) => (listed.has(id) ? BECOMES_SHOWN[verdict] : undefined) ?? BECOMES[verdict];
  const said = named.map((object) => `${describeObject(object.at)} ${becomes(object)}${writers.get(object.id) ?? ''}`);
  return moved.length > named.length ? [...said, `${formatCount(moved.length - named.length, 'more object')} as well`] : said;
}

/** Who wrote an object last. Watched copies keep no managers, so the server is asked. */
async function formatWriter({ deps, signal }: ActContext, { at, uid }: PlannedObject): Promise<string> {
  if (uid === undefined) return '';
  try {
    const [last] = readOwnedFields(await deps.cluster.get(at, { signal })) ?? [];
    return last === undefined
      ? ''
      : ` (last written by ${last.owner.manager}${last.owner.since === undefined ? '' : ` at ${last.owner.since}`})`;
  } catch {
    return ''; // gone or not to be read: it is named all the same
  }
}

function formatMissing(count: number): readonly string[] {
  return count === 0 ? [] : [`${formatCount(count, 'object')} of the preview ${count === 1 ? 'is' : 'are'} no longer part of it`];
}

/** Labels and annotations reach objects, and are no part of the spec. */
function formatLabeller({ object }: Observation): string {
  return `${readAnnotatedUser(object, LABELLED_BY)?.user ?? 'someone'} changed labels or annotations of the application after the preview`;
}
