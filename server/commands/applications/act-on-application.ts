import type { ApplicationAct, ApplicationActRequest } from '@/lib/contract/acts/application-acts';
import { AppError } from '@/lib/contract/app-error';
import { RECONCILE_REQUESTED } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { pausedBy, withoutSuspension, withSuspension } from '@/lib/kube/paused-by';
import { toIso } from '@/lib/std/instant';
import { actWithAudit } from '@/server/application';
import type { Session } from '@/server/auth';
import { retryOnConflict } from '@/server/kube';
import type { Accepted, CommandDeps, Place } from '../command-deps';
import { applicationAt, FIELD_MANAGER, readAs, toAccepted } from '../command-deps';
import { requireSame } from '../stage-decision';

const MESSAGES: Readonly<Record<ApplicationAct, string>> = {
  refresh: 'requests its reconciliation now',
  suspend: 'suspends its reconciliation',
  resume: 'resumes its reconciliation',
};

/** Has an application reconciled at once, suspends it, or resumes it: an annotation, written as the person. What it asks for stays as it is. */
export async function actOnApplication(
  deps: CommandDeps,
  session: Session,
  asked: ApplicationActRequest & { readonly place: Place },
): Promise<Accepted> {
  const { verb, uid, reason, place } = asked;
  await deps.auth.authorise(session, { kind: 'change-application', ...place });
  const { mode, why } = deps.installation.stateOf('application');
  // An engine that is stopped heeds a suspension once it starts again; another controller never does.
  if (why !== null && (mode === 'observe' || verb === 'refresh')) throw new AppError('unavailable', why);
  // What stops is never refused because the store is away.
  const record = verb === 'suspend' ? deps.recordStop : deps.record;
  if (verb !== 'suspend') await deps.requireRecord();
  const about = applicationAt(place);
  const message = `${MESSAGES[verb]}${reason ? `: ${reason}` : ''}`;
  const entry = {
    id: deps.ids.uuid(),
    at: deps.clock.now(),
    actor: session.user,
    action: `application.${verb}`,
    about,
    message,
    data: { uid },
  };
  const note = { by: session.user, at: toIso(entry.at), reason };
  const cluster = deps.cluster.as(session.person);
  // Others may write it meanwhile: what it asks for stays as they wrote it.
  const send = (dryRun: boolean) =>
    retryOnConflict(async () => {
      const application = await readAs(deps, session, about);
      requireSame(application, uid);
      const idle = idleReason(application, verb);
      if (idle !== null) throw new AppError('rejected', idle);
      return cluster.update(written(application, verb, note), { fieldManager: FIELD_MANAGER, dryRun });
    });
  return toAccepted(await actWithAudit<KubeObject>(record, entry, { send }));
}

/** Why an act would come to nothing; null where it would not. */
function idleReason(application: KubeObject, verb: ApplicationAct): string | null {
  const { name } = application.metadata;
  const annotation = pausedBy(application);
  if (verb === 'resume') return annotation === undefined ? `application ${name} is not suspended` : null;
  if (annotation === undefined) return null;
  return `application ${name} is suspended${verb === 'suspend' ? ' already' : ', and nothing of it is reconciled; resume it first'}`;
}

function written(
  application: KubeObject,
  verb: ApplicationAct,
  note: { readonly by: string; readonly at: string; readonly reason: string | undefined },
) {
  if (verb === 'suspend') return withSuspension(application, note);
  if (verb === 'resume') return withoutSuspension(application);
  const annotations = { ...application.metadata.annotations, [RECONCILE_REQUESTED]: note.at };
  return { ...application, metadata: { ...application.metadata, annotations } };
}
