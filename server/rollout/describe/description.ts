import type { Activity } from '@/lib/contract/health';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import type { Exactness, RolloutMessage, WaitMessage } from '@/lib/words/rollout-message';
import type { RequiredPeople } from '../control/decisions';
import type { HistoryEntry, PassedGate, RolloutPhase } from '../control/state';
import type { StagePosition } from '../control/view';
import type { ScaleRange } from '../horizontal-autoscaler';

/** Everything that may be said about a rollout at one moment. The only source for screens, API, CLI, metrics, conditions and Events. */
export interface RolloutDescription {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly phase: RolloutPhase;
  /** What it is doing, finer than the phase. */
  readonly activity: Activity;
  readonly position: StagePosition;
  /** Which field cannot be read, and why; nothing moves then. Null where everything can. */
  readonly unreadable: { readonly field: string; readonly problem: string } | null;
  readonly strategy: string;
  readonly ratio: number;
  /** Names of the revisions that this attempt started from, and of the one it goes to. */
  readonly from: readonly string[];
  readonly to: string;
  /** The present attempt; null before the first target. */
  readonly attempt: AttemptDescription | null;
  /** Earlier attempts that are still kept, newest first. */
  readonly past: readonly AttemptDescription[];
  /** 1-based: the stage under way, or the last that was reached while it is held between stages. 0 before the first. */
  readonly stageIndex: number;
  readonly stageCount: number;
  /** True while the count is what an ideal cluster would need. */
  readonly isCountEstimated: boolean;
  /** True once a person sent it to the end at once. */
  readonly isPromoted: boolean;
  readonly completedStages: number;
  /** Percent planned for the target, of the last stage that was reached. */
  readonly percent: number;
  readonly waitsFor: Wait;
  /** Who may open the gates of its policy, and who approved the boundary it is at. */
  readonly approvals: ApprovalsDescription;
  /** A policy that lets more through than the terms in force; it waits to be decided. */
  readonly loosening: LooseningDescription | null;
  /** Who may still take the policy in force back by applying the former one, and until when; null where nobody may. */
  readonly tighteningUndo: { readonly by: string; readonly until: string } | null;
  readonly acts: Readonly<Record<DecisionVerb, Act>>;
  /** Every revision that takes part, the target last. */
  readonly revisions: readonly RevisionDescription[];
  /** What drives traffic. No router is driven yet: the share of a revision is its share of the ready pods. */
  readonly trafficBy: 'pods';
  /** When the stage under way is overdue; null once it is reached. */
  readonly deadline: string | null;
  /** When it comes to a verdict by itself: a gate that opens, a soak that ends. */
  readonly until: string | null;
  readonly abort: AbortDescription | null;
  /** What the application may do once the target carries everything; null before. */
  readonly completedAt: string | null;
  readonly startedAt: string | null;
  /** The digest of the garbage plan that was seen with the last decision about going on. */
  readonly seenGarbage: string | null;
  readonly history: readonly HistoryEntry[];
  /** What a decision made now must name as seen. */
  readonly digest: string;
}

/** Why an attempt ended, or that it has not. */
export type AttemptOutcome = 'under-way' | 'completed' | 'aborted' | 'superseded';

/** One way from one set of revisions to another, and back where it was aborted. */
export interface AttemptDescription {
  readonly id: string;
  readonly kind: 'rollout' | 'retry' | 'rollback';
  readonly from: readonly string[];
  readonly to: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly outcome: AttemptOutcome;
  /** The gate before the first stage. */
  readonly firstGate: GateState;
  readonly firstGatePassed: GatePassed | null;
  readonly stages: readonly StageDescription[];
}

export type StageOutcome = 'done' | 'current' | 'planned' | 'failed' | 'skipped';
/** Whether people are asked after a stage: not at all, still to be asked or being asked, or answered. */
export type GateState = 'none' | 'closed' | 'open';

/** A gate that is behind. Nobody went past one that opened by itself. */
export type GatePassed = Pick<PassedGate, 'at' | 'by'>;

export interface StageDescription {
  /** 1-based within its way. */
  readonly index: number;
  /** Forward to the target, or back to where it came from after an abort. */
  readonly way: 'forward' | 'back';
  readonly outcome: StageOutcome;
  /** The gate after it. */
  readonly gate: GateState;
  /** Who went past that gate and when; null while nobody did, and where nothing was noted. */
  readonly gatePassed: GatePassed | null;
  /** Percent of the target when it is reached. */
  readonly percent: number;
  readonly revisions: readonly StageRevision[];
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** One revision in a stage: what the planner wants of it, and what was there when the stage ended, or is now. */
export interface StageRevision {
  readonly revision: string;
  readonly direction: 'up' | 'down' | 'stay';
  readonly planned: { readonly percent: number | null; readonly replicas: number | null; readonly exact: Exactness };
  /** The share by ready pods. Null for stages to come, and where nothing was noted. */
  readonly observed: { readonly percent: number | null; readonly replicas: number } | null;
}

/** The reason why a rollout waits: the first thing that is missing, and everything that is looked at, with its evidence. */
export interface Wait {
  readonly message: WaitMessage;
  /** False when nothing is missing: it is done, idle, or about to go on by itself. */
  readonly isWaiting: boolean;
  readonly clauses: readonly WaitClause[];
  /** When it ends by itself; null where it waits for a person or for pods. */
  readonly until: string | null;
  /** Who is awaited. */
  readonly whom: 'person' | 'pods' | 'time' | 'nobody';
}

export interface WaitClause {
  readonly message: WaitMessage;
  readonly met: boolean;
  /** The object and field that say so; null where it is the rollout's own state. */
  readonly evidence: { readonly kind: string; readonly name: string; readonly field: string } | null;
}

export interface LooseningDescription {
  readonly fields: readonly { readonly field: string; readonly inForce: string; readonly requested: string }[];
  /** What a decision about it must name as seen. */
  readonly digest: string;
  readonly votes: readonly { readonly actor: string; readonly at: string }[];
}

export interface ApprovalsDescription {
  readonly required: number;
  readonly groups: readonly string[];
  /** Who asked for the change, where that is known. */
  readonly requester: string | null;
  /** Whether they may approve it themselves. */
  readonly requesterMayApprove: boolean;
  readonly given: readonly { readonly actor: string; readonly at: string }[];
  /** Who decided to go past the gate of this stage in another way, while they are fewer than required. */
  readonly votes: readonly { readonly verb: DecisionVerb; readonly actor: string; readonly at: string }[];
}

/** A verb: possible now with its consequences, or why not. Rights are asked elsewhere. */
export type Act = ActCommon & (AllowedAct | RefusedAct);

interface ActCommon {
  readonly verb: DecisionVerb;
  readonly needsReason: boolean;
  /** The stage and revision that the decision must name. */
  readonly stage: number | null;
  readonly revision: string | null;
}

interface AllowedAct {
  readonly allowed: true;
  readonly why: null;
  /** Whose decision counts. */
  readonly asks: RequiredPeople;
  readonly consequences: Consequences;
}

interface RefusedAct {
  readonly allowed: false;
  readonly why: RolloutMessage;
  readonly consequences: null;
}

/** What a verb does to stages, replicas and traffic, as the planner that will run says it. */
export interface Consequences {
  /** Sentences in the order in which they happen. */
  readonly messages: readonly RolloutMessage[];
  /** Stages from the decision to the end of the way, the stage under way included. */
  readonly stages: readonly StageDescription[];
  /** Replicas now, when the next stage is reached, and at the end. */
  readonly replicas: readonly {
    readonly revision: string;
    readonly now: number;
    readonly next: number;
    readonly end: number;
    readonly exact: Exactness;
  }[];
  /** The most replicas of all revisions together on the way. */
  readonly peak: number;
}

export interface RevisionDescription {
  readonly revision: string;
  readonly role: 'old' | 'new' | 'stay';
  readonly isRejected: boolean;
  readonly ownMin: number | null;
  readonly ownMax: number | null;
  readonly stageMin: number | null;
  readonly stageMax: number | null;
  /** Which bound is in force now. */
  readonly inForce: 'own' | 'stage' | 'parked';
  readonly desired: number | null;
  readonly actual: number | null;
  readonly target: number | null;
  readonly terminating: number | null;
  readonly exists: boolean;
  readonly scaler: ScalerDescription | null;
  /** Percent that the stage in the spec plans; null where it has no part in it. */
  readonly percentPlanned: number | null;
  /** Share of the ready pods of all revisions; null while there is none. */
  readonly percentByPods: number | null;
}

/** What scales a revision by load, within bounds that its rollout gives it. */
export interface ScalerDescription extends ScaleRange {
  readonly name: string;
  /** It follows its metrics, holds its bounds without any, or sleeps while there are no replicas. */
  readonly state: 'scaling' | 'holding' | 'asleep';
  readonly message: string | null;
}

/** An abort: who rejected what and why, and whether the rejected revision still serves. */
export interface AbortDescription {
  readonly rejected: string;
  readonly stable: readonly string[];
  readonly reason: string;
  readonly at: string | null;
  /** True once the stable side carries everything again. */
  readonly isReturned: boolean;
  /** Until when the rejected revision is kept although the stable side is ready; null without a delay. */
  readonly keptUntil: string | null;
}
