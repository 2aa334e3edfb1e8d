import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import type { ApiResource } from '@/server/kube';
import { createClusterFacts } from '@/server/status';
import { ManualClock } from '@/test/support/manual-clock';
import { until } from '@/test/support/until';
import { FakeStore } from '../../framework/fake-store';

const PUMP = { apiVersion: 'water.example.com/v1', kind: 'Pump' };

function aRig(schema: object, subresources: readonly string[] = []) {
  const clock = new ManualClock();
  const store = new FakeStore({ scope: PUMP });
  const narrow = new FakeStore({ scope: { ...PUMP, namespace: 'shop' } });
  const asked: string[] = [];
  const resource: ApiResource = {
    group: 'water.example.com',
    version: 'v1',
    kind: 'Pump',
    plural: 'pumps',
    singular: 'pump',
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: [],
    subresources,
  };
  const discovery = {
    resolve: async () => resource,
    resolveKind: async () => resource,
    all: async () => [resource],
    invalidate: () => undefined,
  };
  const get = async ({ name }: { readonly name: string }): Promise<KubeObject> => {
    asked.push(name);
    const spec = { versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }] };
    return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name }, spec };
  };
  const facts = createClusterFacts({ cluster: { discovery, get }, informers: { all: () => [narrow, store] }, clock });
  return { clock, store, facts, asked };
}

async function told(facts: ReturnType<typeof aRig>['facts']) {
  await until('the definition is read', () => facts.declaresStatus(PUMP) !== 'asked');
  return facts.declaresStatus(PUMP);
}

describe('what the cluster tells of a kind', () => {
  it('reads once from its definition whether it has a status', async () => {
    const without = aRig({ properties: { spec: {} } });
    expect(without.facts.declaresStatus(PUMP)).toBe('asked');
    expect(await told(without.facts)).toBe(false);
    expect(without.asked).toEqual(['pumps.water.example.com']);
    expect(await told(aRig({ properties: { status: {} } }).facts)).toBe(true);
    expect(await told(aRig({ 'x-kubernetes-preserve-unknown-fields': true }).facts)).toBeUndefined();
    const served = aRig({}, ['status']);
    expect(await told(served.facts)).toBe(true);
    expect(served.asked).toEqual([]);
  });

  it('counts statuses as objects come and go, and knows the oldest while there is none', () => {
    const { clock, store, facts } = aRig({});
    const aPump = (name: string, minutes: number, status?: object): KubeObject => ({
      ...PUMP,
      metadata: { name, creationTimestamp: toKubeTime(toInstant(clock.now() + minutes * 60_000)) },
      ...(status ? { status } : {}),
    });
    const at = (minutes: number) => ({ anyStatus: false, oldest: clock.now() + minutes * 60_000 });
    store.put(aPump('b', 2));
    expect(facts.statusOfKind(PUMP)).toEqual(at(2));
    store.put(aPump('a', 1));
    expect(facts.statusOfKind(PUMP)).toEqual(at(1));
    store.put(aPump('b', 2, { phase: 'Wet' }));
    expect(facts.statusOfKind(PUMP)).toMatchObject({ anyStatus: true });
    store.remove('b');
    expect(facts.statusOfKind(PUMP)).toEqual(at(1));
    store.remove('a');
    expect(facts.statusOfKind(PUMP)).toEqual({ anyStatus: false, oldest: undefined });
    expect(facts.statusOfKind({ ...PUMP, kind: 'Gate' })).toBeUndefined();
  });

  it('[design 11] walks over a kind once for its oldest object, however many others of it go', () => {
    const { clock, store, facts } = aRig({});
    const at = (minutes: number) => toKubeTime(toInstant(clock.now() + minutes * 60_000));
    for (let minutes = 0; minutes < 100; minutes++)
      store.put({ ...PUMP, metadata: { name: `pump-${minutes}`, creationTimestamp: at(minutes) } });
    let walks = 0;
    const { list } = store;
    store.list = (...args) => {
      walks++;
      return list.apply(store, args);
    };
    for (let minutes = 99; minutes > 0; minutes--) {
      store.remove(`pump-${minutes}`);
      expect(facts.statusOfKind(PUMP)).toEqual({ anyStatus: false, oldest: clock.now() });
    }
    expect(walks).toBeLessThanOrEqual(2);
  });
});
