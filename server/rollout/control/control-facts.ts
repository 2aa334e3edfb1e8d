import type { Revisions } from '../model';
import type { Attempt, ControlState, StateOf, Vote } from './state';

/** The present attempt; undefined before the first target. */
export function attemptOf(control: ControlState): Attempt | undefined {
  return control.state === 'idle' ? undefined : control.attempt;
}

/** Where the present attempt can go back to. */
export function stableOf(control: ControlState): Revisions {
  return attemptOf(control)?.stable ?? [];
}

/** Stages of the present way that are through: forward, or back after an abort. */
export function completedOf(control: ControlState): number {
  switch (control.state) {
    case 'stage':
      return control.stage - 1;
    case 'boundary':
    case 'returning':
    case 'done':
      return control.stage;
    case 'idle':
    case 'aborted':
      return 0;
  }
}

/** Percent of the target that the last completed stage reached, and the one before it. */
export function reachedOf(control: ControlState): { readonly before: number; readonly percent: number } {
  if (control.state === 'stage') return { before: control.before, percent: control.before };
  return control.state === 'boundary' ? control : { before: 0, percent: 0 };
}

/** The abort that the rollout is on its way back from, or that it has come back from. */
export function abortOf(control: ControlState): StateOf<'returning'> | StateOf<'aborted'> | undefined {
  return control.state === 'returning' || control.state === 'aborted' ? control : undefined;
}

/** True while a person pauses it; the policy may pause it as well. */
export function isPausedByPerson(control: ControlState): boolean {
  return (control.state === 'stage' || control.state === 'boundary') && control.paused;
}

/** Why the engine pauses it, where it was not a person who did. */
export function pausedBecauseOf(control: ControlState): string | undefined {
  return (control.state === 'stage' || control.state === 'boundary') && control.paused ? control.pausedBecause : undefined;
}

/** When a pause of any kind began. */
export function pausedAtOf(control: ControlState): string | undefined {
  return control.state === 'stage' || control.state === 'boundary' ? control.pausedAt : undefined;
}

/** True once somebody sent it to the end at once. */
export function isPromoted(control: ControlState): boolean {
  return attemptOf(control)?.full === true && abortOf(control) === undefined;
}

/** Who approved the boundary that it is at. */
export function approvalsOf(control: ControlState): readonly { readonly actor: string; readonly at: string }[] {
  return control.state === 'boundary' ? control.approvals : [];
}

/** Who wants to go past the gates of this stage without approving them. */
export function votesOf(control: ControlState): readonly Vote[] {
  if (control.state !== 'stage' && control.state !== 'boundary') return [];
  return control.votes.filter(({ stage }) => stage === completedOf(control));
}
