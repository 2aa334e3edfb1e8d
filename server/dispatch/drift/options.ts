import type { DispatchOptions } from '../options';

/** How the server dispatches, as far as it matters to what differs. */
export const DRIFT_OPTIONS = { dropTrackerOwners: true, immutableKinds: ['v1|PersistentVolume'] } as const satisfies Pick<
  DispatchOptions,
  'dropTrackerOwners' | 'immutableKinds'
>;
