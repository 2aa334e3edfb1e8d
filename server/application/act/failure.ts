import { messageOf } from '@/lib/contract/app-error';
import { getCondition } from '@/lib/kube/condition';
import type { KubeObject } from '@/lib/kube/object';
import { sayFailure } from '@/lib/words/failures';
import { isPassing } from '@/server/framework';
import type { Step } from '../decide/conditions';
import { failedBefore, isFalse, isTrue } from '../decide/conditions';
import type { RunPlan } from '../decide/decide';
import type { ActContext } from './context';
import { appliedCondition, rolledOutCondition, writeEnd, writeStatus } from './status';

/** Reasons of the conditions of a step that failed. */
const REASONS: Readonly<Record<Step, string>> = {
  Parsed: 'Invalid',
  Applied: 'DispatchFailed',
  RolledOut: 'RolloutFailed',
  Collected: 'CollectionFailed',
};

/** A failure that the application's conditions tell of already. */
class ToldFailure extends Error {}

interface FailedStep {
  readonly plan: RunPlan;
  readonly object: KubeObject;
  readonly step: Step;
}

/** Says at which step a pass failed, and answers what to throw. */
export async function tellFailedStep(context: ActContext, { plan, object, step }: FailedStep, error: unknown): Promise<Error> {
  const message = sayFailure(messageOf(error), getCondition(object, step)?.message);
  const applied = step === 'Applied' ? {} : { Applied: appliedCondition(plan) };
  const reached = step === 'Collected' ? { RolledOut: rolledOutCondition(plan) } : {};
  await writeEnd(context, object, {
    phase: 'unhealthy',
    step,
    value: isFalse(REASONS[step], message),
    before: { Parsed: isTrue('Parsed'), ...applied, ...reached },
  });
  return new ToldFailure(message, { cause: error });
}

/**
 * Says on the application that a pass over it failed, whatever threw, until one succeeds; answers what to throw. What passes by itself is not told,
 * such as a write that came second, nor what cannot be written.
 */
export async function tellFailedPass(context: ActContext, object: KubeObject | undefined, error: unknown): Promise<unknown> {
  if (error instanceof ToldFailure) return error.cause;
  if (object === undefined || context.signal.aborted || isPassing(error)) return error;
  const phase = object.metadata.deletionTimestamp === undefined ? 'unhealthy' : 'deleting';
  const message = sayFailure(messageOf(error), getCondition(object, 'Reconciled')?.message);
  const values = failedBefore(object, { reason: 'ReconcileFailed', message });
  await writeStatus(context, object, { phase, values, services: [] }).catch((unwritten: unknown) =>
    context.deps.log.debug(
      { application: object.metadata.name, error: sayFailure(messageOf(unwritten)) },
      'a failed pass could not be told on its application',
    ),
  );
  return error;
}
