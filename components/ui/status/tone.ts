import type { Activity, HealthStatus } from '@/lib/contract/health';
import type { ReleaseState } from '@/lib/contract/release-state';
import type { DecisionPhase, DecisionVerb } from '@/lib/contract/stage-decision';
import { t } from '@/lib/words/catalogue/console/ui';

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
export const HEALTH_STYLE: Readonly<Record<HealthStatus, { readonly tone: Tone; readonly word: string }>> = {
  Current: { tone: 'good', word: t.current },
  InProgress: { tone: 'busy', word: t.inProgress },
  Failed: { tone: 'bad', word: t.failed },
  Unknown: { tone: 'odd', word: t.unknown },
  Terminating: { tone: 'idle', word: t.terminating },
  NotFound: { tone: 'warn', word: t.notFound },
};

/** How an activity looks: its colour and its word. */
export const ACTIVITY_STYLE: Readonly<Record<Activity, { readonly tone: Tone; readonly word: string }>> = {
  idle: { tone: 'idle', word: t.idle },
  'rolling-out': { tone: 'busy', word: t.rollingOut },
  waiting: { tone: 'warn', word: t.waiting },
  paused: { tone: 'warn', word: t.paused },
  aborting: { tone: 'bad', word: t.aborting },
  aborted: { tone: 'bad', word: t.aborted },
  deleting: { tone: 'idle', word: t.deleting },
  held: { tone: 'warn', word: t.held },
  suspended: { tone: 'warn', word: t.suspended },
};

/** How the state of a Helm release looks: its colour and its word. */
export const RELEASE_STYLE: Readonly<Record<ReleaseState, { readonly tone: Tone; readonly word: string }>> = {
  failed: { tone: 'bad', word: t.failed },
  pending: { tone: 'bad', word: t.pending },
  refused: { tone: 'bad', word: t.refused },
  'rolled-back': { tone: 'bad', word: t.rolledBack },
  drifted: { tone: 'warn', word: t.drifted },
  moved: { tone: 'warn', word: t.planMoved },
  held: { tone: 'warn', word: t.held },
  unknown: { tone: 'odd', word: t.unknown },
  changing: { tone: 'busy', word: t.changing },
  waiting: { tone: 'warn', word: t.waiting },
  suspended: { tone: 'idle', word: t.suspended },
  'in-sync': { tone: 'good', word: t.inSync },
};

/** The colour of what became of a decision. */
export const DECISION_PHASE_TONE: Readonly<Record<DecisionPhase, Tone>> = {
  Pending: 'busy',
  Accepted: 'good',
  Rejected: 'bad',
  Expired: 'idle',
};

/** What a decision is called on buttons and in the record. */
export const VERB_WORD: Readonly<Record<DecisionVerb, string>> = {
  approve: t.approve,
  advance: t.advance,
  'promote-full': t.promoteFully,
  pause: t.pause,
  resume: t.resume,
  abort: t.abort,
  rollback: t.rollBack,
  retry: t.retry,
  loosen: t.loosenPolicy,
};
