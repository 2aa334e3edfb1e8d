import type { KubeClient } from '../kube-client';
import type { DispatchOptions } from '../options';
import type { ResourceTracker } from '../tracker/record';
import type { TrackerStore } from '../tracker/store';

/** Every group of options, with nothing in those that nobody gave. */
export type ResolvedOptions = Required<DispatchOptions>;

/** What every step of a dispatch goes by. */
export interface DispatchContext {
  readonly client: KubeClient;
  readonly options: ResolvedOptions;
  readonly store: TrackerStore;
  readonly signal: AbortSignal | undefined;
}

/** What a caller knows of a tracker it names; everything but the name is read again. */
export type TrackerHint = Pick<ResourceTracker, 'name'>;
