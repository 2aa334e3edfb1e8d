import { toInstant, toIso } from '@/lib/std/instant';
import type { ControlEvent, EventName } from '@/server/rollout/control/reduce';
import { reduce } from '@/server/rollout/control/reduce';
import type { Attempt, ControlState, StateName, StateOf } from '@/server/rollout/control/state';
import { controlState } from '@/server/rollout/control/state';
import { anEntry } from './simulation';

export const at = (seconds: number) => toInstant(Date.UTC(2026, 0, 1, 9, 0, seconds));
export const iso = (seconds: number) => toIso(at(seconds));
export const NOW = at(100);
export const READY = new Map([['web-v2', 3]]);
export const PLANNED = [{ revision: 'web-v2', direction: 'up', percent: 50, replicas: 2 }] as const;
const TERMS = { ratio: 10, overlap: true, control: { gates: 'every-stage' as const } };

export const ATTEMPT: Attempt = {
  id: 'a-1',
  kind: 'rollout',
  target: [anEntry('web-v2', 4)],
  startedAt: iso(0),
  stable: [anEntry('web-v1', 4)],
  floor: 4,
  full: false,
  stages: [{ index: 1, way: 'forward', startedAt: iso(1), revisions: PLANNED }],
};
export const KEPT = {
  phase: 'Paused',
  message: 'kept',
  seenGarbage: 'g-1',
  handled: ['d-1'],
  history: [{ id: 'h-1', at: iso(0), actor: 'ann', action: 'x', message: 'y' }],
  past: [],
  terms: TERMS,
  tightened: { from: { ...TERMS, ratio: 50 }, by: 'ann', at: iso(0) },
  loosenVotes: [{ actor: 'ann', at: iso(0), digest: 'p-1' }],
  loosenRound: 2,
};
export const PAUSE = { paused: true, pausedBecause: 'by eve', pausedAt: iso(60) };
export const VOTE = { verb: 'promote-full' as const, stage: 1, actor: 'ann', at: iso(50) };
export const HEALTH = { failures: 2, consecutiveErrors: 3, sampledAt: iso(40) };
export const REJECTION = { rejected: 'web-v2', reason: 'bad', since: iso(30) };

/** Each state with something in all of its fields, as it is read. */
export const STATES: { readonly [Name in StateName]: StateOf<Name> } = {
  idle: read('idle', {}),
  stage: read('stage', {
    attempt: ATTEMPT,
    stage: 2,
    since: iso(10),
    before: 25,
    progress: { score: 1, at: iso(20) },
    votes: [VOTE],
    health: HEALTH,
    ...PAUSE,
  }),
  boundary: read('boundary', {
    attempt: ATTEMPT,
    stage: 1,
    since: iso(10),
    before: 25,
    percent: 50,
    approvals: [{ actor: 'ben', at: iso(55) }],
    advanced: false,
    votes: [VOTE],
    health: HEALTH,
    ...PAUSE,
  }),
  returning: read('returning', { attempt: ATTEMPT, stage: 1, ...REJECTION }),
  aborted: read('aborted', { attempt: ATTEMPT, ...REJECTION }),
  done: read('done', { attempt: ATTEMPT, stage: 4 }),
};
function read<Name extends StateName>(state: Name, fields: object): StateOf<Name> {
  return controlState.parse({ ...KEPT, ...fields, state }) as StateOf<Name>;
}
export const NAMES = Object.keys(STATES) as StateName[];

/** One event of each kind. */
export const EVENTS: { readonly [Name in EventName]: Extract<ControlEvent, { readonly type: Name }> } = {
  targetChanged: { type: 'targetChanged', at: NOW, attempt: { ...ATTEMPT, id: 'a-2' }, past: [], isMidway: true },
  stageStarted: { type: 'stageStarted', at: NOW, stage: PLANNED, isPastGate: true },
  stageReached: { type: 'stageReached', at: NOW, percent: 75, isLast: false, ready: READY },
  approved: { type: 'approved', at: NOW, actor: 'cat', garbage: 'g-2' },
  voted: { type: 'voted', at: NOW, verb: 'advance', actor: 'cat' },
  advanced: { type: 'advanced', garbage: 'g-2' },
  promoted: { type: 'promoted', garbage: 'g-2' },
  pauseAsked: { type: 'pauseAsked', because: 'by ben' },
  resumeAsked: { type: 'resumeAsked' },
  pauseBegan: { type: 'pauseBegan', at: NOW },
  pauseEnded: { type: 'pauseEnded', at: NOW },
  healthSampled: { type: 'healthSampled', at: NOW, sample: 'failing' },
  progressed: { type: 'progressed', at: NOW, score: 3 },
  abortAsked: {
    type: 'abortAsked',
    at: NOW,
    rejected: 'web-v2',
    reason: 'worse',
    ready: READY,
    targets: { targetRevisions: [anEntry('web-v1', 4)] },
  },
  termsFollowed: { type: 'termsFollowed', terms: { ...TERMS, ratio: 5 }, tightened: undefined, waiting: 'p-1' },
  loosenVoted: { type: 'loosenVoted', at: NOW, actor: 'ben', digest: 'p-1' },
  decidedUnderTerms: { type: 'decidedUnderTerms' },
  loosened: { type: 'loosened', terms: undefined },
  retryAsked: { type: 'retryAsked', at: NOW, past: [], targets: { targetRevisions: [anEntry('web-v2', 4)] } },
};
export const becomes = <Name extends EventName>(
  state: ControlState,
  type: Name,
  change: Partial<(typeof EVENTS)[Name]> = {},
): Record<string, unknown> & ControlState => reduce(state, { ...EVENTS[type], ...change } as ControlEvent) as never;
