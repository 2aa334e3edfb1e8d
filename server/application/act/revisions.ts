import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { ignoreNotFound, isAlreadyExists } from '@/server/kube';
import type { RunPlan } from '../decide/model';
import { revisionsToPrune } from '../decide/revisions';
import type { Observation } from '../observe/observe';
import type { PlanVerification } from '../observe/verify-plan';
import { recordLabels, requesterClause } from '../permission/audit-entries';
import type { Revision } from '../revision';
import { readRevision, toRevisionObject } from '../revision';
import { acceptance, noteOnRevision, recordAcceptance } from './acceptance';
import type { ActContext } from './context';
import { record, WRITER } from './context';

interface Begun {
  readonly agreement: PlanVerification;
  /** Whether anything of the revision was applied before. */
  readonly isBegun: boolean;
  /** Those that are there already. */
  readonly revisions: readonly Revision[];
}

/** The revision is there, is on record, and says which plan it was accepted with, before anything of it is. */
export async function ensureRevision(context: ActContext, plan: RunPlan, { agreement, isBegun, revisions }: Begun): Promise<void> {
  const { application, revision } = plan;
  await recordAcceptance(context, agreement, plan);
  if (revision.stored !== undefined) {
    // Whoever made it may have died, or lost the answer, before that was on record.
    if (!isBegun) await recordRevision(context, plan, { object: revision.stored.object, revisions });
    return noteOnRevision(context, agreement, { application, revision: revision.stored });
  }
  const { cluster } = context.deps;
  const wanted = toRevisionObject(application, revision.name, revision.hash, acceptance(agreement));
  try {
    await recordRevision(context, plan, { object: await cluster.create(wanted, { ...WRITER, signal: context.signal }), revisions });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // A watch that lags: the name is taken, and only the same content may go on under it.
    const found = readRevision(await cluster.get(toAddress(wanted), { signal: context.signal }));
    if (found?.hash !== revision.hash) throw error;
    await recordRevision(context, plan, { object: found.object, revisions });
    await noteOnRevision(context, agreement, { application, revision: found });
  }
}

interface Made {
  readonly object: KubeObject;
  readonly revisions: readonly Revision[];
}

/** What is made is on record, and so is who wrote the labels and annotations that reach objects with it. */
async function recordRevision(context: ActContext, { application, revision }: RunPlan, { object, revisions }: Made): Promise<void> {
  const message = `${revision.name} of ${application.name}, hash ${revision.hash}${await requesterClause(context, application.object)}`;
  await record(context, {
    id: `revision.created:${object.metadata.uid ?? ''}`,
    action: 'revision.created',
    about: toAddress(object),
    message,
  });
  const made = readRevision(object);
  if (made !== undefined)
    await recordLabels(context, application, { made, before: revisions.filter(({ number }) => number < made.number).at(-1) });
}

/** Deletes the oldest revisions beyond the limit. */
export async function pruneRevisions({ deps, signal }: ActContext, plan: RunPlan, seen: Observation): Promise<void> {
  for (const { object } of revisionsToPrune(plan, seen)) {
    const { uid } = object.metadata;
    await ignoreNotFound(deps.cluster.delete(toAddress(object), { ...(uid ? { preconditions: { uid } } : {}), signal }));
  }
}
