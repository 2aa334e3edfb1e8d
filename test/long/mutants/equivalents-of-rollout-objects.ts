import type { Equivalent } from './equivalents';

/** Those of what a rollout is read from, remembers and writes. */
export const OF_ROLLOUT_OBJECTS: readonly Equivalent[] = [
  {
    file: 'server/rollout/control/apply-event.ts',
    line: 'return control === view.control ? view : { ...view, control };',
    from: 'control === view.control',
    to: 'false',
    why: 'a view of the same state is the same view',
  },
  {
    file: 'server/rollout/control/attempts.ts',
    line: "to: target[0]?.revisionName ?? '',",
    from: 'target[0]?.revisionName',
    to: 'target[0].revisionName',
    why: 'an attempt has a target',
  },
  {
    file: 'server/rollout/control/evaluation.ts',
    line: "const stalled = position === 'running' && hold === undefined && evaluateProgress(view, ro.policy, now)?.stalled === true;",
    from: "position === 'running'",
    to: 'true',
    why: 'what is in a stage runs until the pass that ends it',
  },
  {
    file: 'server/rollout/control/health.ts',
    line: 'const due = last === undefined ? now : toInstant(last + intervalSeconds * 1000);',
    from: 'last === undefined',
    to: 'false',
    why: 'no moment is before one that is none',
  },
  {
    file: 'server/rollout/control/health.ts',
    line: 'const since = moved ? now : (parseInstant(control.progress?.at) ?? now);',
    from: 'control.progress?.at',
    to: 'control.progress.at',
    why: 'what has not moved on was noted before',
  },
  {
    file: 'server/rollout/control/health.ts',
    line: 'const { up, down } = splitRevisions(activeTargets(view).stageTargetRevisions ?? []);',
    from: '[]',
    to: '["Stryker was here"]',
    why: 'a stage that is under way has revisions',
  },
  {
    file: 'server/rollout/control/reduce.ts',
    line: "return targetChanged(state, { type: 'targetChanged', at, attempt, past, isMidway: false });",
    from: 'false',
    to: 'true',
    why: 'what was aborted is neither in a stage nor at a boundary',
  },
  {
    file: 'server/rollout/control/reduce.ts',
    line: "const { paused = false, pausedBecause = undefined, pausedAt = undefined, votes = [] } = state.state === 'done' ? {} : state;",
    from: "state.state === 'done'",
    to: 'false',
    why: 'what is done has neither pause nor votes',
  },
  {
    file: 'server/rollout/control/reduce.ts',
    line: "return state.state === 'stage' && state.progress !== undefined",
    from: "state.state === 'stage'",
    to: 'true',
    why: 'a boundary was told of two lines before',
  },
  {
    file: 'server/rollout/control/view.ts',
    line: 'const { stageTargetRevisions: stage = [], targetRevisions: target = [] } = activeTargets(view);',
    from: '[]',
    to: '["Stryker was here"]',
    why: 'a text is no revision',
  },
  {
    file: 'server/rollout/control/view.ts',
    line: 'status.observedGeneration === generation && (held === undefined || sameTargets(held.target, spec.targetRevisions ?? []));',
    from: 'held === undefined || sameTargets(held.target, spec.targetRevisions ?? [])',
    to: 'true',
    why: 'the last stage of another target is another one',
  },
  {
    file: 'server/rollout/control/view.ts',
    line: 'status.observedGeneration === generation && (held === undefined || sameTargets(held.target, spec.targetRevisions ?? []));',
    from: '[]',
    to: '["Stryker was here"]',
    why: 'a text is no revision',
  },
];
