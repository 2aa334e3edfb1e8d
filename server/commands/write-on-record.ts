import { messageOf } from '@/lib/contract/app-error';
import { REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toNote } from '@/lib/kube/person-note';
import type { Session } from '@/server/auth';
import type { CommandDeps } from './command-deps';
import { FIELD_MANAGER } from './command-deps';

export interface Write {
  readonly verb: 'create' | 'update';
  readonly object: KubeObject;
  /** In the words of the field: `application.change`. */
  readonly action: string;
  /** What the person does, for the record. */
  readonly message: string;
}

/**
 * Writes an application as the person and puts it on record.
 *
 * 1. It is tried without effect first, so that what the cluster refuses leaves no trace.
 * 2. It is on record before it happens: no crash in between can hide a change. One that fails after all gets a second entry.
 */
export async function writeOnRecord(deps: CommandDeps, session: Session, write: Write): Promise<KubeObject> {
  const object = requestedBy(write.object, session);
  const cluster = deps.cluster.as(session.person);
  const send = (dryRun: boolean) => cluster[write.verb](object, { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', dryRun });
  await send(true);
  await deps.record(toEntry(deps, session, write, write.message));
  try {
    return await send(false);
  } catch (error) {
    await deps.record(toEntry(deps, session, { ...write, action: `${write.action}.failed` }, `was not done after all: ${messageOf(error)}`));
    throw error;
  }
}

/** Notes who asked, as admission wants it: a policy may want somebody else to approve, and the engine writes what they may write. */
function requestedBy(object: KubeObject, session: Session): KubeObject {
  const annotations = { ...object.metadata.annotations, ...toNote(REQUESTED_BY, session) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function toEntry({ ids, clock }: CommandDeps, { user }: Session, { object, action }: Write, message: string) {
  const { name = '', namespace, uid } = object.metadata;
  return {
    id: ids.uuid(),
    at: clock.now(),
    actor: user,
    action,
    about: { apiVersion: object.apiVersion, kind: object.kind, ...(namespace ? { namespace } : {}), name },
    message,
    ...(uid === undefined ? {} : { data: { uid } }),
  };
}
