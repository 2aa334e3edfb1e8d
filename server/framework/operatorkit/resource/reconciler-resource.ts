import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import type { Log } from '@/server/platform';
import { lazyChild } from '@/server/platform';
import type { Reconciler } from '../../reconciler';
import { loggerFields } from '../context/logger-meta';
import { setOutcome } from '../context/pass-outcome';
import { getRunCacheKey } from '../context/run-cache-key';
import type { Resource } from './resource';

export interface ReconcilerResourceConfig {
  readonly name: string;
  readonly reconcile: Reconciler<ObjectKey>;
  readonly logger: Log;
  /** The key by whose shard a pass acts; the object's own when absent. */
  readonly shardKey?: (key: ObjectKey) => ObjectKey;
  /** Notes what a pass over a key writes; nobody does when absent. */
  readonly noting?: (key: ObjectKey, cluster: Cluster) => Cluster;
}

/**
 * A reconciler as a resource. It is level-triggered: creation and deletion are the same pass over the object's key. What it asks for is
 * left in the run's outcome box, and its lines in the log name what the run's do.
 */
export function reconcilerResource(config: ReconcilerResourceConfig): Resource<KubeObject> {
  const pass: Resource<KubeObject>['ensureCreated'] = async (context, object) => {
    const key = toObjectKey(object.metadata);
    const reconcileId = getRunCacheKey(context) ?? config.name;
    const fields = loggerFields(context); // of now: the run goes on to name others
    const log = lazyChild(config.logger, () => ({ ...fields, reconcileId }));
    const { noting } = config;
    const pass = { signal: context.signal, shardKey: config.shardKey?.(key) ?? key, reconcileId, log };
    setOutcome(context, await config.reconcile(key, noting === undefined ? pass : { ...pass, noting: (cluster) => noting(key, cluster) }));
  };
  return { name: config.name, ensureCreated: pass, ensureDeleted: pass };
}
