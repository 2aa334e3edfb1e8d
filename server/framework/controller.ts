import type { ObjectKey } from '@/lib/kube/object';
import type { EventSink, Store, StoreChange } from '@/server/kube';
import type { Clock, Log, Random, Registry } from '@/server/platform';
import type { OwnWrites } from './own-writes';
import type { PassFigures } from './pass-stats';
import type { Pause } from './pause-record';
import type { Reconciler } from './reconciler';

/** Where keys come from: a store, and which keys a change of it concerns. */
export interface Source {
  readonly store: Store;
  /** Keys of the reconciled kind, however often each; the object's own key when absent. */
  readonly keysOf?: (change: StoreChange) => readonly ObjectKey[];
  /** True for a change that somebody waits for: its keys have their turn before others. None is when absent. */
  readonly isAsked?: (change: StoreChange) => boolean;
  /** How long changes are gathered before they ask for a pass, where none is pressing; not at all when absent. */
  readonly gatherMs?: number;
}

export interface ControllerSpec {
  readonly name: string;
  readonly reconcile: Reconciler<ObjectKey>;
  readonly sources: readonly Source[];
  /**
   * The key by whose shard a pass may act: the same for everything that belongs together, whatever controller it is of, so that one
   * replica has it all. The key itself when absent.
   */
  readonly shardKey?: (key: ObjectKey) => ObjectKey;
  /** Keys handled at once; one key is never handled twice at a time. 1 when absent. */
  readonly workers?: number;
  /** Resynchronisation of everything, with 10 % jitter; none when absent. */
  readonly resyncMs?: number;
  /** How long a stop lets passes under way end by themselves before it aborts their signal; 10 s when absent. */
  readonly drainMs?: number;
}

export interface ControllerDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly random: Random;
  readonly metrics?: Registry;
  /** False while this replica may not act on what a key stands for; no pass over it starts then. */
  readonly mayAct?: (shardKey?: ObjectKey) => boolean;
  /** The shard of a key: on keys of one shard a replica may act together or not at all. One shard when absent. */
  readonly shardOf?: (shardKey: ObjectKey) => number;
  /** Where events about objects are written; none are when absent. */
  readonly cluster?: EventSink;
  /** The same, writable while this replica may act on the key's shard. */
  readonly clusterFor?: (shardKey: ObjectKey) => EventSink;
  /** What was written and the copies do not show yet: passes wait for it. Nothing is waited for when absent. */
  readonly ownWrites?: OwnWrites;
  /** Stores that are read namespace by namespace where they may not be as a whole; all others are waited for. */
  readonly byNamespace?: ReadonlySet<Store>;
  /** Hears of pauses by annotation before the pass that finds them ends; one it cannot take is told again. */
  readonly onPause?: (pause: Pause) => Promise<void>;
}

/** An object whose passes are held, and the annotation that holds them. */
export interface PausedKey {
  readonly key: ObjectKey;
  readonly annotation: string;
}

/** A kind that a controller reads and nobody may list, and what the server says to that. */
export interface UnlistableKind {
  readonly kind: string;
  readonly reason: string;
  /** Where it keeps the controller from its work; everywhere when absent. */
  readonly namespaces?: readonly string[];
}

/** What the engine page shows of a controller. Times are epoch milliseconds. */
export interface ControllerStats extends PassFigures {
  readonly name: string;
  /** Name of the kind that the keys name: that of the first source whose keys are its own. */
  readonly kind: string | undefined;
  /** Keys ready and not taken up, deferred ones not counted. */
  readonly depth: number;
  /** Keys deferred since another replica acts on them. */
  readonly deferred: number;
  readonly oldestMs: number;
  /** The ready key that has been waiting longest. */
  readonly oldestKey: ObjectKey | undefined;
  readonly active: number;
  readonly passes: number;
  readonly failures: number;
  readonly paused: readonly PausedKey[];
  /** Kinds that may not be listed: the controller starts, or acts in these namespaces, once they may. */
  readonly waitsFor: readonly UnlistableKind[];
  readonly lastError: { readonly key: ObjectKey; readonly message: string; readonly at: number } | undefined;
}

/** A running loop over one kind. Disposing drains: the pass under way ends, nothing new starts. */
export interface Controller extends AsyncDisposable {
  readonly name: string;
  /** Starts workers once every source has synced. Resolves then, or when one may not be listed: it starts by itself once it may. */
  start(): Promise<void>;
  /** Asks for a pass over one key, for instance because a timer of ours is due. */
  enqueue(key: ObjectKey, options?: { readonly afterMs?: number; readonly priority?: 'person' | 'normal' | 'resync' }): void;
  stats(): ControllerStats;
}
