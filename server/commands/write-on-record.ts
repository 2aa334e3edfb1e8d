import { messageOf } from '@/lib/contract/app-error';
import { REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toNote } from '@/lib/kube/person-note';
import { withSeenPlan } from '@/server/application';
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
  /** Digest of the plan that they saw: it travels with the application, and exactly that is done. */
  readonly plan?: string | undefined;
  /** True where the spec stays, and with it whoever asked for it. */
  readonly keepsRequester?: boolean;
}

/**
 * Writes an application as the person and puts it on record.
 *
 * 1. It is tried without effect first, so that what the cluster refuses leaves no trace.
 * 2. It is on record before it happens: no crash in between can hide a change. One that fails after all gets a second entry.
 */
export async function writeOnRecord(deps: CommandDeps, session: Session, write: Write): Promise<KubeObject> {
  const { plan } = write;
  const noted = write.keepsRequester ? write.object : requestedBy(write.object, session);
  const act = deps.ids.uuid();
  // It is bound to the spec as the cluster keeps it, which the trial tells.
  const bound = (spec: unknown) => (plan === undefined ? noted : withPlanFor(noted, spec, { plan, act, session }));
  const cluster = deps.cluster.as(session.person);
  const send = (object: KubeObject, dryRun: boolean) => cluster[write.verb](object, { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', dryRun });
  const tried = await send(bound(noted.spec), true);
  const object = bound(tried.spec);
  await deps.record(toEntry(deps, session, write, write.message));
  try {
    return await send(object, false);
  } catch (error) {
    await deps.record(toEntry(deps, session, { ...write, action: `${write.action}.failed` }, `was not done after all: ${messageOf(error)}`));
    throw error;
  }
}

interface PlanNote {
  readonly plan: string;
  readonly act: string;
  readonly session: Session;
}

function withPlanFor(object: KubeObject, spec: unknown, { plan, act, session }: PlanNote): KubeObject {
  return { ...withSeenPlan({ ...object, spec }, { digest: plan, act }, session), spec: object.spec };
}

/** Notes who asked, as admission wants it: a policy may want somebody else to approve, and the engine writes what they may write. */
function requestedBy(object: KubeObject, session: Session): KubeObject {
  const annotations = { ...object.metadata.annotations, ...toNote(REQUESTED_BY, session) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function toEntry({ ids, clock }: CommandDeps, { user }: Session, { object, action, plan }: Write, message: string) {
  const { name = '', namespace, uid } = object.metadata;
  return {
    id: ids.uuid(),
    at: clock.now(),
    actor: user,
    action,
    about: { apiVersion: object.apiVersion, kind: object.kind, ...(namespace ? { namespace } : {}), name },
    message,
    ...(uid === undefined && plan === undefined ? {} : { data: { ...(uid === undefined ? {} : { uid }), ...(plan === undefined ? {} : { plan }) } }),
  };
}
