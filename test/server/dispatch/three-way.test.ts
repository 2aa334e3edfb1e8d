import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import { mergeRulesOf } from '@/server/dispatch/apply/merge-rules';
import { computeThreeWayPatch } from '@/server/dispatch/apply/three-way';
import { applyMergePatch, applyStrategicPatch } from '../../support/dispatch-merge';

const DEPLOYMENT = mergeRulesOf({ apiVersion: 'apps/v1', kind: 'Deployment' });
const pod = (spec: object) => ({ spec: { template: { spec } } });
const patchOf = (current: Fields, modified: Fields, original?: Fields) => computeThreeWayPatch({ original, current, modified }, DEPLOYMENT);

describe('the strategic merge patch', () => {
  it.each<[string, Fields, Fields, Fields | undefined, unknown]>([
    ['is empty when nothing differs', pod({ containers: [{ name: 'a' }] }), pod({ containers: [{ name: 'a' }] }), undefined, {}],
    [
      'leaves what others set',
      pod({ dnsPolicy: 'ClusterFirst', containers: [{ name: 'a', image: '1', terminationMessagePath: '/x' }] }),
      pod({ containers: [{ name: 'a', image: '1' }] }),
      undefined,
      {},
    ],
    [
      'removes what we applied and no longer want',
      { spec: { replicas: 3, paused: true } },
      { spec: {} },
      { spec: { replicas: 3 } },
      { spec: { replicas: null } },
    ],
    [
      'merges containers by name, keeps a foreign one, and states the order of ours',
      pod({ containers: [{ name: 'a', image: '1' }, { name: 'mesh' }] }),
      pod({ containers: [{ name: 'a', image: '2' }] }),
      undefined,
      pod({ containers: [{ name: 'a', image: '2' }], '$setElementOrder/containers': [{ name: 'a' }] }),
    ],
    [
      'deletes an entry by key only when we had applied it',
      pod({ containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }),
      pod({ containers: [{ name: 'a' }] }),
      pod({ containers: [{ name: 'a' }, { name: 'b' }] }),
      pod({ containers: [{ $patch: 'delete', name: 'b' }], '$setElementOrder/containers': [{ name: 'a' }] }),
    ],
    [
      'states a new order alone',
      pod({ containers: [{ name: 'a' }, { name: 'b' }] }),
      pod({ containers: [{ name: 'b' }, { name: 'a' }] }),
      undefined,
      pod({ '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] }),
    ],
    [
      'says which members of a union stay',
      { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
      { spec: { strategy: { type: 'Recreate' } } },
      undefined,
      { spec: { strategy: { type: 'Recreate', $retainKeys: ['type'] } } },
    ],
    [
      'replaces a list in which a key occurs twice, since merging would mix the entries up',
      pod({ containers: [{ name: 'a', ports: [{ containerPort: 53 }] }] }),
      pod({ containers: [{ name: 'a', ports: [{ containerPort: 53, protocol: 'UDP' }, { containerPort: 53 }] }] }),
      undefined,
      pod({
        containers: [{ name: 'a', ports: [{ $patch: 'replace' }, { containerPort: 53, protocol: 'UDP' }, { containerPort: 53 }] }],
        '$setElementOrder/containers': [{ name: 'a' }],
      }),
    ],
    [
      'takes plain values out of a set one by one',
      { metadata: { finalizers: ['ours', 'theirs'] } },
      { metadata: { finalizers: [] } },
      { metadata: { finalizers: ['ours'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['ours'] } },
    ],
    [
      'knows that 0.5 and 500m are one amount',
      pod({ containers: [{ name: 'a', resources: { limits: { cpu: '500m' } } }] }),
      pod({ containers: [{ name: 'a', resources: { limits: { cpu: '0.5' } } }] }),
      undefined,
      {},
    ],
    [
      'says nothing about nulls and empty lists that the server does not store',
      { metadata: { name: 'a' } },
      { metadata: { name: 'a', creationTimestamp: null, finalizers: [] } },
      undefined,
      {},
    ],
    [
      'says nothing about an empty list that the server answers as null, nor about a map without members',
      { rules: null, metadata: { name: 'a' } },
      { rules: [], metadata: { name: 'a', annotations: {}, labels: {} } },
      undefined,
      {},
    ],
    [
      'says nothing about empty lists in entries of a list that is compared whole',
      { rules: [{ verbs: ['get'], resources: ['pods'] }] },
      { rules: [{ verbs: ['get'], resources: ['pods'], resourceNames: [], nonResourceURLs: null }] },
      undefined,
      {},
    ],
    ['empties a list that has entries', { rules: [{ verbs: ['get'] }] }, { rules: [] }, undefined, { rules: [] }],
    [
      'writes an empty object that may say something',
      pod({ containers: [], volumes: [{ name: 'v' }] }),
      pod({ containers: [], volumes: [{ name: 'v', emptyDir: {} }] }),
      undefined,
      pod({
        volumes: [{ name: 'v', emptyDir: {}, $retainKeys: ['name', 'emptyDir'] }],
        '$setElementOrder/volumes': [{ name: 'v' }],
      }),
    ],
  ])('[dispatch A3] %s', (_title, current, modified, original, patch) => {
    expect(patchOf(current, modified, original)).toEqual(patch);
  });

  describe('where entries that took the place of ours are deleted', () => {
    const SERVICE = mergeRulesOf({ apiVersion: 'v1', kind: 'Service' });
    const ports = (...list: readonly Fields[]): Fields => ({ spec: { ports: list } });
    const patched = (current: Fields, wanted: Fields) =>
      computeThreeWayPatch({ original: wanted, current, modified: wanted }, SERVICE, { deleteReplaced: true });
    const http = { name: 'http', port: 80, targetPort: 8080 };

    it.each<[string, Fields, Fields, Fields]>([
      [
        'the one port under another number',
        ports({ port: 80 }),
        ports({ port: 9999, protocol: 'TCP' }),
        ports({ port: 9999, $patch: 'delete' }, { port: 80 }),
      ],
      [
        'a named port under another number, whatever else changed',
        ports(http),
        ports({ ...http, port: 9999, targetPort: 1 }),
        ports({ port: 9999, $patch: 'delete' }, http),
      ],
      [
        'one of two, recognised by its other members',
        ports({ port: 80, targetPort: 8080 }, { port: 443, targetPort: 8443 }),
        ports({ port: 443, targetPort: 8443 }, { port: 1, targetPort: 1 }, { port: 9999, targetPort: 8080 }),
        ports({ port: 9999, $patch: 'delete' }, { port: 80, targetPort: 8080 }),
      ],
    ])('[dispatch 13] %s', (_title, wanted, live, entries) => {
      const { spec } = patched(live, wanted) as { readonly spec: { readonly ports: readonly unknown[] } };
      const { ports: expected } = entries.spec as { readonly ports: readonly unknown[] };
      expect(spec.ports).toHaveLength(expected.length);
      expect(spec.ports).toEqual(expect.arrayContaining([...expected]));
      const reached = applyStrategicPatch(live, patched(live, wanted));
      expect(patched(reached, wanted)).toEqual({});
    });

    it('[dispatch A3] what others put beside ours stays, also where ours is gone', () => {
      expect(patched(ports(http, { name: 'metrics', port: 9999 }), ports(http))).toEqual({});
      const beside = ports({ name: 'metrics', port: 9999, targetPort: 1 }, { name: 'mesh', port: 15_000 });
      expect(patched(beside, ports(http))).toEqual({ spec: { ports: [http], '$setElementOrder/ports': [{ port: 80 }] } });
    });

    it('[dispatch A3] an entry that we do not know to have applied takes no place', () => {
      const patch = computeThreeWayPatch({ original: undefined, current: ports({ port: 9999 }), modified: ports({ port: 80 }) }, SERVICE, {
        deleteReplaced: true,
      });
      expect(patch).toEqual({ spec: { ports: [{ port: 80 }], '$setElementOrder/ports': [{ port: 80 }] } });
    });
  });

  it('[issue 9.4] claims of a StatefulSet are as specified with what the server filled in, and are written whole where they differ', () => {
    const rules = mergeRulesOf({ apiVersion: 'apps/v1', kind: 'StatefulSet' });
    const set = (...volumeClaimTemplates: readonly object[]) => ({ spec: { volumeClaimTemplates } });
    const claim = (storage: string, more: object = {}) => ({
      metadata: { name: 'own' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...more },
    });
    const live = set({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      ...claim('1Gi', { volumeMode: 'Filesystem' }),
      status: { phase: 'Pending' },
    });
    const patch = (modified: Fields, original?: Fields) => computeThreeWayPatch({ original, current: live, modified }, rules);
    expect(patch(set(claim('1Gi')))).toEqual({});
    expect(patch(set(claim('1024Mi')))).toEqual({});
    expect(patch(set(claim('2Gi')))).toEqual(set(claim('2Gi')));
    expect(patch(set(claim('1Gi'), claim('1Gi')))).toEqual(set(claim('1Gi'), claim('1Gi')));
    expect(patch(set(claim('1Gi')), set(claim('1Gi', { volumeMode: 'Filesystem' })))).toEqual(set(claim('1Gi')));
  });

  describe('of two ports under one number', () => {
    const dns = {
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ],
    };
    const live = { ports: dns.ports.map((port, at) => ({ ...port, targetPort: 53, nodePort: 30_000 + at })) };
    const SERVICE = mergeRulesOf({ apiVersion: 'v1', kind: 'Service' });
    const patched = (current: Fields) =>
      computeThreeWayPatch({ original: { spec: dns }, current: { spec: current }, modified: { spec: dns } }, SERVICE);

    it('[dispatch A3] is empty when the server only filled in what nobody wrote', () => {
      expect(patched(live)).toEqual({});
    });

    it('[dispatch A3] keeps what the server filled in where one of them is put back', () => {
      const changed = { ports: [live.ports[0] ?? {}, { ...live.ports[1], port: 54 }] };
      expect(patched(changed)).toEqual({ spec: { ports: [{ $patch: 'replace' }, live.ports[0], { port: 53, protocol: 'TCP' }] } });
    });
  });

  it('[dispatch A3] refuses a list entry without its merge key', () => {
    expect(() => patchOf(pod({ containers: [{ name: 'a' }] }), pod({ containers: [{ image: 'x' }] }))).toThrow(
      'an entry of "containers" does not contain declared merge key: name',
    );
  });

  const env = fc.uniqueArray(fc.record({ name: fc.constantFrom('A', 'B', 'C', 'D'), value: fc.constantFrom('1', '2') }), {
    selector: ({ name }) => name,
  });
  const container = fc.record(
    { name: fc.constantFrom('a', 'b', 'c'), image: fc.constantFrom('x', 'y'), env },
    { requiredKeys: ['name', 'image'] },
  );
  const spec = fc.record(
    { replicas: fc.integer({ min: 0, max: 3 }), containers: fc.uniqueArray(container, { selector: ({ name }) => name }) },
    { requiredKeys: [] },
  );
  const manifest = spec.map(({ replicas, containers }) => ({
    spec: { ...(replicas === undefined ? {} : { replicas }), template: { spec: containers === undefined ? {} : { containers } } },
  }));

  it('[dispatch A3] brings an object that only we wrote to exactly the manifest, whatever came before', () => {
    fc.assert(
      fc.property(manifest, manifest, (before, after) => {
        const reached = applyStrategicPatch(before, patchOf(before, after, before));
        expect(patchOf(reached, after, after)).toEqual({});
        expect(normal(reached)).toEqual(normal(after));
      }),
    );
  });

  it('[dispatch A5] and so does the merge patch of a custom kind', () => {
    fc.assert(
      fc.property(
        fc.object({ maxDepth: 3, values: [fc.string(), fc.integer()] }),
        fc.object({ maxDepth: 3, values: [fc.string(), fc.integer()] }),
        (before, after) => {
          const [live, wanted] = [plain(before), plain(after)];
          const patch = computeThreeWayPatch({ original: live, current: live, modified: wanted }, undefined);
          expect(applyMergePatch(live, patch)).toEqual(wanted);
        },
      ),
    );
  });

  const plain = (value: object): Fields => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')) as Fields;
  // An emptied list and a list that is not there are one thing to the server.
  const normal = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (_key, member: unknown) => (Array.isArray(member) && member.length === 0 ? undefined : member)));
});
