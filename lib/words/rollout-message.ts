/** Which stage a sentence is about: its number, or the way back of an abort. */
export type StageName = number | 'abort';

/** How exact a replica count is: where an autoscaler counts, only the bound that a stage moves is known. */
export type Exactness = 'exactly' | 'atLeast' | 'atMost';

/** A revision that a rollout may not scale, and whose it is: another rollout's, an application's, or one that who wrote the rollout may not patch. */
interface TakenMessage {
  readonly revision: string;
  readonly by: string | null;
  readonly why?: 'application' | 'rights';
}

/** What a target of several revisions gives one of them. */
interface TargetShare {
  readonly revision: string;
  readonly percent: number;
}

/** What a rollout waits for, or why it does not. */
export type WaitMessage =
  | { readonly id: 'wait.unreadable'; readonly field: string; readonly problem: string }
  | { readonly id: 'wait.annotated'; readonly annotation: string }
  | { readonly id: 'wait.failed'; readonly failure: string }
  | { readonly id: 'wait.failed-part'; readonly kind: string; readonly name: string; readonly since: string; readonly failure: string }
  | { readonly id: 'wait.application-goes'; readonly application: string }
  | ({ readonly id: 'wait.taken' } & TakenMessage)
  | { readonly id: 'wait.workload-failed'; readonly revision: string; readonly why: string }
  | { readonly id: 'wait.no-target' }
  | { readonly id: 'wait.complete'; readonly revision: string; readonly shares?: readonly TargetShare[] }
  | { readonly id: 'wait.aborted'; readonly revision: string; readonly reason: string; readonly stable: readonly string[] }
  | {
      readonly id: 'wait.gate';
      readonly stage: number;
      readonly required: number;
      readonly given: readonly string[];
      readonly groups: readonly string[];
      readonly opensAt: string | null;
    }
  | { readonly id: 'wait.soak'; readonly stage: number; readonly ms: number; readonly until: string }
  | { readonly id: 'wait.paused'; readonly by: 'person' | 'policy' }
  | { readonly id: 'wait.held'; readonly because: string }
  | { readonly id: 'wait.health-unknown'; readonly errors: number; readonly allowed: number }
  | { readonly id: 'wait.blind'; readonly of: string; readonly since: string; readonly reason: string; readonly forbidden: boolean }
  | { readonly id: 'wait.ungranted'; readonly why: string }
  | { readonly id: 'wait.looser-policy'; readonly fields: readonly string[]; readonly required: number; readonly given: readonly string[] }
  | { readonly id: 'wait.planning' }
  | { readonly id: 'wait.fault'; readonly sentence: string }
  | { readonly id: 'wait.stage-reached'; readonly stage: StageName }
  | {
      readonly id: 'wait.grow';
      readonly stage: StageName;
      readonly revision: string;
      readonly least: number;
      readonly most: number | null;
      readonly has: number;
    }
  | { readonly id: 'wait.shrink'; readonly stage: StageName; readonly revision: string; readonly most: number; readonly has: number }
  | { readonly id: 'wait.terminating'; readonly stage: StageName; readonly revision: string; readonly pods: number | null }
  | { readonly id: 'wait.workload-missing'; readonly revision: string }
  | { readonly id: 'wait.target-lost'; readonly revision: string }
  | { readonly id: 'wait.workload-unobserved'; readonly revision: string }
  | { readonly id: 'wait.autoscaler-missing'; readonly revision: string }
  | { readonly id: 'wait.kept'; readonly revision: string; readonly until: string }
  | { readonly id: 'wait.floor'; readonly revision: string; readonly keeps: number; readonly wished: number; readonly floor: number }
  | { readonly id: 'wait.stalled'; readonly stage: StageName; readonly seconds: number; readonly because: WaitMessage | null };

/** Where a rollout is, without any figure that moves with a pod: what status and Events keep. */
export type StateMessage =
  | { readonly id: 'state.stage'; readonly stage: number; readonly revision: string; readonly percent: number }
  | { readonly id: 'state.returning'; readonly rejected: string; readonly stable: readonly string[]; readonly reason: string };

/** Why a verb is not possible now, whoever asks. */
export type RefusalMessage =
  | { readonly id: 'refused.unreadable'; readonly field: string; readonly problem: string }
  | { readonly id: 'refused.annotated'; readonly annotation: string }
  | ({ readonly id: 'refused.taken' } & TakenMessage)
  | { readonly id: 'refused.idle'; readonly rollout: string }
  | { readonly id: 'refused.aborting' }
  | { readonly id: 'refused.aborted' }
  | { readonly id: 'refused.under-way'; readonly stage: number; readonly verb: 'approve' | 'advance' }
  | { readonly id: 'refused.no-gate'; readonly because: WaitMessage | null }
  | { readonly id: 'refused.paused-by-policy' }
  | { readonly id: 'refused.paused-already' }
  | { readonly id: 'refused.not-paused' }
  | { readonly id: 'refused.promoted-already' }
  | { readonly id: 'refused.nothing-aborted' }
  | { readonly id: 'refused.nothing-looser' }
  | { readonly id: 'refused.no-earlier-revision' }
  | { readonly id: 'refused.no-application' }
  | { readonly id: 'refused.application-goes'; readonly application: string };

/** What happens when a verb is decided. */
export type ConsequenceMessage =
  | { readonly id: 'act.one-of-many'; readonly verb: string; readonly given: number; readonly required: number }
  | { readonly id: 'act.loosens'; readonly fields: readonly string[] }
  | { readonly id: 'act.pause-ends' }
  | { readonly id: 'act.stage-begins'; readonly stage: number }
  | { readonly id: 'act.next-stage-unknown' }
  | { readonly id: 'act.gates-hold-again' }
  | {
      readonly id: 'act.revision-changes';
      readonly revision: string;
      readonly from: number;
      readonly to: number;
      readonly exact: Exactness;
      /** Whether those are counted that are ready, where the replicas stay as they are. */
      readonly isReady: boolean;
      readonly percentFrom: number | null;
      readonly percentTo: number | null;
    }
  | { readonly id: 'act.takes-everything'; readonly revision: string; readonly stages: number }
  | { readonly id: 'act.health-judged' }
  | { readonly id: 'act.nothing-advances' }
  | { readonly id: 'act.nothing-undone' }
  | { readonly id: 'act.deadlines-stand' }
  | { readonly id: 'act.goes-on'; readonly gates: boolean }
  | { readonly id: 'act.nowhere-to-go-back'; readonly revision: string }
  | { readonly id: 'act.nothing-moved-yet'; readonly revision: string }
  | { readonly id: 'act.stable-first'; readonly stable: readonly string[]; readonly rejected: string }
  | { readonly id: 'act.shared-objects'; readonly stable: readonly string[] }
  | { readonly id: 'act.rejected-ends'; readonly rejected: string; readonly stable: readonly string[]; readonly delayMs: number }
  | { readonly id: 'act.no-rollout-again'; readonly rejected: string }
  | { readonly id: 'act.set-back' }
  | { readonly id: 'act.new-revision' }
  | { readonly id: 'act.starts-over'; readonly revision: string; readonly stages: number }
  | { readonly id: 'act.waits-before-first' };

/** Which decision of a quorum one is, and of how many. */
interface CountedMessage {
  readonly stage: number;
  readonly nth: number;
  readonly required: number;
}

/** What came of a decision of a person. */
export type DecidedMessage =
  | { readonly id: 'decided.expired'; readonly ms: number }
  | { readonly id: 'decided.another-rollout'; readonly rollout: string; readonly decided: string | null; readonly uid: string }
  | { readonly id: 'decided.no-reason' | 'decided.no-revision'; readonly verb: string }
  | { readonly id: 'decided.another-stage'; readonly decided: number | null; readonly stage: number }
  | { readonly id: 'decided.another-revision'; readonly decided: string; readonly target: string }
  | { readonly id: 'decided.moved'; readonly what: 'policy' | 'rollout' }
  | {
      readonly id: 'decided.twice';
      readonly verb: string;
      readonly user: string;
      readonly stage: number;
      readonly have: number;
      readonly required: number;
    }
  | ({ readonly id: 'decided.counted'; readonly verb: string } & CountedMessage)
  | ({ readonly id: 'decided.approve' } & CountedMessage)
  | { readonly id: 'decided.advance'; readonly stage: number }
  | { readonly id: 'decided.pause' | 'decided.resume' }
  | { readonly id: 'decided.promote-full' | 'decided.abort' | 'decided.rollback' | 'decided.retry'; readonly revision: string }
  | { readonly id: 'decided.loosen'; readonly fields: readonly string[] };

/** Everything that is said of a rollout, as an id and its parameters. `formatRollout` makes the English of it. */
export type RolloutMessage = WaitMessage | StateMessage | RefusalMessage | ConsequenceMessage | DecidedMessage;
