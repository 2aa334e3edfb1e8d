import type { KubeObject } from '@/lib/kube/object';
import type { Clock, Random } from '@/server/platform';
import type { CacheReader } from './kube-client';
import type { Identity, ResourceTracker } from './tracker/record';

/** Which revision is dispatched. */
export interface DispatchedRevision {
  readonly name: string;
  readonly namespace: string;
}

/** How one manifest is dealt with where a policy says something about it. */
export interface ManifestPolicy {
  /** The object must exist; it is listed, and never written. */
  readonly readOnly?: boolean;
  /** It is not to be deleted, whatever becomes of the application. */
  readonly skipGC?: boolean;
  /** Paths whose live values stay as they are; `*` is the whole object. */
  readonly keep?: readonly string[];
  /** Paths that something else of ours sets: they stay as they are, and are no drift. */
  readonly scale?: readonly string[];
}

/** One manifest that a dispatch wrote. */
export interface WrittenManifest {
  readonly manifest: KubeObject;
  readonly tracker: { readonly name: string; readonly uid: string };
  readonly before: KubeObject | undefined;
  readonly after: KubeObject;
}

/** What a manifest becomes before it is sent; drift is judged by the same. */
export interface MergeOptions {
  /** Drop entries of other trackers from manifests instead of demoting them. */
  readonly dropTrackerOwners?: boolean;
  /** `apiVersion|kind` of kinds of which an existing object only changes owner. */
  readonly immutableKinds?: readonly string[];
  /** Delete list entries that took the place of ours under another merge key; otherwise they stay beside ours, as in the original. */
  readonly deleteReplaced?: boolean;
}

/** How objects are written. */
export interface WriteOptions {
  /** Send nothing that changes nothing. */
  readonly skipUnchanged?: boolean;
  /** Objects applied at once; 1 keeps the order of the list. */
  readonly concurrency?: number;
  /** Try the whole set out, without writing, before anything is applied. */
  readonly dryRunFirst?: boolean;
  /** Apply what needs new kinds and namespaces only once these can be used; until then the dispatch throws `NotServingError`. */
  readonly awaitPrerequisites?: boolean;
  /** Key of the digest that stands in for the manifest of a Secret; without it Secrets are recorded like the rest. */
  readonly secretKey?: string;
  readonly policyOf?: (manifest: KubeObject) => ManifestPolicy;
  /** The body of a create, for members that only the first write carries. */
  readonly onCreate?: (manifest: KubeObject) => KubeObject;
  /** Why an object that is there may not be written for a manifest, beside who controls it; asked of what the server has. */
  readonly mayTouch?: (existing: KubeObject, manifest: KubeObject) => string | undefined;
  /** True for a manifest whose object, where it is there, is not compared and not written this time. */
  readonly isLeftForNow?: (manifest: KubeObject) => boolean;
  /** Awaited once: after a tracker was made that lists nothing yet, and otherwise before the first write; throwing ends the dispatch. */
  readonly beforeWrite?: () => Promise<void>;
  /** Hears of each manifest that was written: the object as it was before, absent when it was made anew, and as it is now. */
  readonly onWritten?: (written: WrittenManifest) => void;
}

/** Which trackers a dispatch goes by, and how it keeps the record. */
export interface TrackingOptions {
  /** A previous tracker that is gone: refuse as the original does, or go on without collection. */
  readonly missingPrevious?: 'error' | 'ignore';
  /** Refuse a tracker that belongs to another application; tracker names are not injective. */
  readonly strictNames?: boolean;
  /** The application the revision belongs to; by default what the tracker's name tells. */
  readonly application?: { readonly name: string; readonly namespace: string; readonly uid?: string; readonly generation?: number };
  /** Trackers whose objects may be taken over besides current and previous. */
  readonly superseded?: readonly Pick<ResourceTracker, 'uid'>[];
  /** List objects before they are applied, so that a crash in between leaves none unlisted. */
  readonly record?: 'afterApply' | 'beforeApply';
  /** A record that somebody else wrote meanwhile: write over it after a pause as the original does, or fail and be dispatched again. */
  readonly recordConflict?: 'retry' | 'fail';
  /** Record references without manifests, for applications whose objects are not kept as they were applied. */
  readonly recordReferences?: boolean;
}

/** What a collection of the original goes by. */
export interface GarbageOptions {
  readonly identity?: Identity;
  readonly skipGCAnnotation?: boolean;
  /** Components the application still has: with `skipGCAnnotation`, the annotation counts on objects of these; when left out, on all. */
  readonly components?: readonly string[];
  readonly keepLegacyResource?: boolean;
  /** Accept objects of other trackers of the application, and delete those trackers after a collection. */
  readonly legacyTrackers?: boolean;
}

/** What a dispatch works with. */
export interface DispatchTools {
  /** Watched copies to read from; without them every read asks the server. */
  readonly cache?: CacheReader;
  readonly clock?: Pick<Clock, 'sleep'>;
  readonly random?: Random;
  /** Awaited before each object, so that thousands of them leave others their turn. */
  readonly yieldToEventLoop?: () => Promise<void> | undefined;
}

/** Switches of a dispatch by what they are about; the defaults are those of the 2021 code. */
export interface DispatchOptions {
  readonly merge?: MergeOptions;
  readonly writing?: WriteOptions;
  readonly tracking?: TrackingOptions;
  readonly garbage?: GarbageOptions;
  readonly tools?: DispatchTools;
  /** The original's scope methods do nothing; `maintain` does what their comments promise. */
  readonly scopes?: 'ignore' | 'maintain';
}

/** What every dispatch of the server goes by, and what differs is therefore judged by too. */
export const ENGINE_MERGE_OPTIONS = {
  dropTrackerOwners: true,
  immutableKinds: ['v1|PersistentVolume'],
  deleteReplaced: true,
} as const satisfies MergeOptions;
