import type { Activity, HealthStatus } from '@/lib/contract/health';
import type { ReleaseState } from '@/lib/contract/release-state';
import type { DecisionPhase, DecisionVerb } from '@/lib/contract/stage-decision';

/** What a colour means in this application. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'odd' | 'idle';

/** A tone as the colour of text and shapes. */
export const TONE_TEXT: Readonly<Record<Tone, string>> = {
  good: 'text-good',
  busy: 'text-busy',
  warn: 'text-warn',
  bad: 'text-bad',
  odd: 'text-odd',
  idle: 'text-ink-3',
};

/** A tone as text on a soft ground. */
export const TONE_SOFT: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  busy: 'bg-busy-soft text-busy',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  odd: 'bg-odd-soft text-odd',
  idle: 'bg-pressed text-ink-2',
};

/** The one table that says how a health looks: its colour and its word; the shape is in `StatusGlyph`. */
export const HEALTH_LOOK: Readonly<Record<HealthStatus, { readonly tone: Tone; readonly word: string }>> = {
  Current: { tone: 'good', word: 'Current' },
  InProgress: { tone: 'busy', word: 'In progress' },
  Failed: { tone: 'bad', word: 'Failed' },
  Unknown: { tone: 'odd', word: 'Unknown' },
  Terminating: { tone: 'idle', word: 'Terminating' },
  NotFound: { tone: 'warn', word: 'Not found' },
};

/** How an activity looks: its colour and its word. */
export const ACTIVITY_LOOK: Readonly<Record<Activity, { readonly tone: Tone; readonly word: string }>> = {
  idle: { tone: 'idle', word: 'Idle' },
  'rolling-out': { tone: 'busy', word: 'Rolling out' },
  waiting: { tone: 'warn', word: 'Waiting' },
  paused: { tone: 'warn', word: 'Paused' },
  aborting: { tone: 'bad', word: 'Aborting' },
  aborted: { tone: 'bad', word: 'Aborted' },
  deleting: { tone: 'idle', word: 'Deleting' },
  held: { tone: 'warn', word: 'Held' },
};

/** How the state of a Helm release looks: its colour and its word. */
export const RELEASE_LOOK: Readonly<Record<ReleaseState, { readonly tone: Tone; readonly word: string }>> = {
  failed: { tone: 'bad', word: 'Failed' },
  pending: { tone: 'bad', word: 'Pending' },
  refused: { tone: 'bad', word: 'Refused' },
  'rolled-back': { tone: 'bad', word: 'Rolled back' },
  drifted: { tone: 'warn', word: 'Drifted' },
  moved: { tone: 'warn', word: 'Plan moved' },
  held: { tone: 'warn', word: 'Held' },
  unknown: { tone: 'odd', word: 'Unknown' },
  changing: { tone: 'busy', word: 'Changing' },
  waiting: { tone: 'warn', word: 'Waiting' },
  suspended: { tone: 'idle', word: 'Suspended' },
  'in-sync': { tone: 'good', word: 'In sync' },
};

/** The colour of what became of a decision. */
export const DECISION_PHASE_TONE: Readonly<Record<DecisionPhase, Tone>> = { Pending: 'busy', Accepted: 'good', Rejected: 'bad', Expired: 'idle' };

/** What a decision is called on buttons and in the record. */
export const VERB_WORD: Readonly<Record<DecisionVerb, string>> = {
  approve: 'Approve',
  advance: 'Advance',
  'promote-full': 'Promote fully',
  pause: 'Pause',
  resume: 'Resume',
  abort: 'Abort',
  rollback: 'Roll back',
  retry: 'Retry',
  loosen: 'Loosen policy',
};
