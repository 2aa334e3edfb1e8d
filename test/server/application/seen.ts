import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Observation } from '@/server/application/observe/observe';
import type { Revision } from '@/server/application/revision';
import { hashOf, readRevision, toRevisionObject } from '@/server/application/revision';
import { parseApplication } from '@/server/application/spec/parse';
import type { ResourceTracker, TrackerEntry } from '@/server/dispatch';

export const configMap = (name: string, data: Readonly<Record<string, string>> = {}, more: object = {}) => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more }, data },
});

/** An application of plain objects under policies, by type. */
export function holding(objects: readonly object[], policies: Readonly<Record<string, object>> = {}, metadata: object = {}): KubeObject {
  return {
    ...KINDS.application,
    metadata: { name: 'web', namespace: 'shop', uid: 'app', generation: 2, ...metadata },
    spec: {
      components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }],
      policies: Object.entries(policies).map(([type, properties]) => ({ name: type, type, properties })),
    },
  };
}

/** The revision that the engine makes of it. */
export function revisionOf(application: KubeObject, notes: Readonly<Record<string, string>> = {}, number = 1): Revision {
  const parsed = parseApplication(application);
  const revision = readRevision(toRevisionObject(parsed, `web-v${number}`, hashOf(parsed), notes));
  if (revision === undefined) throw new Error(`web-v${number} is no revision`);
  return revision;
}

export const entry = (kind: string, name: string, more: Partial<TrackerEntry> = {}): TrackerEntry => ({
  ...{ apiVersion: 'v1', kind, name, namespace: 'shop', cluster: 'local', component: 'set', deleted: false, skipGC: false, ...more },
});
export const recording = (...entries: readonly TrackerEntry[]) => ({ name: 'web-v1-shop', entries }) as unknown as ResourceTracker;

/** An application as it is observed after these revisions. */
export const seenAfter = (revisions: readonly Revision[], object: KubeObject, more: Partial<Observation> = {}): Observation => ({
  object,
  application: parseApplication(object),
  revisions,
  highestNumber: revisions.at(-1)?.number ?? 0,
  trackers: [],
  trackerFaults: [],
  trackerNamed: () => undefined,
  recordedBy: () => undefined,
  rollout: undefined,
  decisions: [],
  latest: undefined,
  workloads: [],
  ...more,
});
