import { AppError } from '@/lib/contract/app-error';
import type { SavePreview } from '@/lib/contract/change-rows';
import type { DecisionRequest } from '@/lib/contract/requests';
import { readFields } from '@/lib/kube/fields';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { isRevisionOf, parseApplication, readRevision, snapshotOf } from '@/server/application';
import type { Session } from '@/server/auth';
import { revisionNameOf, revisionNumberOf } from '@/server/dispatch';
import { isConflict } from '@/server/kube';
import { rolloutDigest } from '@/server/rollout';
import type { CommandDeps, Place } from './command-deps';
import { applicationAt, FIELD_MANAGER, readAs } from './command-deps';
import { permitContents } from './permit-contents';
import { previewChanges } from './preview-changes';
import { refuseForTheirs } from './their-change';
import { writeOnRecord } from './write-on-record';

/** How often it is read again when somebody wrote between our read and our write; an engine that writes status does so all the time. */
const MOST_TRIES = 5;

/** A rollback that has been tried without effect. */
interface PreparedRollback {
  /** What it does to every object, by the plan that the engine will compare with its own. */
  preview(): Promise<SavePreview>;
  write(): Promise<void>;
}

/**
 * Prepares going back: what ran in a revision is written into the Application again, as the person, which makes a new
 * revision. Components come from the snapshot; policies stay as they are now, since they say how to roll out, not what.
 */
export async function prepareRollback(deps: CommandDeps, session: Session, rollout: KubeObject, request: DecisionRequest): Promise<PreparedRollback> {
  if (request.seen?.rollout !== rolloutDigest(rollout)) {
    throw new AppError('stale', 'the rollout has changed since you looked at it; look again and decide anew');
  }
  const { namespace: ns = '', name = '' } = rollout.metadata;
  const place = { ns, name: rollout.metadata.labels?.[LABELS.appName] ?? name };
  await deps.auth.authorise(session, { kind: 'change-application', ...place });
  const held = await readAs(deps, session, applicationAt(place));
  const { base, plan } = request;
  if (base !== undefined && !isAt(held, base)) throw await refuseForTheirs(deps, session, held, plan);
  const next = await rolledBack(deps, session, held, request.revision ?? '');
  await permitContents(deps, session, next);
  await deps.cluster.as(session.person).update(next, { fieldManager: FIELD_MANAGER, dryRun: true });
  return {
    preview: () => previewChanges(deps, session, { next, held }),
    write: () => writeBack(deps, session, place, { held, next, request }),
  };
}

/** Whether an application is the one with the spec that somebody saw; what an engine wrote into status meanwhile does not matter. */
function isAt({ metadata }: KubeObject, seen: Pick<KubeObject['metadata'], 'uid' | 'generation'>): boolean {
  return metadata.uid === seen.uid && metadata.generation === seen.generation;
}

/** The application with what ran in a revision in it. */
async function rolledBack(deps: CommandDeps, session: Session, application: KubeObject, revision: string): Promise<KubeObject> {
  const { namespace = '', name = '' } = application.metadata;
  const wanted = await readSnapshot(deps, session, application, revision);
  const spec = readFields(application, 'spec');
  if (deepEqual(spec.components, wanted.components)) {
    throw new AppError('rejected', `Application ${name} in ${namespace} is at what ${revision} was already; there is nothing to go back to`);
  }
  const next = { ...application, spec: { ...spec, components: wanted.components } };
  parseApplication(next);
  return next;
}

interface Back {
  readonly held: KubeObject;
  readonly next: KubeObject;
  readonly request: DecisionRequest;
}

/** Writes it, with the plan that was seen of it. Only a change of the spec is somebody else's: engines write status all the time. */
async function writeBack(deps: CommandDeps, session: Session, place: Place, { held, next, request: { revision, reason, plan } }: Back): Promise<void> {
  const message = `goes back to ${revision}: ${reason ?? ''}`;
  let object = next;
  for (let tries = 1; ; tries++) {
    try {
      await writeOnRecord(deps, session, { verb: 'update', object, action: 'application.rollback', message, plan });
      return;
    } catch (error) {
      if (!isConflict(error) || tries === MOST_TRIES) throw error;
      const now = await readAs(deps, session, applicationAt(place));
      if (!isAt(now, held.metadata)) throw await refuseForTheirs(deps, session, now, plan);
      object = { ...now, spec: next.spec };
    }
  }
}

/** The revision may be called by the name of its workload or of the application's; both carry the same number. */
async function readSnapshot(deps: CommandDeps, session: Session, application: KubeObject, revision: string) {
  const { namespace = '', name = '' } = application.metadata;
  const number = revisionNumberOf(revision);
  if (number === undefined) throw new AppError('invalid', `rollback wants a revision such as ${revisionNameOf(name, 1)}, found "${revision}"`);
  const object = await readAs(deps, session, { ...KINDS.applicationRevision, namespace, name: revisionNameOf(name, number) });
  const stored = readRevision(object);
  if (stored === undefined || !isRevisionOf(object, application)) throw new AppError('invalid', `${revision} is no revision of ${name}`);
  return readFields(snapshotOf(stored, application).object, 'spec');
}
