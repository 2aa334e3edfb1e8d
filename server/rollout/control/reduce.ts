import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant, toIso } from '@/lib/std/instant';
import type { RolloutTerms } from '../policy/strictness';
import { votersFor, withGatePassed, withStageEnded, withStageStarted } from './attempts';
import { completedOf, votesOf } from './control-facts';
import type { Attempt, AttemptRecord, ControlState, PlannedRevision, StateName, StateOf, Tightening, Vote } from './state';
import { NO_FAILURES } from './state';

/** Ready pods by revision, as a stage's record keeps them. */
export type Ready = ReadonlyMap<string, number>;
/** The lists that an abort or a retry goes by instead of those of the spec; an attempt keeps them as its `course`. */
type ActiveTargets = NonNullable<Attempt['course']>;

/** Everything that can change what is remembered about a rollout. */
export type ControlEvent =
  | {
      readonly type: 'targetChanged';
      readonly at: Instant;
      readonly attempt: Attempt;
      readonly past: readonly AttemptRecord[];
      readonly isMidway: boolean;
    }
  | { readonly type: 'stageStarted'; readonly at: Instant; readonly stage: readonly PlannedRevision[]; readonly isPastGate: boolean }
  | { readonly type: 'stageReached'; readonly at: Instant; readonly percent: number; readonly isLast: boolean; readonly ready: Ready }
  | { readonly type: 'approved'; readonly at: Instant; readonly actor: string; readonly garbage: string | undefined }
  | { readonly type: 'voted'; readonly at: Instant; readonly verb: Vote['verb']; readonly actor: string }
  | { readonly type: 'advanced'; readonly garbage: string | undefined }
  | { readonly type: 'promoted'; readonly garbage: string | undefined }
  | { readonly type: 'pauseAsked'; readonly because?: string }
  | { readonly type: 'resumeAsked' }
  | { readonly type: 'pauseBegan'; readonly at: Instant }
  | { readonly type: 'pauseEnded'; readonly at: Instant }
  | { readonly type: 'healthSampled'; readonly at: Instant; readonly sample: 'healthy' | 'failing' | 'unreadable' }
  | { readonly type: 'progressed'; readonly at: Instant; readonly score: number }
  | {
      readonly type: 'abortAsked';
      readonly at: Instant;
      readonly rejected: string;
      readonly reason: string;
      readonly ready: Ready;
      /** The way back; undefined where there is nowhere to go, or nothing has moved yet. */
      readonly targets: ActiveTargets | undefined;
    }
  /** A policy that is no looser than the one in force, or the first one, or one that asks nobody, is in force at once. */
  | {
      readonly type: 'termsFollowed';
      readonly terms: RolloutTerms | undefined;
      readonly tightened: Tightening | undefined;
      readonly waiting: string | undefined;
    }
  | { readonly type: 'loosenVoted'; readonly at: Instant; readonly actor: string; readonly digest: string }
  /** Somebody decided under the terms in force: nobody takes them back alone any more. */
  | { readonly type: 'decidedUnderTerms' }
  | { readonly type: 'loosened'; readonly terms: RolloutTerms | undefined }
  | { readonly type: 'retryAsked'; readonly at: Instant; readonly past: readonly AttemptRecord[]; readonly targets: ActiveTargets };
export type EventName = ControlEvent['type'];
type EventOf<Name extends EventName> = Extract<ControlEvent, { readonly type: Name }>;

type Handlers<State extends StateName> = { readonly [Name in EventName]?: (state: StateOf<State>, event: EventOf<Name>) => ControlState };
type OnWay = StateOf<'stage'> | StateOf<'boundary'>;

/** What every state keeps of itself when it becomes another. */
function keptOf({ phase, message, seenGarbage, handled, history, past, terms, tightened, loosenVotes, loosenRound }: ControlState) {
  return { phase, message, seenGarbage, handled, history, past, terms, tightened, loosenVotes, loosenRound };
}

const garbageOf = (garbage: string | undefined) => (garbage === undefined ? {} : { seenGarbage: garbage });

function targetChanged(state: ControlState, { at, attempt, past, isMidway }: EventOf<'targetChanged'>): ControlState {
  const held = isMidway && (state.state === 'stage' || state.state === 'boundary') ? state : undefined;
  const { phase, message, handled, history, terms, tightened, loosenVotes, loosenRound } = state;
  return {
    phase,
    message,
    seenGarbage: undefined,
    handled,
    history,
    terms,
    tightened,
    loosenVotes,
    loosenRound,
    state: 'boundary',
    past,
    attempt,
    stage: 0,
    since: toIso(at),
    before: 0,
    percent: 0,
    approvals: [],
    advanced: false,
    votes: [],
    paused: held?.paused ?? false,
    pausedBecause: held?.pausedBecause,
    pausedAt: held?.pausedAt,
    health: NO_FAILURES,
  };
}

function abortAsked(state: OnWay, { at, rejected, reason, ready, targets }: EventOf<'abortAsked'>): ControlState {
  const attempt = { ...withStageEnded(state.attempt, { failed: true, ready, at }), full: false, course: targets ?? state.attempt.course };
  const aborted = { ...keptOf(state), state: 'aborted', attempt, rejected, reason, since: toIso(at) } as const;
  return targets === undefined ? aborted : { ...aborted, state: 'returning', stage: 0 };
}

function retryAsked(state: StateOf<'returning'> | StateOf<'aborted'>, { at, past, targets }: EventOf<'retryAsked'>): ControlState {
  const { id, target, stable, floor } = state.attempt;
  const attempt: Attempt = { id, kind: 'retry', target, startedAt: toIso(at), stable, floor, course: targets, full: false, stages: [] };
  return targetChanged(state, { type: 'targetChanged', at, attempt, past, isMidway: false });
}

function stageStarted(state: OnWay | StateOf<'done'>, { at, stage, isPastGate }: EventOf<'stageStarted'>): ControlState {
  const index = state.state === 'stage' ? state.stage : state.stage + 1;
  const before = state.state === 'boundary' ? state.percent : state.state === 'stage' ? state.before : 100;
  const { paused = false, pausedBecause = undefined, pausedAt = undefined, votes = [] } = state.state === 'done' ? {} : state;
  const passed = isPastGate && state.state === 'boundary' ? withGatePassed(state, at) : state.attempt;
  const attempt = withStageStarted(passed, { index, way: 'forward', stage, at });
  return {
    ...keptOf(state),
    state: 'stage',
    attempt,
    paused,
    pausedBecause,
    pausedAt,
    stage: index,
    since: toIso(at),
    before,
    progress: undefined,
    votes,
    health: NO_FAILURES,
  };
}

function stageReached(state: OnWay, { at, percent, isLast, ready }: EventOf<'stageReached'>): ControlState {
  const attempt = withStageEnded(state.attempt, { failed: false, ready, at });
  const index = state.state === 'stage' ? state.stage : state.stage + 1;
  if (isLast) return { ...keptOf(state), state: 'done', attempt, stage: index };
  const { paused, pausedBecause, pausedAt, health } = state;
  const before = state.state === 'stage' ? state.before : state.percent;
  return {
    ...keptOf(state),
    state: 'boundary',
    attempt,
    paused,
    pausedBecause,
    pausedAt,
    stage: index,
    since: toIso(at),
    before,
    percent,
    approvals: [],
    advanced: false,
    votes: [],
    health,
  };
}

/** A failing sample counts, and starts a soak anew; a healthy one leaves no trace but the end of a row of unreadable ones. */
function healthSampled<State extends OnWay>(state: State, { at, sample }: EventOf<'healthSampled'>): State {
  const { health } = state;
  if (sample === 'healthy') return health.consecutiveErrors === 0 ? state : { ...state, health: { ...health, consecutiveErrors: 0 } };
  const sampledAt = toIso(at);
  if (sample === 'unreadable') return { ...state, health: { ...health, consecutiveErrors: health.consecutiveErrors + 1, sampledAt } };
  const failing = { ...state, health: { consecutiveErrors: 0, failures: health.failures + 1, sampledAt } };
  return state.state === 'boundary' ? { ...failing, since: sampledAt } : failing;
}

/** The time that a pause took counts for no deadline: not that of a stage, nor the wait of a gate that opens by itself, nor a soak. */
function pauseEnded<State extends OnWay>(state: State, { at }: EventOf<'pauseEnded'>): State {
  const pausedAt = parseInstant(state.pausedAt);
  const ended = { ...state, pausedAt: undefined };
  if (pausedAt === undefined) return ended;
  const moved = (text: string) => {
    const from = parseInstant(text);
    return from === undefined ? text : toIso(toInstant(from + Math.max(0, at - Math.max(pausedAt, from))));
  };
  if (state.state === 'boundary') return { ...ended, since: moved(state.since) };
  return state.state === 'stage' && state.progress !== undefined
    ? { ...ended, progress: { ...state.progress, at: moved(state.progress.at) } }
    : ended;
}

const pauses = {
  pauseAsked: <State extends OnWay>(state: State, { because }: EventOf<'pauseAsked'>): State => ({
    ...state,
    paused: true,
    pausedBecause: because,
  }),
  resumeAsked: <State extends OnWay>(state: State): State => ({ ...state, paused: false, pausedBecause: undefined }),
  pauseBegan: <State extends OnWay>(state: State, { at }: EventOf<'pauseBegan'>): State =>
    state.pausedAt === undefined ? { ...state, pausedAt: toIso(at) } : state,
  pauseEnded,
  healthSampled,
};

const voted = <State extends OnWay>(state: State, { at, verb, actor }: EventOf<'voted'>): State => ({
  ...state,
  votes: [...votesOf(state), { verb, stage: completedOf(state), actor, at: toIso(at) }],
});

const promoted = <State extends OnWay>(state: State, { garbage }: EventOf<'promoted'>): State => ({
  ...state,
  ...garbageOf(garbage),
  paused: false,
  pausedBecause: undefined,
  attempt: { ...state.attempt, full: true, promotedBy: votersFor('promote-full', state) },
});

/** What was decided about a looser policy that waits no more is over. */
const nextRound = ({ loosenRound = 0 }: ControlState) => ({ loosenRound: loosenRound + 1 });

const underTerms = {
  termsFollowed: <State extends ControlState>(state: State, { terms, tightened, waiting }: EventOf<'termsFollowed'>): State => {
    const loosenVotes = state.loosenVotes.filter(({ digest }) => digest === waiting);
    const isOver = loosenVotes.length < state.loosenVotes.length;
    return { ...state, terms, tightened, loosenVotes, ...(isOver ? nextRound(state) : {}) };
  },
  loosenVoted: <State extends ControlState>(state: State, { at, actor, digest }: EventOf<'loosenVoted'>): State => ({
    ...state,
    loosenVotes: [...state.loosenVotes.filter((vote) => vote.digest === digest), { actor, at: toIso(at), digest }],
  }),
  loosened: <State extends ControlState>(state: State, { terms }: EventOf<'loosened'>): State => ({
    ...state,
    terms,
    tightened: undefined,
    loosenVotes: [],
    ...nextRound(state),
  }),
  decidedUnderTerms: <State extends ControlState>(state: State): State =>
    state.tightened === undefined ? state : { ...state, tightened: undefined },
};

/** What a rollout takes on its way forward, in a stage and between two. */
const onWay = { ...underTerms, targetChanged, stageStarted, stageReached, voted, promoted, abortAsked, ...pauses };

const HANDLERS: { readonly [State in StateName]: Handlers<State> } = {
  idle: { ...underTerms, targetChanged },
  stage: {
    ...onWay,
    progressed: (state, { at, score }) => ({ ...state, progress: { score, at: toIso(at) } }),
  },
  boundary: {
    ...onWay,
    approved: (state, { at, actor, garbage }) => ({
      ...state,
      ...garbageOf(garbage),
      approvals: [...state.approvals, { actor, at: toIso(at) }],
    }),
    // Advancing over a hold for unknown health says that somebody looked; the count begins anew.
    advanced: (state, { garbage }) => ({
      ...state,
      ...garbageOf(garbage),
      advanced: true,
      paused: false,
      pausedBecause: undefined,
      health: { ...state.health, consecutiveErrors: 0 },
    }),
  },
  returning: {
    ...underTerms,
    targetChanged,
    retryAsked,
    stageStarted: (state, { at, stage }) => ({
      ...state,
      attempt: withStageStarted(state.attempt, { index: state.stage + 1, way: 'back', stage, at }),
    }),
    stageReached: (state, { at, isLast, ready }) => {
      const attempt = withStageEnded(state.attempt, { failed: false, ready, at });
      if (!isLast) return { ...state, attempt, stage: state.stage + 1 };
      const { rejected, reason, since } = state;
      return { ...keptOf(state), state: 'aborted', attempt, rejected, reason, since };
    },
  },
  aborted: { ...underTerms, targetChanged, retryAsked },
  done: { ...underTerms, targetChanged, stageStarted },
};

/** What an event makes of the state. Total: what a state has no use for leaves it as it is. */
export function reduce(state: ControlState, event: ControlEvent): ControlState {
  // The table has the handler of this very event for this very state; TypeScript cannot follow both indexes at once.
  const handler = HANDLERS[state.state][event.type] as ((state: ControlState, event: ControlEvent) => ControlState) | undefined;
  return handler === undefined ? state : handler(state, event);
}
