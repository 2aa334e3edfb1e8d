import type { Keyed, WindowDelta, WindowSnapshot } from '@/lib/contract/live';
import type { Topic } from '@/lib/contract/topic';
import type { Release } from '@/server/platform';

/** The namespaces a reader may see: all of them, or a list. */
export type Visibility = 'all' | readonly string[];

/** What a reader may see beside what a view is about: namespaces by what of theirs; none where absent. */
export interface RelatedVisibility {
  readonly releases?: Visibility;
  readonly olderReleases?: Visibility;
  readonly flux?: Visibility;
}

/** All of it, with the namespaces that the view itself is limited to. */
export interface WindowVisibility extends Required<RelatedVisibility> {
  readonly visibility: Visibility;
}

/**
 * One live view, shared by everybody who looks at the same topic with the same visibility.
 *
 * 1. `refresh` computes the view once and answers what changed since the refresh before; null when nothing did.
 * 2. `onDirty` is called at once when something the view rests on changed; whoever listens decides when to refresh.
 * 3. `seq` grows with every refresh that changed something, and a window opened again begins beyond where it ended.
 */
export interface LiveWindow {
  readonly topic: string;
  snapshot(): WindowSnapshot<Keyed>;
  refresh(): WindowDelta<Keyed> | null;
  onDirty(handler: () => void): Release;
  release(): void;
}

/** The projections of cluster and record to the rows that screens show. */
export interface ReadModel extends AsyncDisposable {
  readonly bootId: string;
  /** Opens a view; undefined when what it names does not exist. The caller has authorised it. */
  open(topic: Topic, visibility: Visibility, beside?: RelatedVisibility): LiveWindow | undefined;
  /** Resolves once the rows of a topic are computed: nobody is answered with old ones that a moment would mend. What takes longer than a second tells its age. */
  whenComplete(topic: Topic): Promise<void>;
  start(): Promise<void>;
}
