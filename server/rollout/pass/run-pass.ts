import { toInstant } from '@/lib/std/instant';
import { stableOf } from '../control/control-facts';
import type { RolloutView } from '../control/view';
import { activeTargets, isGone, keptUntil, stagePositionOf } from '../control/view';
import type { StageAutoscaler } from '../model';
import type { RunResult } from '../stage/runner';
import { runStage } from '../stage/runner';
import { figuresOfGone } from '../stage/spa-status';
import { StageTransaction } from '../stage/transaction';
import type { Pass } from './pass';
import { isHalted } from './pass';

/** The runner's turn. A rollout that was put back keeps its bounds asserted and its failure on show. */
export function runPass(view: RolloutView, pass: Pass): RunResult {
  const { ro, control, workloads } = view;
  const autoscalers = view.autoscalers.map((autoscaler) => (isGone(view, autoscaler.name) ? emptied(autoscaler, view) : autoscaler));
  const spec = activeTargets(view);
  const named = [
    ...(spec.stageTargetRevisions ?? []),
    ...(spec.initialRevisions ?? []),
    ...(spec.targetRevisions ?? []),
    ...stableOf(control),
  ];
  const revisions = new Set([...workloads.keys(), ...named.map(({ revisionName }) => revisionName)]);
  const until = keptUntil(view);
  const keeps = until !== undefined && pass.now < until;
  if (keeps && control.state === 'returning') pass.wakeAt.push(until);
  // A pod without any grace left was told to go at once already; what holds it now is not ours.
  const pods = view.pods
    .filter(({ gracePeriodSeconds }) => gracePeriodSeconds !== 0)
    .map(({ name, revision, deletionAt, gracePeriodSeconds }) => ({
      name,
      revision,
      deletionInMs: deletionAt === undefined ? undefined : deletionAt - pass.now,
      gracePeriodSeconds,
    }));
  const result = runStage({ ...ro.rollout, spec }, new StageTransaction({ autoscalers, pods }), {
    now: pass.now,
    // What cannot be seen is not known to be gone.
    revisions: view.staleKind === undefined ? revisions : undefined,
    relaunch: false,
    overlap: ro.terms.overlap,
    limit: keeps || isHalted(view) ? 'first' : 'all',
  });
  for (const seconds of result.requeueAfterSeconds) pass.wakeAt.push(toInstant(pass.now + seconds * 1000));
  return stagePositionOf(view) === 'aborted'
    ? { ...result, status: { ...ro.rollout.status, observedGeneration: ro.rollout.generation } }
    : result;
}

/** Nobody reports on a workload that is not there. */
function emptied(autoscaler: StageAutoscaler, { pods }: RolloutView): StageAutoscaler {
  return { ...autoscaler, livePods: 0, figures: figuresOfGone(pods.filter(({ revision }) => revision === autoscaler.name)) };
}
