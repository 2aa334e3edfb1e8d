import type { HealthStatus } from '@/lib/contract/health';
import type { KubeObject, ObjectAddress, ObjectKey } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import { Channel } from '@/lib/std/channel';
import type { Cluster } from '@/server/kube';
import type { Clock } from '@/server/platform';
import type { ResourceStatus, Statuses } from '@/server/status';
import { createStatuses, toIdentifierKey } from '@/server/status';
import type { ObjMetadata } from '@/server/status/identifier';
import type { Provenance } from '@/server/status/live/provenance';
import type { StatusEvent } from '@/server/status/resource-status';

export interface FakeStatuses {
  readonly statuses: Statuses;
  /** Tells the status of an object to whoever follows it. */
  tell(
    at: ObjectAddress,
    status: HealthStatus,
    over?: {
      readonly message?: string;
      readonly resource?: KubeObject;
      readonly below?: readonly ResourceStatus[];
      readonly rule?: string;
      readonly sight?: Provenance;
    },
  ): void;
  /** How objects of a kind in the cluster are judged from now on, whatever was told of them; as told where nothing is given. */
  evaluateInCluster(kind: string, status: HealthStatus | undefined): void;
  /** What the trackers of an application list from now on. */
  list(application: ObjectKey, objects: readonly ObjectAddress[]): void;
  /** Streams that are open. */
  readonly open: () => number;
}

/** Statuses that a test tells by hand; what it does not tell is absent. */
export function createFakeStatuses(cluster: Pick<Cluster, 'get' | 'discovery'>, clock: Clock): FakeStatuses {
  const told = new Map<string, ResourceStatus>();
  const inCluster = new Map<string, HealthStatus | undefined>();
  const sights = new Map<string, Provenance>();
  const streams = new Set<(resource: ResourceStatus) => void>();
  const ledgers = new Map<ObjectKey, readonly ObjectAddress[]>();
  const listeners = new Set<() => void>();
  const statusNow = (identifier: ObjMetadata): ResourceStatus =>
    told.get(toIdentifierKey(identifier)) ?? { identifier, status: 'NotFound', message: 'Resource not found', generated: [] };

  async function* watch(
    identifiers: readonly ObjMetadata[],
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<StatusEvent, void, void> {
    const asked = new Set(identifiers.map(toIdentifierKey));
    const channel = new Channel<StatusEvent>(100_000);
    const onTold = (resource: ResourceStatus) => {
      if (asked.has(toIdentifierKey(resource.identifier))) void channel.send({ type: 'Update', resource });
    };
    streams.add(onTold);
    signal.addEventListener('abort', () => channel.close(), { once: true });
    try {
      for (const identifier of identifiers) yield { type: 'Update', resource: statusNow(identifier) };
      yield { type: 'Sync' };
      yield* channel;
    } finally {
      streams.delete(onTold);
    }
  }

  const nothing: readonly ObjectAddress[] = [];
  return {
    open: () => streams.size,
    tell({ apiVersion, kind, namespace = '', name }, status, { message = '', resource, below = [], rule, sight } = {}) {
      const identifier = { group: groupOf(apiVersion), kind, namespace, name };
      const one: ResourceStatus = {
        identifier,
        status,
        message,
        generated: below,
        ...(resource ? { resource } : {}),
        ...(rule ? { rule } : {}),
      };
      told.set(toIdentifierKey(identifier), one);
      if (sight !== undefined) sights.set(toIdentifierKey(identifier), sight);
      for (const onTold of streams) onTold(one);
    },
    evaluateInCluster: (kind, status) => void inCluster.set(kind, status),
    list(application, objects) {
      ledgers.set(application, objects);
      for (const listener of listeners) listener();
    },
    statuses: createStatuses({
      cluster,
      clock,
      stream: {
        watch,
        of: ({ apiVersion, kind, metadata: { namespace = '', name = '' } }) => {
          const now = statusNow({ group: groupOf(apiVersion), kind, namespace, name });
          return { ...now, status: inCluster.get(kind) ?? now.status };
        },
        latest: (identifier) => told.get(toIdentifierKey(identifier)),
        provenanceOf: (identifier) => sights.get(toIdentifierKey(identifier)) ?? { source: 'watch', at: clock.now() },
      },
      ledgerOf: (application) => ({
        sentence: () => undefined,
        objects: () => ledgers.get(application) ?? nothing,
        onChange: (listener) => {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
      }),
      onFailure: (error) => {
        throw error;
      },
    }),
  };
}
