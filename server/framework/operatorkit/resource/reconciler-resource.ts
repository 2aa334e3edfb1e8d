import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Log } from '@/server/platform';
import type { Reconciler } from '../../reconciler';
import type { Resource } from './resource';

export interface ReconcilerResourceConfig {
  readonly name: string;
  readonly reconcile: Reconciler<ObjectKey>;
  readonly logger: Log;
  /** Names each pass in log lines. */
  readonly nextId: () => string;
  /** Looks at a key again after so many milliseconds, as an outcome asks. */
  readonly requeue: (key: ObjectKey, afterMs: number) => void;
}

/** A reconciler as a resource. It is level-triggered: creation and deletion are the same pass over the object's key. */
export function reconcilerResource(config: ReconcilerResourceConfig): Resource<KubeObject> {
  const pass: Resource<KubeObject>['ensureCreated'] = async (context, object) => {
    const key = toObjectKey(object.metadata);
    const reconcileId = config.nextId();
    const log = config.logger.child({ resource: config.name, key, reconcileId });
    const outcome = await config.reconcile(key, { signal: context.signal, shardKey: key, reconcileId, log });
    if (outcome.kind === 'requeueAfter') config.requeue(key, outcome.ms);
  };
  return { name: config.name, ensureCreated: pass, ensureDeleted: pass };
}
