import { AppError } from '@/lib/contract/app-error';
import type { DecisionRequest } from '@/lib/contract/requests';
import { readFields } from '@/lib/kube/fields';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { isRevisionOf, parseApplication, readRevision, snapshotOf } from '@/server/application';
import type { Session } from '@/server/auth';
import { revisionNameOf, revisionNumberOf } from '@/server/dispatch';
import { rolloutDigest } from '@/server/rollout';
import type { CommandDeps } from './command-deps';
import { applicationAt, FIELD_MANAGER, readAs } from './command-deps';
import { permitContents } from './permit-contents';
import { writeOnRecord } from './write-on-record';

/** A rollback that has been tried without effect. */
interface PreparedRollback {
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
  const application = await readAs(deps, session, applicationAt(place));
  const wanted = await readSnapshot(deps, session, application, request.revision ?? '');
  const spec = readFields(application, 'spec');
  if (deepEqual(spec.components, wanted.components)) {
    throw new AppError('rejected', `Application ${place.name} in ${ns} is at what ${request.revision} was already; there is nothing to go back to`);
  }
  const next = { ...application, spec: { ...spec, components: wanted.components } };
  parseApplication(next);
  await permitContents(deps, session, next);
  await deps.cluster.as(session.person).update(next, { fieldManager: FIELD_MANAGER, dryRun: true });
  const message = `goes back to ${request.revision}: ${request.reason ?? ''}`;
  return {
    async write() {
      await writeOnRecord(deps, session, { verb: 'update', object: next, action: 'application.rollback', message });
    },
  };
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
