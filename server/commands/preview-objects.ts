import type { ChangeRow } from '@/lib/contract/change-rows';
import type { KubeObject } from '@/lib/kube/object';
import type { ChangePlan, PlannedObject } from '@/server/application';
import type { DryRunResult } from '@/server/dispatch';
import { dryRunWrites } from '@/server/dispatch';
import type { Cluster } from '@/server/kube';
import { isInvalid, isNoMatch, isNotFound } from '@/server/kube';
import { rowOf } from './named-row';
import { diffObjects, mergeOnto } from './object-diff';
import { explainInvalid, toAppError } from './refusal';

const AT_ONCE = 16;
/** Differences are shown for so many objects; beyond, the verdict alone is told. */
const MAX_DIFFS = 300;

type Wanted = PlannedObject & Required<Pick<PlannedObject, 'wanted'>>;

/**
 * The rows of a plan. What is made or changed is tried out on the API server as the server, who will write it: one that is not taken is told
 * as refused, which leaves the plan as it is, since the engine tries as well before it writes anything. Where the server may not write yet, nothing is.
 */
export async function previewObjects(cluster: Cluster, { objects, ungranted }: ChangePlan): Promise<readonly ChangeRow[]> {
  const wanted = objects.filter((object): object is Wanted => object.wanted !== undefined);
  const written = wanted.filter(({ verdict }) => verdict === 'new' || verdict === 'changed');
  const writes = written.map(({ at, wanted: foreseen }) => ({ at, ...foreseen }));
  const manifests = wanted.map(({ wanted: { manifest } }) => manifest);
  const trials =
    ungranted === undefined
      ? await dryRunWrites(cluster, writes, { manifests, concurrency: AT_ONCE })
      : writes.map(() => 'ungranted' as const);
  const trialOf = new Map(written.map((object, index) => [object.id, trials[index]]));
  let diffs = 0;
  return objects.map((object) => {
    const row = { ...rowOf(object.at), uid: object.uid ?? null, verdict: object.verdict, why: object.why, blast: [], diff: null };
    const trial = object.wanted && trialOf.get(object.id);
    if (object.wanted === undefined || trial === undefined) return row;
    const tried = { ...row, ...outcomeOf(object as Wanted, trial, diffs < MAX_DIFFS) }; // wanted was looked at
    if (tried.diff !== null) diffs++;
    return tried;
  });
}

function outcomeOf(
  { wanted: { manifest, live }, verdict, why }: Wanted,
  trial: DryRunResult | 'ungranted',
  isShown: boolean,
): Pick<ChangeRow, 'verdict' | 'why' | 'diff'> {
  const diff = (after: KubeObject) => (live === undefined || !isShown ? null : (diffObjects(live, after)?.slice() ?? null));
  const untriedAs = (because: string) => ({
    verdict,
    why: `${why}; no dry run was made: ${because}`,
    diff: live === undefined ? null : diff(mergeOnto(live, manifest) as KubeObject), // joined from two objects
  });
  if (trial === 'ungranted') return untriedAs('the server may not write it yet');
  if (trial.kind === 'taken') return { verdict, why, diff: diff(trial.object) };
  const cause = rootOf(trial.error);
  const sentence = isInvalid(cause) ? explainInvalid(cause) : toAppError(cause).message;
  if (trial.kind === 'refused') return { verdict: 'refused', why: sentence, diff: null };
  return untriedAs(isNoMatch(cause) || isNotFound(cause) ? 'it depends on objects that are applied first' : sentence);
}

function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined && !isNoMatch(error) ? rootOf(error.cause) : error;
}
