import type { KubeObject } from '@/lib/kube/object';
import type { Identity, ResourceTracker, TrackerEntry } from '../tracker/record';
import type { GarbagePolicy } from './rules';

/** What becomes of one object. `held` would go but for a safety rule, `gone` went before. */
export type GarbageVerdict = 'deleted' | 'held' | 'handed-over' | 'kept' | 'new' | 'gone';

export interface GarbageItem {
  /** `kind.group/namespace/name`. */
  readonly id: string;
  readonly entry: TrackerEntry;
  readonly uid: string | undefined;
  readonly verdict: GarbageVerdict;
  /** A sentence for people. */
  readonly why: string;
  /** True when it would be held, had no decision named it. */
  readonly named?: boolean;
  /** Tracker whose record names the object; the newer one for `new`. */
  readonly tracker: string;
  /** True when its tracker must stay, since the object waits for the application to go. */
  readonly retained?: boolean;
  /** True when the object loses the labels that tie it to the application. */
  readonly released?: boolean;
  /** uid of what controlled the object when its deletion was planned. */
  readonly controller?: string | undefined;
  /** What of the object its deletion was judged by, besides its uid and controller. */
  readonly evaluatedBy?: EvaluatedBy;
  /** What its delete does with what it owns; in the background when absent. */
  readonly propagation?: 'Orphan' | 'Foreground';
  /** True when nobody looked at it: it goes as it is recorded, whoever has it by now. */
  readonly unread?: true;
}

/** What people say on an object itself about whether it may go. */
export interface EvaluatedBy {
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Whether it asks to be skipped. */
  readonly asks: boolean;
}

/** A collection as it is shown, checked and done: one and the same value. */
export interface GarbagePlan {
  readonly from: readonly string[];
  readonly to: string | undefined;
  readonly items: readonly GarbageItem[];
  /** Covers group, kind, namespace, name, uid and verdict of every object, and the rules where they say what becomes of what it owns. */
  readonly digest: string;
  /** Set when the plan must not be carried out as it stands: why. */
  readonly refused: string | undefined;
}

/** What is known of an object: seen, seen to be absent, or not known at all, which never counts as absent. */
export type LiveState =
  | { readonly kind: 'present'; readonly object: KubeObject }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string };

/** Nobody looked, as in the original: what is recorded goes whatever lives there. */
export const NOT_READ = { kind: 'unread' } as const;

export interface GarbageContext {
  readonly live: (entry: TrackerEntry) => LiveState | typeof NOT_READ;
  /** Objects (`kind/namespace/name`) and a count that decisions named. */
  readonly named?: { readonly objects?: readonly string[]; readonly count?: number | undefined };
  /** True where the plan was shown beforehand: what went since then counts as deleted, so that it waits for a decision if it was shown to. */
  readonly countGone?: boolean;
  /** Leave every object in place and only forget it. */
  readonly release?: boolean;
  /** Components the application still has; an object of one that asks to be skipped stays. */
  readonly components?: readonly string[] | 'all';
  /** What tells recorded objects apart; group, kind and name by default. */
  readonly identity?: Identity;
  readonly policy?: GarbagePolicy | undefined;
  /** Whose labels released objects lose. */
  readonly application?: { readonly name: string; readonly namespace: string };
}

/** A tracker as far as a collection looks at it. */
export type Tracked = Pick<ResourceTracker, 'name' | 'uid' | 'entries'>;
