import type { DeletionPolicy, DeletionPreview } from '@/lib/contract/acts/application-deletion';
import type { ChangeRow } from '@/lib/contract/change-rows';
import { countChanges, inChangeOrder } from '@/lib/contract/change-rows';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { formatCount } from '@/lib/words/figures';
import type { DeletionPlan } from '@/server/application';
import type { Session } from '@/server/auth';
import type { CommandDeps, Place } from '../command-deps';
import { maskRows, sentenceMask } from '../mask-rows';
import { rowOf } from '../named-row';
import { explainMissingContentRight } from '../permit-contents';
import { refusalReason } from '../read-rights';

/** What goes with an object is told of so many. */
const MAX_BLASTS = 300;

/** What is to be told of the end of an application. */
export interface PlannedDeletion {
  readonly application: KubeObject;
  readonly plan: DeletionPlan;
  readonly objects: DeletionPolicy;
}

/** Tells, object by object, what deleting an application does, masked for whoever looks. */
export async function previewDeletion(
  deps: CommandDeps,
  session: Session,
  { application, plan, objects }: PlannedDeletion,
): Promise<DeletionPreview> {
  const { namespace: ns = '', name = '' } = application.metadata;
  const rows = inChangeOrder(rowsOf(deps, { ns, name }, plan));
  const changes = await maskRows(deps, session, rows);
  const masked = sentenceMask(rows, changes);
  const refused = plan.fault ?? (await refusedReason(deps, session, { application, plan }));
  const approves = plan.held !== undefined && plan.approval.isApprovable && (await mayApprove(deps, session, { application, plan }));
  return {
    ...countChanges(rows),
    objects,
    changes: [...changes],
    consequences: [...consequencesOf(plan, objects)],
    refused: refused === undefined ? null : masked(refused),
    waits: plan.held === undefined ? null : masked(plan.held),
    approves,
    ...(plan.ungranted === undefined ? {} : { ungranted: plan.ungranted }),
    plan: plan.digest,
  };
}

function rowsOf({ blastRadiusOf }: CommandDeps, place: Place, { items }: DeletionPlan): readonly ChangeRow[] {
  const going = new Set(items.flatMap(({ item: { verdict, uid } }) => (verdict === 'deleted' && uid !== undefined ? uid : [])));
  return items.map(({ item, live }, at) => {
    const { entry, uid = null, verdict, why } = item;
    const { apiVersion, kind, name, namespace } = entry;
    const isLost = verdict === 'deleted' && live !== undefined && at < MAX_BLASTS;
    const row = rowOf({ apiVersion, kind, name, ...(namespace ? { namespace } : {}) });
    return { ...row, uid, verdict, why, blast: isLost ? [...blastRadiusOf(place, live, { item, going })] : [], diff: null };
  });
}

/** What the engine takes away is taken away on behalf of whoever deletes the application, so they must hold the right themselves. */
async function refusedReason(
  deps: CommandDeps,
  session: Session,
  { application, plan }: Omit<PlannedDeletion, 'objects'>,
): Promise<string | undefined> {
  const { namespace = '', name = '' } = application.metadata;
  const going = plan.items.flatMap(({ item: { verdict, entry } }) => {
    const { apiVersion, kind, name: gone, namespace: where } = entry;
    return verdict === 'deleted' ? [{ apiVersion, kind, name: gone, ...(where ? { namespace: where } : {}) }] : [];
  });
  const what = describeObject({ kind: application.kind, namespace, name });
  return explainMissingContentRight(deps, session, { application: what, namespace, written: [], going });
}

/** Whether an approval of whoever looks would count: by the policy, by the installation, and by their rights. */
async function mayApprove(deps: CommandDeps, session: Session, { application, plan }: Omit<PlannedDeletion, 'objects'>): Promise<boolean> {
  const { namespace: ns = '', name = '' } = application.metadata;
  if (plan.approval.refusalReason(session.person) !== undefined || deps.installation.decisionsBlockedReason('approve') !== null)
    return false;
  return (await refusalReason(deps, session, [{ kind: 'decide', on: 'application', verb: 'approve', ns, name }])) === null;
}

function* consequencesOf({ revisions, rollout }: DeletionPlan, objects: DeletionPolicy): Iterable<string> {
  if (objects === 'keep')
    yield 'Its objects stay as they are, without the labels that name the application. Slipway no longer reverts or deletes them.';
  if (rollout !== undefined) {
    const where = rollout.isUnderWay ? ', which is in progress and stops where it is' : '';
    yield `RolloutOrchestrator ${rollout.name} is deleted with it${where}: nothing moves its traffic or scales its revisions any more.`;
  }
  if (revisions > 0)
    yield `${formatCount(revisions, 'stored revision')} ${revisions === 1 ? 'is' : 'are'} deleted with it: no rollback is possible.`;
  yield 'This cannot be undone. Its history stays under Activity.';
}
