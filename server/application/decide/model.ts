import type { ResourceTracker } from '@/server/dispatch';
import type { TargetRevision } from '@/server/rollout';
import type { ObservedRollout } from '../observe/observed-rollout';
import type { Revision } from '../revision';
import type { ParsedApplication, Rendered, RolloutPolicy } from '../spec/model';

/** Where an application is, as its status says it in a word. */
export type Phase = 'starting' | 'rendering' | 'running' | 'unhealthy' | 'rollingOut' | 'aborted' | 'held' | 'deleting';

/** What happens to the application's rollout. `leave` keeps hands off: it was put back and waits for a person. */
export type RolloutStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'leave'; readonly why: string; readonly isRejected?: true; readonly policy?: RolloutPolicy }
  | { readonly kind: 'remove'; readonly rollout: ObservedRollout }
  | {
      readonly kind: 'ensure';
      readonly policy: RolloutPolicy;
      readonly target: TargetRevision;
      readonly initial: InitialWorkload | undefined;
    };

/** The workload a rollout starts from. A plain one is adopted: it gets the labels by which rollouts find workloads. */
export interface InitialWorkload {
  readonly entry: TargetRevision;
  readonly adopt: boolean;
}

/** When what older trackers left may be collected. */
export type CollectStep = { readonly kind: 'now' } | { readonly kind: 'wait'; readonly why: string; readonly untilMs?: number };

export interface RunPlan {
  readonly application: ParsedApplication;
  readonly revision: { readonly name: string; readonly number: number; readonly hash: string; readonly stored: Revision | undefined };
  readonly rendered: Rendered;
  /** The last revision that was reached, when it is another one. */
  readonly previous: string | undefined;
  /** The same, while the status has not told of it. */
  readonly unreported: Revision | undefined;
  /** Trackers of the application besides the current one, the previous first. */
  readonly olds: readonly ResourceTracker[];
  /** Trackers whose objects may be taken over: every one of the application, those that are going included. */
  readonly accepted: readonly ResourceTracker[];
  /** False while nothing of the revision may be applied. */
  readonly dispatch: boolean;
  /** Set while the revision is rejected: what it shares with the stable one, as that has it. */
  readonly restore: RestorePlan | undefined;
  /** What revisions keep that the rollout serves beside this one. */
  readonly served: readonly ServedPlan[];
  readonly rollout: RolloutStep;
  readonly collect: CollectStep;
  /** Ids of the objects that somebody asked to be put back, also where a policy leaves them. */
  readonly toRevert: ReadonlySet<string>;
  /** False once the revision is on record as completed, so that a settled pass records nothing. */
  readonly isUnrecorded: boolean;
}

/** What a pass comes to: exactly one of these. */
export type Decision =
  | {
      readonly kind: 'refuse';
      readonly condition: 'Parsed' | 'Applied';
      readonly reason: string;
      readonly sentence: string;
      readonly phase: Phase;
    }
  | { readonly kind: 'finalize'; readonly olds: readonly ResourceTracker[] }
  | { readonly kind: 'run'; readonly plan: RunPlan };

/** The stable revision as far as a rejected one has changed it: objects that both have. */
export interface RestorePlan {
  readonly revision: { readonly name: string; readonly number: number; readonly hash: string; readonly stored: Revision };
  readonly rendered: Rendered;
}

/** What a revision that is served beside the applied one keeps. */
export interface ServedPlan extends RestorePlan {
  /** Its workload, of which the rollout sets the scale. */
  readonly workload: string;
}
