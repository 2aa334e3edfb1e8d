import type { ConditionValue } from './conditions';
import { isFalse, isUnknown } from './conditions';
import type { Phase } from './model';

/** What is held is looked at again after this, since not everything it waits for is watched. */
export const RECHECK_MS = 10_000;
/** When an application that waits for a grant is looked at again: nothing tells the server that it may do more. */
const UNGRANTED_MS = 30_000;
/** New kinds take a moment until they are served. Their watch wakes the application; discovery, which nobody watches, is asked again. */
const SERVING_MS = 500;

/** What keeps a plan, or the end of an application, from being carried out now. */
export type Obstacle =
  /** Whoever asked for it may not do it themselves. */
  | { readonly kind: 'unpermitted'; readonly why: string }
  /** Nobody granted the server a namespace that it is about. */
  | { readonly kind: 'ungranted'; readonly why: string }
  /** Copies that it is judged by are not there yet, or not up to date; `why` once that is worth a sentence. */
  | { readonly kind: 'unread'; readonly why: string | undefined; readonly againMs: number }
  | { readonly kind: 'valuesMissing'; readonly why: string }
  /** It is not what was previewed; `digests` of both while that is news. */
  | {
      readonly kind: 'planMoved';
      readonly why: string;
      readonly digests?: { readonly id: string; readonly seen: string; readonly now: string };
    }
  | { readonly kind: 'planBlocked'; readonly why: string }
  | { readonly kind: 'objectTaken'; readonly why: string }
  /** A kind that it brings is not served yet. */
  | { readonly kind: 'unserved'; readonly why: string };

/** How a pass ends at an obstacle: what its condition says, where that changes, and when it looks again. */
export interface PassOutcome {
  readonly phase?: Phase;
  readonly value?: ConditionValue;
  readonly againMs: number;
}

const REASONS = {
  unpermitted: 'NotPermitted',
  ungranted: 'NotGranted',
  valuesMissing: 'ValuesMissing',
  planMoved: 'PlanMoved',
  planBlocked: 'PlanRefused',
  objectTaken: 'ObjectTaken',
} as const;

/** How a pass over a plan ends at an obstacle. What is applied already keeps its status while copies are read. */
export function passOutcomeOf(obstacle: Obstacle, isApplied: boolean): PassOutcome {
  const { kind, why } = obstacle;
  switch (kind) {
    case 'unread':
      return { ...(why === undefined || isApplied ? {} : { value: isUnknown('Waiting', why) }), againMs: obstacle.againMs };
    case 'unserved':
      return { value: isUnknown('Waiting', why), againMs: SERVING_MS };
    default:
      return { phase: 'held', value: isFalse(REASONS[kind], why), againMs: kind === 'ungranted' ? UNGRANTED_MS : RECHECK_MS };
  }
}
