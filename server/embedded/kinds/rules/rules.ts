import type { KubeObject } from '@/lib/kube/object';
import type { Clock, Ids } from '@/server/platform';
import type { FieldError } from '../../api/failures';
import type { Store } from '../../storage/store';
import type { Draft } from '../draft';
import type { NameRule } from '../names';

/** What the rules of a kind may look at. */
export interface RuleContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What sets a built-in kind apart. Everything is optional: most kinds need little. */
export interface KindRules {
  /** How names are checked; as DNS subdomains unless told. */
  readonly names?: NameRule;
  /** Its generation counts changes of the spec. */
  readonly countsGeneration?: boolean;
  /** An update must carry a resourceVersion. */
  readonly needsVersion?: boolean;
  /** The status of a new object; absent: none. `kept`: what the client said. */
  readonly newStatus?: 'kept' | ((object: Draft) => Draft);
  /** What a write of the status leaves as it is of the metadata, which of most kinds it changes like any other write. */
  readonly statusKeeps?: 'labels' | 'metadata';
  /** Its generation counts changes of the annotations as well. */
  readonly countsAnnotations?: boolean;
  /** Fills what the manifest left out. The same for new and changed objects. */
  readonly defaults?: (object: Draft) => void;
  /** What happens on the way in: addresses, tokens, derived members. */
  readonly prepare?: (object: Draft, previous: KubeObject | undefined, context: RuleContext) => void;
  readonly validate?: (object: Draft, previous: KubeObject | undefined) => readonly FieldError[];
  /** What is said of a write that is taken all the same. */
  readonly warnings?: (object: Draft, previous: KubeObject | undefined) => readonly string[];
}
