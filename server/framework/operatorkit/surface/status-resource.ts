import type { Condition } from '@/lib/kube/condition';
import { readConditions } from '@/lib/kube/condition';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import type { Cluster } from '@/server/kube';
import { ignoreNotFound } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import { requireConfig } from '../errors';
import { CRUDResource } from '../resource/crud-resource';
import { NewPatch } from '../resource/patch';
import type { CRUDResourceOps } from '../resource/resource';

/** A condition as a resource wants it; when it last changed is found out by comparing. */
export type WantedCondition = Omit<Condition, 'lastTransitionTime'>;

/** What a status is to say. Members that are not named stay as they are, conditions of other types too. */
export interface WantedStatus {
  readonly conditions?: readonly WantedCondition[];
  readonly [member: string]: unknown;
}

export interface StatusResourceConfig {
  readonly name: string;
  readonly cluster: Pick<Cluster, 'get' | 'update'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Log;
  /** Asked after the resources before it have run, with the object as it is then. */
  readonly desired: (object: KubeObject) => Promise<WantedStatus> | WantedStatus;
}

type State = KubeObject | undefined;

/**
 * A CRUD resource that writes the status of the object itself: a later one than those that bring things about, since desired state flows
 * down and what is flows up. A status that says so already is not written: each write is an event, and would come back for ever.
 */
export function statusResource({
  name,
  cluster,
  clock,
  logger,
  desired,
}: StatusResourceConfig): CRUDResource<KubeObject, State, KubeObject> {
  requireConfig(cluster, 'Cluster');
  const ops: CRUDResourceOps<KubeObject, State, KubeObject> = {
    name,
    async getCurrentState({ signal }, object) {
      return ignoreNotFound(cluster.get(toAddress(object), { signal }));
    },
    // What is wanted rests on the object as it is, which only the patch knows.
    getDesiredState: async () => undefined,
    async newUpdatePatch(_context, _object, current) {
      const patch = NewPatch<KubeObject>();
      if (current === undefined) return patch;
      const status = mergeStatus(current, await desired(current), clock.now());
      if (!deepEqual(current.status, status)) patch.setUpdateChange({ ...current, status });
      return patch;
    },
    newDeletePatch: async () => NewPatch<KubeObject>(),
    applyCreateChange: async () => undefined,
    applyDeleteChange: async () => undefined,
    async applyUpdateChange({ signal }, _object, change) {
      await cluster.update(change, { subresource: 'status', signal });
    },
  };
  return new CRUDResource({ logger, ops });
}

/** The status as it should be: a condition's time moves only when its status does. */
function mergeStatus(current: KubeObject, { conditions: wanted = [], ...members }: WantedStatus, now: Instant): unknown {
  const held = readConditions(current);
  const next = wanted.map((condition): Condition => {
    const before = held.find(({ type }) => type === condition.type);
    const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : undefined;
    return { ...condition, lastTransitionTime: lastTransitionTime ?? toKubeTime(now) };
  });
  const others = held.filter(({ type }) => !wanted.some((condition) => condition.type === type));
  const conditions = [...others, ...next];
  return { ...(current.status as object | undefined), ...members, ...(conditions.length === 0 ? {} : { conditions }) };
}
