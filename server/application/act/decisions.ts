import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toKubeTime } from '@/lib/std/instant';
import { ignoreError, isConflictOrGone } from '@/server/kube';
import { toDecisionEntry } from '@/server/rollout';
import type { Evaluated } from '../decide/collection';
import type { ObservedDecision } from '../observe/observe';
import { readDecision } from '../observe/observe';
import type { ActContext } from './context';
import { WRITER } from './context';

/** Writes what became of each judged decision, and puts every answered one on record, once per uid. */
export async function answerDecisions(
  context: ActContext,
  evaluated: readonly Evaluated[],
  decisions: readonly ObservedDecision[],
): Promise<void> {
  for (const { decision, phase, message } of evaluated) await answer(context, decision, phase, message);
  for (const decision of decisions) {
    if (decision.phase !== 'Pending' && decision.spec.applicationRef !== undefined) await recordAnswer(context, decision.object);
  }
}

/** Writes what became of a decision. One about a rollout is put on record by its engine, as all of those are. */
export async function answer(context: ActContext, { object }: ObservedDecision, phase: string, message: string): Promise<void> {
  const { cluster, clock } = context.deps;
  const status = { phase, message, at: toKubeTime(clock.now()) };
  // Where somebody answered first, the next pass sees it.
  const answered = await ignoreError(
    isConflictOrGone,
    cluster.update({ ...object, status }, { ...WRITER, subresource: 'status', signal: context.signal }),
  );
  if (answered && readString(answered, 'spec', 'applicationRef', 'name') !== undefined) await recordAnswer(context, answered);
}

async function recordAnswer({ deps, recorded }: ActContext, object: KubeObject): Promise<void> {
  const { uid = '' } = object.metadata;
  if (recorded.has(uid) || readDecision(object).length === 0) return;
  await deps.record(toDecisionEntry(object, deps.clock.now()));
  recorded.add(uid);
}
