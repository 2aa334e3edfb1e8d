import { describe, expect, it } from 'vitest';
import { applicationDetail } from '@/lib/contract/application-rows';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import type { Rows } from '../server/readmodel/rig';
import { openRows } from '../server/readmodel/rig';
import type { ClusterKind, House } from '../support/house';
import { driven, startHouse } from '../support/house';

const TEST_LIMIT_MS = 300_000;
const DEFINITION = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
const POLICY = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' } as const;
const TEMPLATE = { apiVersion: 'v1', kind: 'PodTemplate' } as const;

const routeAt = (house: House) => ({ apiVersion: `${house.ns}.example.com/v1`, kind: 'Way' });

/** As a definition of the Gateway API has it: lists in entries of lists, with defaults in both. */
function definition(house: House): KubeObject {
  const backend = {
    type: 'object',
    properties: { name: { type: 'string' }, kind: { type: 'string', default: 'Service' }, weight: { type: 'integer', default: 1 } },
  };
  const rule = {
    type: 'object',
    properties: {
      backendRefs: { type: 'array', items: backend },
      matches: { type: 'array', items: { type: 'object', properties: { path: { type: 'string' } } }, default: [{ path: '/' }] },
    },
  };
  const listener = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, from: { type: 'string', default: 'Same' } },
  };
  const listeners = { type: 'array', items: listener, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
  const spec = { type: 'object', properties: { rules: { type: 'array', items: rule }, listeners } };
  const group = `${house.ns}.example.com`;
  return {
    ...DEFINITION,
    metadata: { name: `ways.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Way', plural: 'ways', singular: 'way', listKind: 'WayList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
    },
  };
}

const PEER = { podSelector: { matchLabels: { app: 'web' } } };

function openings(house: House): readonly KubeObject[] {
  const sources = [{ serviceAccountToken: { path: 'token' } }];
  const template = { spec: { containers: [{ name: 'web', image: 'web:1' }], volumes: [{ name: 'token', projected: { sources } }] } };
  return [
    { ...POLICY, metadata: { name: 'web' }, spec: { podSelector: {}, ingress: [{ from: [PEER], ports: [{ port: 80 }] }] } },
    { ...TEMPLATE, metadata: { name: 'web' }, template },
    { ...routeAt(house), metadata: { name: 'web' }, spec: { rules: [{ backendRefs: [{ name: 'web' }] }], listeners: [{ name: 'http' }] } },
  ];
}

function shop(objects: readonly KubeObject[], policies: readonly object[] = []): KubeObject {
  const components = [{ name: 'net', type: 'k8s-objects', properties: { objects } }];
  return { ...KINDS.application, metadata: { name: 'shop' }, spec: { components, policies } };
}

interface Sent {
  readonly at: ObjectAddress;
  readonly body: unknown;
}

/** The same cluster, whose patches are noted with what they write. */
function notingPatches(cluster: Cluster, sent: Sent[]): Cluster {
  return {
    ...cluster,
    patch: (at, patch, options) => {
      sent.push({ at, body: patch.body });
      return cluster.patch(at, patch, options);
    },
  };
}

const contentOf = (body: unknown) => readField(body, 'spec') ?? readField(body, 'template');

function driftOf(rows: Rows, house: House) {
  const [row] = rows.see({ kind: 'application', ns: house.ns, name: 'shop' })?.rows ?? [];
  return row === undefined ? undefined : applicationDetail.parse(row).drift;
}

const applied = async (house: House) => readString(await house.get(KINDS.application, 'shop'), 'status', 'latestRevision', 'name');
const fieldsOf = (rows: Rows, house: House) =>
  driftOf(rows, house)?.objects.flatMap(({ kind, fields }) => fields.map(({ path }) => `${kind} ${path}`)) ?? [];

async function defineWays(house: House): Promise<void> {
  await driven(house.clock, house.cluster.create(definition(house)));
  await house.until('the kind is served', () => {
    house.cluster.discovery.invalidate();
    return house.cluster.discovery.resolve(routeAt(house)).then(
      () => true,
      () => false,
    );
  });
}

const remove = (house: House) => house.cluster.delete({ ...DEFINITION, name: `ways.${house.ns}.example.com` }).catch(() => undefined);

/** Entries of lists that the server fills in are no drift; what somebody adds to them is. */
export function defineFilledListsHouse(clusterKind: ClusterKind): void {
  describe(`lists that the server fills in, on the ${clusterKind} cluster`, () => {
    it('[design 14] are as specified: no drift, nothing to change, nothing written again', { timeout: TEST_LIMIT_MS }, async () => {
      const sent: Sent[] = [];
      await using house = await startHouse({ clusterKind, through: (cluster) => notingPatches(cluster, sent) });
      await using _definition = { [Symbol.asyncDispose]: () => driven(house.clock, remove(house)).then(() => undefined) };
      await using rows = await openRows(house);
      await defineWays(house);
      await house.apply(shop(openings(house)));
      await house.until('it is applied', async () => (await applied(house)) === 'shop-v1');
      const live = await house.get(POLICY, 'web');
      expect(readField(live, 'spec', 'ingress', 0, 'ports', 0, 'protocol')).toBe('TCP');
      expect(readField(await house.get(routeAt(house), 'web'), 'spec', 'rules', 0)).toEqual({
        backendRefs: [{ name: 'web', kind: 'Service', weight: 1 }],
        matches: [{ path: '/' }],
      });
      await house.until('all is compared', () => driftOf(rows, house)?.compared === 3);
      await house.until('nothing differs', () => fieldsOf(rows, house).length === 0);
      const more = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'more' }, data: {} };
      const { spec } = shop([...openings(house), more]);
      const stored = await house.get(KINDS.application, 'shop');
      const { objects } = await house.plan({ ...shop([]), ...stored, spec });
      expect(objects.map(({ at, verdict }) => `${at.kind} ${verdict}`).sort()).toEqual([
        'ConfigMap new',
        'NetworkPolicy handed-over',
        'PodTemplate handed-over',
        'Way handed-over',
      ]);
      sent.length = 0;
      for (const kind of [POLICY, TEMPLATE, routeAt(house)]) {
        const at = { ...kind, namespace: house.ns, name: 'web' };
        const labels = { 'app.oam.dev/name': 'other' };
        await driven(house.clock, house.cluster.patch(at, { type: 'merge', body: { metadata: { labels } } }, { fieldManager: 'somebody' }));
        await house.until('the label is put back', () => sent.some((one) => one.at.kind === kind.kind));
      }
      expect(sent.filter(({ body }) => contentOf(body) !== undefined)).toEqual([]);
    });

    it('[design 14] are drift once somebody adds to an entry, and are put back', { timeout: TEST_LIMIT_MS }, async () => {
      await using house = await startHouse({ clusterKind });
      await using _definition = { [Symbol.asyncDispose]: () => driven(house.clock, remove(house)).then(() => undefined) };
      await defineWays(house);
      await house.apply(shop(openings(house)));
      await house.until('it is applied', async () => (await applied(house)) === 'shop-v1');
      const at = { ...POLICY, namespace: house.ns, name: 'web' };
      const ingress = [{ from: [{ ...PEER, namespaceSelector: {} }], ports: [{ port: 80, protocol: 'TCP' }] }];
      await driven(house.clock, house.cluster.patch(at, { type: 'merge', body: { spec: { ingress } } }, { fieldManager: 'somebody' }));
      const open = async () => readField(await house.get(POLICY, 'web'), 'spec', 'ingress', 0, 'from', 0);
      await house.until('it is put back', async () => readField(await open(), 'namespaceSelector') === undefined);
      const told = () =>
        [...house.record.values()].filter(({ action, about }) => action === 'drift.repaired' && about.namespace === house.ns);
      await house.until('it is on record', () => told().length > 0);
      expect(told()[0]?.message).toContain('namespaceSelector (set by somebody)');
    });

    it('[design 14] are as specified also where another wrote them, and the application took them over', {
      timeout: TEST_LIMIT_MS,
    }, async () => {
      await using house = await startHouse({ clusterKind });
      await using _definition = { [Symbol.asyncDispose]: () => driven(house.clock, remove(house)).then(() => undefined) };
      await using rows = await openRows(house);
      await defineWays(house);
      for (const object of openings(house)) {
        const there = { ...object, metadata: { ...object.metadata, namespace: house.ns } };
        await driven(house.clock, house.cluster.create(there, { fieldManager: 'somebody' }));
      }
      const made = house.clock.now();
      // Who wrote is noted by the second.
      await house.until('another second has begun', () => house.clock.now() - made > 1100);
      const rules = [{ selector: { componentNames: ['net'] } }];
      await house.apply(shop(openings(house), [{ name: 'ours', type: 'take-over', properties: { rules } }]));
      await house.until('it is applied', async () => (await applied(house)) === 'shop-v1');
      await house.until('all is compared', () => driftOf(rows, house)?.compared === 3);
      await house.until('nothing differs', () => fieldsOf(rows, house).length === 0);
    });
  });
}
