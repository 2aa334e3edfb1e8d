import type { HealthStatus } from '@/lib/contract/health';
import type { KubeObject } from '@/lib/kube/object';
import { groupOf, toAddress, toObjectKey } from '@/lib/kube/object';
import type { LiveState, TrackerEntry } from '@/server/dispatch';
import { cachedState } from '@/server/dispatch';
import type { ResourceStatus } from '@/server/status';
import { sentenceOf, unservedStatus } from '@/server/status';
import type { ClusterView } from './cluster-view';

/** Status and message of one object. */
export interface Health {
  readonly health: HealthStatus;
  readonly message: string;
  /** The rule that told it; absent where none was asked. */
  readonly rule?: string;
}

/** The computed status as rows show it. */
export function toHealth(status: ResourceStatus): Health {
  return { health: status.status, message: sentenceOf(status), ...(status.rule === undefined ? {} : { rule: status.rule }) };
}

/** What is known of a recorded object from the copies. */
export function toLiveState(view: Pick<ClusterView, 'open' | 'clock'>, entry: TrackerEntry): LiveState {
  return cachedState(view.open(entry), entry, view.clock.now());
}

interface StatusDeps {
  readonly view: ClusterView;
  readonly healthOf: (object: KubeObject) => Health;
}

/** Status of an object that the copies hold; of one that may not be read any more nobody knows. */
export function statusOfCopy(object: KubeObject, { view, healthOf }: StatusDeps): Health {
  const known = view.open(object).knowledge(toObjectKey(object.metadata));
  if (known.kind === 'unserved') return ofUnserved(toAddress(object));
  return known.kind === 'forbidden' ? { health: 'Unknown', message: `it may no longer be read: ${known.reason}` } : healthOf(object);
}

/** Status of a recorded object; one that is not in a copy nobody can trust is Unknown, not missing. */
export function statusOfEntry(entry: TrackerEntry, { view, healthOf }: StatusDeps): Health {
  if (view.open(entry).knowledge(toObjectKey(entry)).kind === 'unserved') return ofUnserved(entry);
  const live = toLiveState(view, entry);
  switch (live.kind) {
    case 'present':
      return healthOf(live.object);
    case 'absent':
      return { health: 'NotFound', message: 'recorded, but not in the cluster' };
    case 'unknown':
      return { health: 'Unknown', message: `recorded, but it is unknown whether it exists: ${live.why}` };
  }
}

/** As the status engine tells it: without its kind nobody can judge an object. */
function ofUnserved({ apiVersion, kind, namespace = '', name }: Pick<TrackerEntry, 'apiVersion' | 'kind' | 'namespace' | 'name'>): Health {
  return toHealth(unservedStatus({ group: groupOf(apiVersion), kind, namespace, name }));
}
