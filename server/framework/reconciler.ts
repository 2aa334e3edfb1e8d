import type { ObjectKey } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { isConflict } from '@/server/kube';
import type { Log } from '@/server/platform';
import { NotLeadingError } from './leadership/fence';

/** What a pass came to. Throwing means back-off; a terminal error means no retry until the object changes. */
export type Outcome = { readonly kind: 'settled' } | { readonly kind: 'requeueAfter'; readonly ms: number };

/** Nothing more to do until something changes. */
export function settled(): Outcome {
  return { kind: 'settled' };
}

/** Look again after so many milliseconds, whatever happens. */
export function requeueAfter(ms: number): Outcome {
  return { kind: 'requeueAfter', ms };
}

export interface ReconcileContext {
  readonly signal: AbortSignal;
  /** By whose shard the pass may act; `clusterOfPass` gives the cluster that goes with it. */
  readonly shardKey: ObjectKey;
  /** Runs through every log line of this pass. */
  readonly reconcileId: string;
  /** Names the controller, the key and the pass in every line. */
  readonly log: Log;
  /** Notes what a cluster is told to write, so that the next pass waits for it; absent where nobody notes it. */
  readonly noting?: ((cluster: Cluster) => Cluster) | undefined;
}

/** Brings one object, named by its key, a step closer to what it should be. Level-triggered: it is not told which event woke it. */
export type Reconciler<Key> = (key: Key, context: ReconcileContext) => Promise<Outcome>;

const BRAND = Symbol.for('slipway/terminal-error');

/** Thrown by a reconciler for a fault that trying again cannot mend. A Warning event on the object tells it to whoever looks there. */
export class TerminalError extends Error {
  readonly [BRAND] = true;
  /** The reason of the event. */
  readonly kind: string;
  /** The message of the event. */
  readonly description: string;

  constructor(sentence: string, options: { readonly reason?: string; readonly cause?: unknown } = {}) {
    super(sentence, { cause: options.cause });
    this.name = 'TerminalError';
    this.kind = options.reason ?? 'CannotReconcile';
    this.description = sentence;
  }
}

/** True when trying again cannot help; looks through causes. */
export function isTerminal(error: unknown): boolean {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    if (BRAND in at) return true;
  }
  return false;
}

const SLOW = Symbol.for('slipway/slow-retry-error');

/** Thrown by a reconciler for a failure whose retry costs much, such as a run of a program: it is retried seldom. */
export class SlowRetryError extends Error {
  readonly [SLOW] = true;
}

/** True where a retry costs much; looks through causes. */
export function isSlowRetry(error: unknown): boolean {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    if (SLOW in at) return true;
  }
  return false;
}

/** True for what passes by itself, so that nobody needs to be told: a write that came second, or one of a replica that does not act any more. */
export function isTransient(error: unknown): boolean {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    if (at instanceof NotLeadingError) return true;
  }
  return isConflict(error);
}
