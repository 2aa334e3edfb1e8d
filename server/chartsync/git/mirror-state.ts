import type { Instant } from '@/lib/std/instant';

/** Where a mirror is (spec/chartsync 4). While it is not ready it says why. */
export type MirrorState =
  | { readonly kind: 'unconfigured' }
  | { readonly kind: 'new'; readonly why: string; readonly failures: number }
  | { readonly kind: 'cloned'; readonly why: string; readonly failures: number }
  | { readonly kind: 'ready' };

/** A mirror as it is shown: what it copies, and how old that is. */
export interface MirrorView {
  /** What it is known by, without credentials. */
  readonly id: string;
  readonly state: MirrorState['kind'];
  /** Why it cannot be asked; null once it is ready. */
  readonly why: string | null;
  /** How often in a row it could not be fetched; 0 before the first try. */
  readonly failures: number;
  /** Since when this process copies it. */
  readonly since: Instant;
  /** When it last fetched or was cloned; null where it never was by this process. */
  readonly fetchedAt: Instant | null;
  /** When it fetches next, or tries again; null while it does. */
  readonly nextAt: Instant | null;
}

/** What happened to a mirror. */
export type MirrorEvent = { readonly kind: 'cloned' | 'checked' | 'fetched' } | { readonly kind: 'failed'; readonly error: string };

export const UNCONFIGURED: MirrorState = { kind: 'unconfigured' };
export const NOT_CLONED: MirrorState = { kind: 'new', why: 'git repo has not been cloned yet', failures: 0 };

const NO_CONFIG = 'git repo does not have valid config';
const NOT_CHECKED = 'git repo has been cloned but not yet checked';

/** The state after an event. One failed fetch makes a mirror new again; what it holds is another matter (issue 12, 1). */
export function nextMirrorState(state: MirrorState, event: MirrorEvent): MirrorState {
  if (state.kind === 'unconfigured') return state;
  const failures = state.kind === 'ready' ? 0 : state.failures;
  switch (event.kind) {
    case 'cloned':
      return { kind: 'cloned', why: NOT_CHECKED, failures };
    case 'checked':
    case 'fetched':
      return { kind: 'ready' };
    case 'failed':
      return { kind: state.kind === 'cloned' ? 'cloned' : 'new', why: event.error, failures: failures + 1 };
  }
}

/** Why a mirror cannot be asked; undefined once it is ready (R-MIR-1). */
export function notReadyReason(state: MirrorState): string | undefined {
  if (state.kind === 'ready') return undefined;
  return `git repo not ready: ${state.kind === 'unconfigured' ? NO_CONFIG : state.why}`;
}
