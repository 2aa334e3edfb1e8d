import { AppError } from '@/lib/contract/app-error';
import type { ObjectVerb } from '@/lib/contract/object-acts';
import { readFields, readNumber } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress } from '@/lib/kube/object';
import { toIso } from '@/lib/std/instant';
import { formatCount } from '@/lib/words/figures';
import { actWithAudit } from '@/server/application';
import type { Session } from '@/server/auth';
import type { PatchBody } from '@/server/kube';
import { isConflict, isInvalid, isNotFound } from '@/server/kube';
import type { CommandDeps } from '../../command-deps';
import { FIELD_MANAGER } from '../../command-deps';
import { writable } from '../../object-diff';
import { deleteUnchanged } from './delete-unchanged';

/** The mark by which kubectl restarts a workload as well. */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/** What is written to one object. */
export interface ObjectWrite {
  readonly verb: ObjectVerb;
  readonly object: KubeObject;
  readonly replicas: number | undefined;
  readonly reason: string | undefined;
  readonly consequences: readonly string[];
}

/** Does an act to one object as the person, on record before it happens; it is done to the very object and state that was read, or not at all. */
export async function writeAct(deps: CommandDeps, session: Session, write: ObjectWrite): Promise<void> {
  const { verb, object, reason, consequences } = write;
  const at = toAddress(object);
  const message = `${MESSAGES[verb](write)}${reason ? `: ${reason}` : ''}`;
  const data = { uid: object.metadata.uid ?? '', consequences: [...consequences] };
  const entry = {
    id: deps.ids.uuid(),
    at: deps.clock.now(),
    actor: session.person.user,
    action: `object.${verb}`,
    about: at,
    message,
    data,
  };
  const cluster = deps.cluster.as(session.person);
  const changed = `${describeObject(at)} changed in the meantime, or the cluster refuses this; preview it again`;
  const patch = verb === 'delete' ? undefined : toPatch(write, toIso(deps.clock.now()));
  await actWithAudit<void>(deps.record, entry, {
    send: async (dryRun) => {
      try {
        if (patch === undefined && dryRun)
          await cluster.delete(at, { preconditions: { uid: object.metadata.uid ?? '' }, propagationPolicy: 'Background', dryRun });
        else if (patch === undefined) await deleteUnchanged(cluster, object, { by: readOf, message: changed });
        else await cluster.patch(at, patch, { fieldManager: FIELD_MANAGER, dryRun });
      } catch (error) {
        // Each test of the patch, and the version of the deletion, is of what was read a moment ago.
        const isOther = isConflict(error) || isNotFound(error) || (patch !== undefined && isInvalid(error));
        if (isOther) throw new AppError('conflict', changed, { cause: error });
        throw error;
      }
    },
  });
}

/** What a deletion was agreed to by: all but what a controller reports, so that whoever adopted the object since, or has it stay, is heard. */
function readOf(object: KubeObject) {
  const { ownerReferences, finalizers, deletionTimestamp, uid } = object.metadata;
  return { ...writable(object), uid, ownerReferences, finalizers, deletionTimestamp };
}

const MESSAGES: Readonly<Record<ObjectVerb, (write: ObjectWrite) => string>> = {
  restart: ({ object }) => `restarts ${describeObject(toAddress(object))}`,
  scale: ({ object, replicas = 0 }) =>
    `scales ${describeObject(toAddress(object))} from ${readNumber(object.spec, 'replicas') ?? 1} to ${formatCount(replicas, 'replica')}`,
  delete: ({ object }) => `deletes ${describeObject(toAddress(object))}`,
};

function toPatch({ verb, object, replicas = 0 }: ObjectWrite, now: string): PatchBody {
  const same = [
    { op: 'test', path: '/metadata/uid', value: object.metadata.uid },
    { op: 'test', path: '/metadata/generation', value: object.metadata.generation },
  ];
  if (verb === 'scale') return { type: 'json', body: [...same, { op: 'add', path: '/spec/replicas', value: replicas }] };
  const annotations = { ...readFields(object.spec, 'template', 'metadata', 'annotations'), [RESTARTED_AT]: now };
  return { type: 'json', body: [...same, { op: 'add', path: '/spec/template/metadata/annotations', value: annotations }] };
}
