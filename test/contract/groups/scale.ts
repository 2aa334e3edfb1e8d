import { statusOf } from '../ask';
import { DEPLOYMENT, deployment, REPLICA_SET } from '../objects';
import type { ContractCase } from '../scene';

const STATEFUL_SET = { apiVersion: 'apps/v1', kind: 'StatefulSet' } as const;

export const scale: readonly ContractCase[] = [
  {
    title: '[cluster W7] scale of a workload is read, replaced and patched by itself',
    async play({ cluster, ns, note }) {
      // Paused, and of a scheduler that does not exist, so that only the spec moves.
      const { spec } = deployment(ns, 'a', { replicas: 0, paused: true });
      const { paused: _paused, ...plain } = spec as Record<string, unknown>;
      await cluster.create(deployment(ns, 'a', { replicas: 0, paused: true }));
      await cluster.create({ ...STATEFUL_SET, metadata: { namespace: ns, name: 'a' }, spec: { ...plain, serviceName: 'a' } });
      for (const kind of [DEPLOYMENT, STATEFUL_SET]) {
        const at = { ...kind, namespace: ns, name: 'a' };
        const shape = ({
          status: _status,
          metadata: { resourceVersion: _version, ...metadata },
          ...rest
        }: Awaited<ReturnType<typeof cluster.get>>) => ({
          ...rest,
          metadata,
        });
        const seen = await cluster.get(at, { subresource: 'scale' });
        await note(`${kind.kind} get`, shape(seen));
        await note(
          `${kind.kind} merge`,
          cluster.patch(at, { type: 'merge', body: { spec: { replicas: 0 } } }, { subresource: 'scale' }).then(shape),
        );
        await note(
          `${kind.kind} negative`,
          cluster.patch(at, { type: 'merge', body: { spec: { replicas: -1 } } }, { subresource: 'scale' }),
        );
        await note(
          `${kind.kind} stale`,
          cluster.update({ ...seen, metadata: { ...seen.metadata, resourceVersion: '1' } }, { subresource: 'scale', parent: kind }),
        );
        const { resourceVersion: _version, ...metadata } = seen.metadata;
        await note(
          `${kind.kind} replaced`,
          cluster.update({ ...seen, metadata, spec: { replicas: 1 } }, { subresource: 'scale', parent: kind }).then(shape),
        );
        await note(
          `${kind.kind} spec`,
          cluster.get(at).then((object) => [(object.spec as { replicas: number }).replicas, object.metadata.generation]),
        );
        await note(`${kind.kind} nobody`, cluster.get({ ...at, name: 'nobody' }, { subresource: 'scale' }));
      }
      await note('of a kind without', statusOf(cluster, { path: `/api/v1/namespaces/${ns}/configmaps/a/scale` }));
      await note('of a replica set that is not there', cluster.get({ ...REPLICA_SET, namespace: ns, name: 'a' }, { subresource: 'scale' }));
    },
  },
];
