import type { DeletionAccepted, DeletionPreview, DeletionRequest } from '@/lib/contract/acts/application-deletion';
import { AppError, isAppError } from '@/lib/contract/app-error';
import { DELETION_PLAN, KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { pausedBy } from '@/lib/kube/paused-by';
import type { DeletionPlan } from '@/server/application';
import { actWithAudit, withPreviewedDeletion } from '@/server/application';
import type { Session } from '@/server/auth';
import { isConflict, isNotFound, retryOnConflict } from '@/server/kube';
import type { CommandDeps, Place } from '../command-deps';
import { applicationAt, FIELD_MANAGER, readAs } from '../command-deps';
import { deleteUnchanged } from '../objects/acts/delete-unchanged';
import { createDecision, requireSame } from '../stage-decision';
import { previewDeletion } from './preview-deletion';

/** What is deleted, and by whom it was asked for. */
export interface DeletionInput extends DeletionRequest {
  readonly place: Place;
}

/**
 * Deletes an application as the person, with its objects or without them.
 *
 * 1. With `dryRun` it tells what goes, stays and waits, by the plan that the engine will compare with its own.
 * 2. The digest of what was seen is written on the application just before it is deleted, and with it whether its objects stay: the engine does exactly that,
 *    or holds it and asks people.
 * 3. What only goes with an approval is approved along with it where the person may; otherwise it waits for somebody who may.
 */
export async function deleteApplication(
  deps: CommandDeps,
  session: Session,
  asked: DeletionInput,
): Promise<DeletionPreview | DeletionAccepted> {
  const { place, uid, objects, dryRun } = asked;
  await deps.auth.authorise(session, { kind: 'delete-application', ...place });
  await deps.auth.authorise(session, { kind: 'change-application', ...place }); // what was seen is written on it first
  const { stale } = deps.freshness(place);
  if (stale !== null) throw new AppError('stale', `deleting needs fresh data, and what you see is from ${stale.since}: ${stale.reason}`);
  const application = await readAs(deps, session, applicationAt(place));
  requireSame(application, uid);
  requireDeletable(application);
  const plan = await deps.planner.planDeletion(application, objects);
  const preview = await previewDeletion(deps, session, { application, plan, objects });
  if (dryRun) return preview;
  if (preview.refused !== null) throw new AppError('forbidden', preview.refused);
  if (asked.plan !== preview.plan) throw new AppError('conflict', 'what this deletes has changed since you opened it; review it again');
  const { why } = deps.installation.stateOf('application');
  if (why !== null) throw new AppError('unavailable', `its objects would not be deleted: ${why}`);
  await deps.requireRecord();
  await remove(deps, session, { application, asked, plan });
  const waits = preview.waits === null || (preview.approves && (await approve(deps, session, { asked, plan }))) ? null : preview.waits;
  return { accepted: { kind: KINDS.application.kind, ns: place.ns, name: place.name, uid }, waits };
}

function requireDeletable(application: KubeObject): void {
  const { name, deletionTimestamp } = application.metadata;
  if (deletionTimestamp !== undefined) throw new AppError('rejected', `application ${name} is already being deleted`);
  const annotation = pausedBy(application);
  if (annotation === undefined) return;
  throw new AppError(
    'rejected',
    `application ${name} is suspended by its annotation ${annotation}, so nothing would be deleted; resume it first`,
  );
}

const changedMessage = (name: string) => `application ${name} was changed in the meantime; review it again`;

interface Removal {
  readonly application: KubeObject;
  readonly asked: DeletionInput;
  readonly plan: DeletionPlan;
}

/** Names what was seen on the application, then deletes it. Where the second fails, the first is taken back. */
async function remove(deps: CommandDeps, session: Session, { application, asked, plan }: Removal): Promise<void> {
  const { place, uid, objects, reason } = asked;
  const at = applicationAt(place);
  const cluster = deps.cluster.as(session.person);
  const noted = withPreviewedDeletion(application, { objects, digest: plan.digest });
  const going = plan.items.filter(({ item }) => item.verdict === 'deleted').map(({ item }) => item.id);
  const message = `deletes the application ${objects === 'keep' ? 'and keeps its objects' : 'with its objects'}${reason ? `: ${reason}` : ''}`;
  const data = { uid, objects, plan: plan.digest, deleted: going };
  const entry = {
    id: deps.ids.uuid(),
    at: deps.clock.now(),
    actor: session.person.user,
    action: 'application.delete',
    about: at,
    message,
    data,
  };
  const send = async (dryRun: boolean) => {
    const written = await cluster.update(noted, { fieldManager: FIELD_MANAGER, dryRun });
    try {
      if (dryRun) await cluster.delete(at, { preconditions: { uid }, propagationPolicy: 'Background', dryRun });
      // Where anybody changed what was noted, or the spec, something else would be deleted than was shown.
      else await deleteUnchanged(cluster, written, { by: bindingOf, message: changedMessage(place.name) });
    } catch (error) {
      if (!dryRun) await forget(deps, session, { application, written });
      throw error;
    }
  };
  await actWithAudit<void>(deps.record, entry, {
    send: (dryRun) =>
      send(dryRun).catch((error: unknown) => {
        if (isConflict(error) || isNotFound(error))
          throw isAppError(error) ? error : new AppError('conflict', changedMessage(place.name), { cause: error });
        throw error;
      }),
  });
}

/** What of an application says how it ends. */
function bindingOf(application: KubeObject) {
  const { uid, generation, finalizers = [], annotations, deletionTimestamp } = application.metadata;
  const suspended = pausedBy(application);
  return { uid, generation, finalizers: [...finalizers].sort(), plan: annotations?.[DELETION_PLAN], deletionTimestamp, suspended };
}

/** Takes back what was noted, also where somebody wrote the application in between. Best effort: what stays keeps its objects, or has people asked. */
async function forget(
  deps: CommandDeps,
  session: Session,
  { application, written }: { readonly application: KubeObject; readonly written: KubeObject },
) {
  const cluster = deps.cluster.as(session.person);
  const before = application.metadata.finalizers ?? [];
  const noted = written.metadata.finalizers ?? [];
  const takeBack = async () => {
    const { metadata, ...rest } = await cluster.get(toAddress(written));
    const { [DELETION_PLAN]: seen, ...annotations } = metadata.annotations ?? {};
    if (metadata.uid !== written.metadata.uid || metadata.deletionTimestamp !== undefined) return;
    if (seen !== undefined && seen !== written.metadata.annotations?.[DELETION_PLAN]) return; // somebody else noted theirs
    const others = (metadata.finalizers ?? []).filter((one) => before.includes(one) || !noted.includes(one));
    const finalizers = [...others, ...before.filter((one) => !noted.includes(one) && !others.includes(one))];
    await cluster.update({ ...rest, metadata: { ...metadata, annotations, finalizers } }, { fieldManager: FIELD_MANAGER });
  };
  await retryOnConflict(takeBack).catch(() => undefined);
}

/** Approves what was just seen and deleted. False where that did not come about: then it waits, and anybody who may can approve it. */
async function approve(deps: CommandDeps, session: Session, { asked, plan }: Omit<Removal, 'application'>): Promise<boolean> {
  const { place, uid, reason } = asked;
  const count = plan.items.filter(({ item }) => item.verdict === 'deleted').length;
  try {
    const applicationRef = { name: place.name, uid };
    const decision = { applicationRef, verb: 'approve' as const, seen: { garbage: plan.digest }, garbage: { objects: [], count } };
    await createDecision(deps, session, place, { ...decision, ...(reason ? { reason } : {}) });
    return plan.approval.required <= 1;
  } catch {
    return false;
  }
}
