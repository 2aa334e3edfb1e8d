import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import type { ResourceStatus } from '@/server/status';
import { discoveryMapper, LiveStatus } from '@/server/status';
import { clusterApiReader } from '@/server/status/cluster/api-reader';
import type { ObjMetadata } from '@/server/status/identifier';
import { formatObjMetadata } from '@/server/status/identifier';
import { PollerEngine } from '@/server/status/polling/poller-engine';
import { consoleReaders } from '@/server/status/readers/default-readers';
import type { StatusEvent } from '@/server/status/resource-status';
import type { ClusterKind, House } from '../support/house';
import { startHouse } from '../support/house';
import { silentLog } from '../support/silent-log';

const POLL_MS = 1000;
const TEST_LIMIT_MS = 400_000;
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const DEFINITION = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;

const limit = (clusterKind: ClusterKind) => (clusterKind === 'embedded' ? 10 * 60_000 : undefined);

/** What one way of looking has told last of each object, and everything it told of errors. */
interface Told {
  readonly latest: ReadonlyMap<string, ResourceStatus>;
  readonly errors: readonly string[];
  readonly synced: boolean;
}

/** Both ways of looking at the same objects: shared copies, and polls. */
interface Looks extends AsyncDisposable {
  readonly watched: Told;
  readonly polled: Told;
  /** Waits until both tell the same of every object, children included, and it is so. */
  agree(what: string, isSo: (told: ReadonlyMap<string, ResourceStatus>) => boolean): Promise<ReadonlyMap<string, ResourceStatus>>;
}

function look(house: House, identifiers: readonly ObjMetadata[]): Looks {
  const { cluster, clock, informers } = house;
  const stopping = new AbortController();
  const mapper = () => discoveryMapper(cluster.discovery);
  const engine = new PollerEngine({ api: clusterApiReader(cluster), mapper: mapper(), clock, readers: consoleReaders(clock, {}) });
  const watched = listen(
    new LiveStatus({ log: silentLog, informers, mapper: mapper(), clock }).watch(identifiers, { signal: stopping.signal }),
  );
  const polled = listen(engine.poll(identifiers, { signal: stopping.signal, pollIntervalMs: POLL_MS }));
  return {
    watched: watched.told,
    polled: polled.told,
    async agree(what, isSo) {
      const { latest } = watched.told;
      try {
        await house.until(what, () => isSo(latest) && describeAll(latest) === describeAll(polled.told.latest), limit(house.clusterKind));
      } catch (error) {
        throw new Error(`${what}: watched\n${describeAll(latest)}\npolled\n${describeAll(polled.told.latest)}`, { cause: error });
      }
      return latest;
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all([watched.ended, polled.ended]);
    },
  };
}

function listen(events: AsyncIterable<StatusEvent>): { readonly told: Told; readonly ended: Promise<void> } {
  const latest = new Map<string, ResourceStatus>();
  const errors: string[] = [];
  const told = { latest, errors, synced: false };
  const ended = (async () => {
    for await (const event of events) {
      if (event.type === 'Update') latest.set(formatObjMetadata(event.resource.identifier), event.resource);
      else if (event.type === 'Error') errors.push(event.error.text);
      else told.synced = true;
    }
  })();
  return { told, ended };
}

function describeAll(latest: ReadonlyMap<string, ResourceStatus>): string {
  return [...latest.keys()]
    .sort()
    .map((key) => describeTree(latest.get(key)))
    .join('\n');
}

function describeTree(tree: ResourceStatus | undefined): string {
  if (tree === undefined) return '';
  const { identifier, status, message, error, generated } = tree;
  return `${formatObjMetadata(identifier)} ${status} ${message}${error?.text ?? ''}[${generated.map(describeTree).join(' ')}]`;
}

const idOf = ({ apiVersion, kind }: TypeRef, name: string, namespace = ''): ObjMetadata => ({
  group: groupOf(apiVersion),
  kind,
  namespace,
  name,
});

/** The calls of a simulated cluster are answered as its clock moves. */
async function answered<T>(house: House, work: Promise<T>): Promise<T> {
  if (house.clusterKind === 'real') return work;
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  await house.until('the call is answered', () => isDone);
  return work;
}

function aDeployment(
  name: string,
  replicas: number,
  change: { readonly annotations?: Record<string, string>; readonly deadline?: number } = {},
): KubeObject {
  const labels = { app: name };
  return {
    ...KINDS.deployment,
    metadata: { name },
    spec: {
      replicas,
      ...(change.deadline === undefined ? {} : { progressDeadlineSeconds: change.deadline }),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: change.annotations ?? {} },
        spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'registry.example.com/web:1' }] },
      },
    },
  };
}

function aDefinition(group: string, served: 'v1' | 'v2' = 'v1'): KubeObject {
  return {
    ...DEFINITION,
    metadata: { name: `gauges.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Gauge', plural: 'gauges', singular: 'gauge', listKind: 'GaugeList' },
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: name === served,
        storage: name === served,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
    },
  };
}

/** Applies an object of a kind that is about to be served. */
async function applyOnceServed(house: House, object: KubeObject): Promise<void> {
  await house.until(`${object.kind} is served`, () =>
    house.apply(object).then(
      () => true,
      () => {
        house.cluster.discovery.invalidate();
        return false;
      },
    ),
  );
}

/** What both ways of looking tell of a cluster that lives, on either cluster. */
export function defineStatusHouse(clusterKind: ClusterKind): void {
  describe(`statuses on the ${clusterKind} cluster`, () => {
    it('[status 13.2] tells of a Deployment of 500 pods until every one of them is current', { timeout: TEST_LIMIT_MS }, async () => {
      await using house = await startHouse({ clusterKind, nodes: 6 });
      const id = idOf(KINDS.deployment, 'crowd', house.ns);
      await using looks = look(house, [id]);
      const key = formatObjMetadata(id);
      await looks.agree('it is not there', (told) => told.get(key)?.status === 'NotFound');
      expect(looks.watched.synced).toBe(true);
      await house.apply(aDeployment('crowd', 500));
      await house.until('it is on its way', () => looks.watched.latest.get(key)?.status === 'InProgress');
      const told = await looks.agree('it is current', (all) => all.get(key)?.status === 'Current');
      expect(told.get(key)?.message).toBe('Deployment is available. Replicas: 500');
      const [replicaSet, ...others] = told.get(key)?.generated ?? [];
      expect(others).toEqual([]);
      expect(replicaSet).toMatchObject({ status: 'Current', message: 'ReplicaSet is available. Replicas: 500' });
      expect(replicaSet?.generated).toHaveLength(500);
      expect(new Set(replicaSet?.generated.map(({ status, message }) => `${status} ${message}`))).toEqual(
        new Set(['Current Pod is Ready']),
      );
    });

    it('[status 6.2] tells of a Deployment that fails when its time is up, and of its recovery', { timeout: TEST_LIMIT_MS }, async () => {
      await using house = await startHouse({ clusterKind });
      const id = idOf(KINDS.deployment, 'broken', house.ns);
      await using looks = look(house, [id]);
      const key = formatObjMetadata(id);
      await house.apply(aDeployment('broken', 2, { annotations: { 'sim.slipway.dev/fail': 'crash-loop' }, deadline: 3 }));
      const told = await looks.agree('it has failed', (all) => {
        const tree = all.get(key);
        return (
          tree?.message === 'Progress deadline exceeded: 2 pods have failed: Containers in CrashLoop state: main' &&
          tree.status === 'Failed'
        );
      });
      const [replicaSet] = told.get(key)?.generated ?? [];
      expect(replicaSet?.message).toBe('2 pods have failed: Containers in CrashLoop state: main');
      expect(replicaSet?.generated.map(({ status, message }) => `${status}: ${message}`)).toEqual(
        Array(2).fill('Failed: Containers in CrashLoop state: main'),
      );

      await house.apply(aDeployment('broken', 2, { deadline: 3 }));
      await looks.agree('it is current again', (all) => all.get(key)?.message === 'Deployment is available. Replicas: 2');
    });

    it('[status 13.2] tells of objects whose definition was deleted that their kind is not served, and of them again once it is, at whatever version', {
      timeout: TEST_LIMIT_MS,
    }, async () => {
      await using house = await startHouse({ clusterKind });
      const group = `${house.ns}.example.com`;
      const gauge: KubeObject = { apiVersion: `${group}/v1`, kind: 'Gauge', metadata: { name: 'north' }, level: 1 };
      await answered(house, house.cluster.create(aDefinition(group)));
      await applyOnceServed(house, gauge);
      const id = idOf(gauge, 'north', house.ns);
      const definition = idOf(DEFINITION, `gauges.${group}`);
      await using looks = look(house, [id, definition]);
      const [key, definitionKey] = [formatObjMetadata(id), formatObjMetadata(definition)];
      await looks.agree(
        'both are current',
        (all) => all.get(key)?.status === 'Current' && all.get(definitionKey)?.message === 'CRD is established',
      );

      await answered(house, house.cluster.delete({ ...DEFINITION, name: definition.name }));
      const told = await looks.agree(
        'both are gone',
        (all) => all.get(key)?.status === 'Unknown' && all.get(definitionKey)?.status === 'NotFound',
      );
      expect(told.get(key)?.error).toEqual({ kind: 'noMatch', text: `no matches for kind "Gauge" in group "${group}"` });
      expect([...looks.watched.errors, ...looks.polled.errors]).toEqual([]);

      await answered(house, house.cluster.create(aDefinition(group)));
      await applyOnceServed(house, gauge);
      await looks.agree('both are back', (all) => all.get(key)?.status === 'Current' && all.get(definitionKey)?.status === 'Current');

      const body = { spec: aDefinition(group, 'v2').spec };
      await answered(house, house.cluster.patch({ ...DEFINITION, name: definition.name }, { type: 'merge', body }));
      await applyOnceServed(house, { ...gauge, apiVersion: `${group}/v2`, level: 2 });
      await looks.agree(
        'it is told of by its new version',
        (all) => all.get(key)?.status === 'Current' && all.get(key)?.resource?.level === 2,
      );
      await answered(house, house.cluster.delete({ ...DEFINITION, name: definition.name }));
    });

    it('[status G1] tells of a namespace that goes away, and of everything in it', { timeout: TEST_LIMIT_MS }, async () => {
      await using house = await startHouse({ clusterKind });
      const namespace = `${house.ns}-gone`;
      const finalizers = ['slipway.dev/test'];
      const settings: KubeObject = { ...CONFIG_MAP, metadata: { name: 'settings', namespace, finalizers } };
      await answered(house, house.cluster.create({ ...KINDS.namespace, metadata: { name: namespace } }));
      await answered(house, house.cluster.create(settings));
      const web = aDeployment('web', 3);
      await answered(house, house.cluster.create({ ...web, metadata: { ...web.metadata, namespace } }));
      const ids = [idOf(KINDS.namespace, namespace), idOf(CONFIG_MAP, 'settings', namespace), idOf(KINDS.deployment, 'web', namespace)];
      await using looks = look(house, ids);
      const statuses = (all: ReadonlyMap<string, ResourceStatus>) => ids.map((id) => all.get(formatObjMetadata(id))?.status).join(' ');
      await looks.agree('all is current', (all) => statuses(all) === 'Current Current Current');

      await answered(house, house.cluster.delete({ ...KINDS.namespace, name: namespace }));
      const held = await looks.agree('a finalizer holds it', (all) => statuses(all) === 'Terminating Terminating NotFound');
      expect([...held.values()].map(({ message }) => message).sort()).toEqual([
        'Resource not found',
        'Resource scheduled for deletion',
        'Resource scheduled for deletion',
      ]);

      const body = { metadata: { finalizers: null } };
      await answered(house, house.cluster.patch({ ...CONFIG_MAP, namespace, name: 'settings' }, { type: 'merge', body }));
      await looks.agree('all is gone', (all) => statuses(all) === 'NotFound NotFound NotFound');
    });
  });
}
