import { KINDS, LABELS } from '@/lib/kube/kinds';

/** Labels, annotations and finalizers that applications, trackers and their objects carry. */
export const LABEL = {
  ...LABELS,
  /** How the seed's tag spelt the namespace label; read, never written. */
  appNamespaceMisspelt: 'app.oam.dev/namesapce',
  appUid: 'app.oam.dev/uid',
  appRevisionHash: 'app.oam.dev/app-revision-hash',
  componentRevision: 'app.oam.dev/revision',
  resourceType: 'app.oam.dev/resourceType',
  workloadType: 'workload.oam.dev/type',
  traitType: 'trait.oam.dev/type',
  traitResource: 'trait.oam.dev/resource',
} as const;

export const ANNOTATION = {
  lastApplied: 'app.oam.dev/last-applied-configuration',
  /** Stands in for the last-applied record where that would hold a secret. */
  lastAppliedDigest: 'slipway.dev/last-applied-digest',
  /** Digest of a tracker's record, by which an edit by hand is noticed. */
  recordDigest: 'slipway.dev/record-digest',
  /** On a tracker: what this server created again, `uid=uid that plans know it by`. */
  recreated: 'slipway.dev/recreated',
  platformVersion: 'oam.dev/kubevela-version',
  skipGC: 'app.oam.dev/skipGC',
  lifeLong: 'resourcetracker.oam.dev/life-long',
  minScale: 'autoscaling.knative.dev/min-scale',
  maxScale: 'autoscaling.knative.dev/max-scale',
} as const;

export const FINALIZER = {
  legacyTracker: 'resourceTracker.finalizer.core.oam.dev',
  tracker: 'app.oam.dev/resource-tracker-finalizer',
  revisions: 'app.oam.dev/only-revision-finalizer',
  orphan: 'app.oam.dev/orphan-resource',
} as const;

export const TRACKER_TYPE = KINDS.resourceTracker;
