import { AppError } from '@/lib/contract/app-error';
import type { OutdatedPlan } from '@/lib/contract/change-rows';
import { bareDigest } from '@/lib/contract/change-rows';
import type { AcceptRequest } from '@/lib/contract/requests';
import { KINDS, PLAN } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { readAnnotatedUser } from '@/lib/kube/user-annotations';
import { readPreviewedPlan } from '@/server/application';
import type { Session } from '@/server/auth';
import { retryOnConflict } from '@/server/kube';
import type { Accepted, CommandDeps, Place } from './command-deps';
import { applicationAt, readAs, requireEngine, toAccepted } from './command-deps';
import { permitContents } from './permit-contents';
import { previewChanges, readPreview } from './preview-changes';
import { writeWithAudit } from './write-with-audit';

/** Both plans of a change that waits: what was seen of it, and what it would do now. */
export async function readMovedPlan(deps: CommandDeps, session: Session, place: Place): Promise<OutdatedPlan> {
  await deps.auth.authorise(session, { kind: 'view-object', type: KINDS.application, ...place });
  const application = await readAs(deps, session, applicationAt(place));
  const seen = readPreviewedPlan(application);
  if (seen === undefined) throw new AppError('not-found', `no change of ${nameOf(application)} is waiting with a previewed plan`);
  const kept = await readPreview(deps, session, place, seen.digest);
  const now = await previewChanges(deps, session, { next: application, held: application });
  const by = readAnnotatedUser(application, PLAN)?.user ?? kept?.by ?? null;
  return { seen: { plan: seen.digest, by, at: kept?.at ?? null, preview: kept?.preview ?? null }, now };
}

/** Accepts what a waiting change would do now: an act of its own, by whoever may change the application and what is in it. */
export async function acceptPlan(deps: CommandDeps, session: Session, place: Place, request: AcceptRequest): Promise<Accepted> {
  await deps.auth.authorise(session, { kind: 'change-application', ...place });
  requireEngine(deps, 'application');
  return retryOnConflict(async () => {
    const application = await readAs(deps, session, applicationAt(place));
    const { uid, generation } = application.metadata;
    if (uid !== request.uid || generation !== request.generation)
      throw new AppError('conflict', `${nameOf(application)} has changed since you opened it; review it again`);
    if (readPreviewedPlan(application) === undefined)
      throw new AppError('rejected', `no change of ${nameOf(application)} waits; there is nothing to accept`);
    await permitContents(deps, session, application);
    const { digest } = await deps.planner.plan(application, session);
    if (bareDigest(digest) !== bareDigest(request.plan))
      throw new AppError('stale', `what ${nameOf(application)} would do has changed again since you opened it; review it again`);
    const message = `accepts what the change would do now, ${bareDigest(digest)}`;
    const write = {
      verb: 'update',
      object: application,
      action: 'application.accept-plan',
      message,
      plan: digest,
      keepsRequester: true,
    } as const;
    return toAccepted(await writeWithAudit(deps, session, write));
  });
}

function nameOf(application: KubeObject): string {
  return describeObject({ kind: application.kind, ...application.metadata });
}
