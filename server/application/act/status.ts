import { messageOf } from '@/lib/contract/app-error';
import { getCondition } from '@/lib/kube/condition';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress, toObjectKey } from '@/lib/kube/object';
import { formatFailure } from '@/lib/words/failures';
import type { ResourceTracker } from '@/server/dispatch';
import { isTransient } from '@/server/framework';
import { ignoreError, isConflictOrGone } from '@/server/kube';
import { yieldToEventLoop } from '@/server/platform';
import type { CollectionOutcome } from '../decide/collection';
import type { Step } from '../decide/conditions';
import { failedBefore, formatWithheld } from '../decide/conditions';
import type { RunPlan } from '../decide/model';
import type { StatusChange } from '../decide/status';
import { decideStatus, failedAt, nextStatus } from '../decide/status';
import type { Observation } from '../observe/observe';
import { servicesOf } from '../observe/services';
import { inlineValuesMessage } from '../values/inline-values-message';
import type { ActContext } from './context';
import { record, WRITER, warnOnce } from './context';

/** When to look again although nothing changed; undefined for not at all. */
export type RequeueAfter = number | undefined;

interface RunReport {
  readonly seen: Observation;
  readonly plan: RunPlan;
  readonly object: KubeObject;
  readonly tracker: ResourceTracker | undefined;
  readonly outcome: CollectionOutcome;
}

/** Says in an Event which values whoever may read the application reads, and answers that sentence; undefined where none stands in it. */
export async function warnOfInlineValues(
  context: ActContext,
  { object, inline }: { readonly object: KubeObject; readonly inline: Observation['inline'] | undefined },
): Promise<string | undefined> {
  const message = inline && inlineValuesMessage(object, inline);
  if (message !== undefined) await warnOnce(context, object, { reason: 'InlineValues', message });
  return message;
}

/** Writes what a plan that was carried out came to. */
export async function report(
  context: ActContext,
  { seen: { withheld, inline }, plan, object, tracker, outcome }: RunReport,
): Promise<RequeueAfter> {
  const { application } = plan;
  const turn = () => yieldToEventLoop(context.deps.clock);
  await turn();
  // Watched before they are read: what becomes another after that is heard of.
  const key = toObjectKey(application);
  context.watched.set(key, tracker?.entries ?? [], tracker?.entries);
  context.moving.delete(key);
  const fares = servicesOf(application, tracker, { cache: context.objects, status: context.status });
  await turn();
  const open = await warnOfInlineValues(context, { object, inline });
  const { change, reached, againMs } = decideStatus({ plan, object, outcome, fares, withheld: withheld && formatWithheld(withheld), open });
  if (change.isMoving) context.moving.add(key);
  // First the record, then the status that says it is there.
  for (const name of reached) {
    const id = `application.completed:${application.uid}:${name}`;
    await record(context, {
      id,
      action: 'application.completed',
      about: toAddress(object),
      message: name === plan.revision.name ? `${application.name} runs as ${name}` : reachedEarlier(plan, name),
    });
  }
  const later = await writeStatus(context, object, change);
  return later === undefined ? againMs : Math.min(againMs ?? later, later);
}

/** Of a revision that was reached and told only once the next one had begun. */
const reachedEarlier = ({ application, revision }: RunPlan, name: string) =>
  `${application.name} had reached ${name} before ${revision.name}`;

/** Writes the status when it differs. Where only counts do, it may have to wait: then it says how long, and writes nothing. */
export async function writeStatus(
  { deps, statusThrottle, signal }: ActContext,
  object: KubeObject,
  change: StatusChange,
): Promise<RequeueAfter> {
  const now = deps.clock.now();
  const { status, difference } = nextStatus(object, change, now);
  const key = toObjectKey(object.metadata);
  const waitMs = difference === 'counts' ? statusThrottle.waitMs(key, change.services, now) : 0;
  if (waitMs > 0) return waitMs;
  statusThrottle.rest(key);
  if (difference === 'none') return undefined;
  // Where it changed or went meanwhile, the watch tells, and the next pass says what holds then.
  await ignoreError(
    isConflictOrGone,
    deps.cluster.update({ ...withoutSpec(object), status }, { ...WRITER, subresource: 'status', signal }),
  );
  return undefined;
}

/**
 * What is written as a status takes nothing of the spec along, which the API server keeps as it is: one that may not be written back (record 0050), or that is
 * too deep to be written at all, stays at home.
 */
function withoutSpec({ spec: _spec, ...rest }: KubeObject): KubeObject {
  return rest;
}

/** A failure that the application's conditions tell of already. */
class ToldFailure extends Error {}

interface FailedStep {
  readonly plan: RunPlan;
  readonly object: KubeObject;
  readonly step: Step;
}

/** Says at which step a pass failed, and answers what to throw. */
export async function reportFailedStep(context: ActContext, { plan, object, step }: FailedStep, error: unknown): Promise<Error> {
  const change = failedAt(plan, object, { step, message: messageOf(error) });
  await writeStatus(context, object, change);
  return new ToldFailure(change.values[step]?.message, { cause: error });
}

/**
 * Says on the application that a pass over it failed, whatever threw, until one succeeds; answers what to throw. What passes by itself is not told,
 * such as a write that came second, nor what cannot be written.
 */
export async function reportFailedPass(context: ActContext, object: KubeObject | undefined, error: unknown): Promise<unknown> {
  if (error instanceof ToldFailure) return error.cause;
  if (object === undefined || context.signal.aborted || isTransient(error)) return error;
  const phase = object.metadata.deletionTimestamp === undefined ? 'unhealthy' : 'deleting';
  const message = formatFailure(messageOf(error), getCondition(object, 'Reconciled')?.message);
  const values = failedBefore(object, { reason: 'ReconcileFailed', message });
  await writeStatus(context, object, { phase, values, services: [] }).catch((unwritten: unknown) =>
    context.deps.log.debug(
      { application: object.metadata.name, error: formatFailure(messageOf(unwritten)) },
      'could not write the failure of a pass to the status of its application',
    ),
  );
  return error;
}
