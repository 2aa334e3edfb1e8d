import { createHash } from 'node:crypto';
import { AppError, isAppError, messageOf } from '@/lib/contract/app-error';
import type { ActRow, ActTarget, ObjectActDone, ObjectActPlan, ObjectActRequest } from '@/lib/contract/object-acts';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import type { Session } from '@/server/auth';
import type { CommandDeps } from '../../command-deps';
import { readAs } from '../../command-deps';
import { consequencesOf } from './consequences';
import { notAllowedReason } from './rules';
import { writeAct } from './write-act';

/** One object of an act: what it does to it, or why it is not done. */
interface Evaluated {
  readonly row: ActRow;
  /** As it was read; absent where it is refused. */
  readonly object?: KubeObject;
}

/**
 * Restarts, scales or deletes objects as the person.
 *
 * 1. Each is read as the person and judged by itself. With `dryRun` that is all: what is refused stands first, each with its sentence.
 * 2. What was shown is named by its digest. Where anything of it is otherwise now, nothing is done.
 * 3. Then what is allowed is done, one after the other, each on record before it happens. What fails after all is told, and keeps the others from nothing.
 */
export async function actOnObjects(deps: CommandDeps, session: Session, request: ObjectActRequest): Promise<ObjectActPlan | ObjectActDone> {
  const evaluated: Evaluated[] = [];
  for (const target of request.targets) evaluated.push(await evaluate(deps, session, target, request));
  const plan = toPlan(request, evaluated);
  if (request.dryRun) return plan;
  const [first] = plan.rows;
  if (plan.allowed === 0) throw new AppError('forbidden', first?.refused ?? 'there is nothing to do');
  if (plan.plan !== request.plan) throw new AppError('conflict', 'what this does has changed since you saw it; preview it again');
  await deps.requireRecord();
  const failed: ObjectActDone['failed'] = [];
  for (const { row, object } of evaluated) {
    if (object === undefined) continue;
    const { verb, replicas, reason } = request;
    const { uid: _uid, refused: _refused, consequences, ...named } = row;
    await writeAct(deps, session, { verb, object, replicas, reason, consequences }).catch((error: unknown) => {
      failed.push({ ...named, sentence: messageOf(error) });
    });
  }
  return { done: plan.allowed - failed.length, failed };
}

async function evaluate(deps: CommandDeps, session: Session, target: ActTarget, request: ObjectActRequest): Promise<Evaluated> {
  const { apiVersion, kind, ns, name, uid } = target;
  const at: ObjectAddress = { apiVersion, kind, name, ...(ns === undefined ? {} : { namespace: ns }) };
  const row = { id: toObjectId(at), apiVersion, kind, ns: ns ?? null, name, uid, refused: null, consequences: [] };
  try {
    await deps.auth.authorise(session, { kind: 'view-object', type: { apiVersion, kind }, ns, name });
    const object = await readAs(deps, session, at);
    const refused =
      object.metadata.uid === uid
        ? await refusedReason(deps, session, object, request)
        : 'It was deleted and created again under this name; preview it again.';
    if (refused !== null) return { row: { ...row, refused } };
    return { row: { ...row, consequences: [...(await consequencesOf(deps, session, object, request))] }, object };
  } catch (error) {
    if (isAppError(error) && (error.code === 'forbidden' || error.code === 'not-found')) return { row: { ...row, refused: error.message } };
    throw error;
  }
}

/** What is foretold rests on the server's copies, so it wants them fresh. */
async function refusedReason(deps: CommandDeps, session: Session, object: KubeObject, { verb }: ObjectActRequest): Promise<string | null> {
  const places = deps.objectReader.applicationsOf(object);
  const stale = places.map((place) => deps.freshness(place).stale).find((one) => one !== null) ?? null;
  if (stale !== null) return `It is unknown what else is affected, since the data is from ${stale.since}: ${stale.reason}`;
  return notAllowedReason(deps, session, verb, object);
}

function toPlan({ verb, replicas }: ObjectActRequest, evaluated: readonly Evaluated[]): ObjectActPlan {
  const rows = evaluated.map(({ row }) => row).sort((a, b) => Number(a.refused === null) - Number(b.refused === null));
  // What a person agreed to: which objects, in which state, with which consequences. What is refused is not done, whatever the reason.
  const shown = evaluated.map(({ row: { id, uid, consequences, refused }, object }) => ({
    id,
    uid,
    consequences,
    isRefused: refused !== null,
    at: object?.metadata.generation ?? null,
  }));
  const plan = `sha256:${createHash('sha256')
    .update(toStableJson({ verb, replicas: replicas ?? null, shown }))
    .digest('hex')}`;
  return { plan, verb, rows, allowed: evaluated.filter(({ object }) => object !== undefined).length };
}
