import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { Engine, EngineDeps } from '@/server/framework';
import { clusterOfPass, createEngine, requeueAfter, settled } from '@/server/framework';
import { answerDecision } from '../act';
import { createDecisionCleanup } from './clean-up-decisions';

/** How soon it is looked again whether the engine that judges a decision still drives. */
const RECHECK_MS = 10_000;

/**
 * Answers decisions that come by other ways than the console while the engine that judges them does not drive: nobody else would, and one
 * that waited would be carried out long after it was made. And has answered ones go. A StageDecision is ours, whoever drives what it is about.
 */
export function createDecisionsEngine(deps: EngineDeps, idleReason: (engine: 'application' | 'rollout') => string | null): Engine {
  return createEngine(deps, {
    name: 'decisions',
    stores: { decisions: KINDS.stageDecision, rollouts: KINDS.rolloutOrchestrator, applications: KINDS.application },
    controllers: ({ decisions, rollouts, applications }) => [
      createDecisionCleanup(deps, { decisions, rollouts, applications }),
      {
        name: 'idle-decisions',
        workers: 1,
        sources: [{ store: decisions }],
        async reconcile(key, context) {
          const object = decisions.get(key);
          if (object === undefined || (readString(object, 'status', 'phase') ?? 'Pending') !== 'Pending') return settled();
          const why = idleReason(readString(object, 'spec', 'rolloutRef', 'name') === undefined ? 'application' : 'rollout');
          if (why === null) return requeueAfter(RECHECK_MS);
          await answerDecision(object, { phase: 'Rejected', message: why }, deps.clock.now(), clusterOfPass(deps, context), context.signal);
          return settled();
        },
      },
    ],
  });
}
