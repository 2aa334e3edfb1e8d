import type { ResourceTracker, TrackerEntry } from '@/server/dispatch';

/** An object of namespace `shop` as a tracker lists it; its uid is its name. */
export const entryOf = (kind: string, name: string): TrackerEntry => ({
  apiVersion: 'v1',
  kind,
  name,
  namespace: 'shop',
  uid: name,
  cluster: 'local',
  component: 'web',
  deleted: false,
  skipGC: false,
});

/** The tracker of a revision; its uid is its name. */
export const trackerOf = (name: string, entries: readonly TrackerEntry[]): ResourceTracker => ({
  name,
  uid: name,
  form: 'managed',
  type: 'versioned',
  applicationGeneration: 1,
  labels: {},
  annotations: {},
  entries,
  intact: true,
});
