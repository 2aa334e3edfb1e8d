import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Store } from '@/server/kube';
import type { IndexFunction } from '@/server/kube/informer';
import type { LabelSelector } from '@/server/status/cluster/label-selector';
import { parseLabelSelector } from '@/server/status/cluster/label-selector';
import { StoreClusterReader } from '@/server/status/cluster/store-reader';
import { SelectionIndex } from '@/server/status/live/selection-index';

const POD = { group: '', kind: 'Pod' };
const { signal } = new AbortController();

function aPod(namespace: string, name: string, labels: Readonly<Record<string, string>>): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels } };
}

/** A copy of pods that counts the objects it hands out. */
function countingStore(pods: readonly KubeObject[]) {
  const indexes = new Map<string, IndexFunction>();
  const counted = { handedOut: 0, indexes };
  const answer = (objects: readonly KubeObject[]) => {
    counted.handedOut += objects.length;
    return objects;
  };
  const store: Partial<Store> = {
    knowledge: () => ({ kind: 'watched' }),
    get: (key) => pods.find((pod) => toObjectKey(pod.metadata) === key),
    list: (namespace) => answer(namespace === undefined ? pods : pods.filter(({ metadata }) => metadata.namespace === namespace)),
    addIndex: (name, index) => void indexes.set(name, index),
    byIndex: (name, value) => answer(pods.filter((pod) => indexes.get(name)?.(pod).includes(value))),
  };
  return { counted, reader: new StoreClusterReader(() => store as Store) };
}

const namesOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);

describe('the children of an owner, from shared copies', () => {
  it('[status 13.2] looks at the objects with the labels of the selector only, however crowded the namespace', async () => {
    const crowd = Array.from({ length: 3000 }, (_, at) => aPod('shop', `p-${at}`, { app: `web-${at % 1000}`, tier: 'front' }));
    const { counted, reader } = countingStore(crowd);
    const selector = parseLabelSelector({ matchLabels: { tier: 'front', app: 'web-7' } });
    expect(namesOf(await reader.listNamespaceScoped(signal, POD, 'shop', selector))).toEqual(['p-7', 'p-1007', 'p-2007']);
    expect(counted.handedOut).toBe(3);
  });

  it('[status 13.2] makes no more indexes than a bound, and answers the same without one', async () => {
    const pods = Array.from({ length: 50 }, (_, at) => aPod('shop', `p-${at}`, { [`key-${at}`]: 'x' }));
    const { counted, reader } = countingStore(pods);
    for (const [at] of pods.entries()) {
      const selector = parseLabelSelector({ matchLabels: { [`key-${at}`]: 'x' } });
      expect(namesOf(await reader.listNamespaceScoped(signal, POD, 'shop', selector))).toEqual([`p-${at}`]);
    }
    expect(counted.indexes.size).toBe(32);
  });

  const labels = fc.dictionary(fc.constantFrom('app', 'tier', 'hash'), fc.constantFrom('a', 'b', 'c'), { maxKeys: 3 });
  const expressions = fc.array(fc.record({ key: fc.constantFrom('app', 'tier'), operator: fc.constantFrom('Exists', 'DoesNotExist') }), {
    maxLength: 2,
  });
  const selector = fc.record({ matchLabels: labels, matchExpressions: expressions }).map(parseLabelSelector);

  it('[status 8.4] selects exactly what the selector matches, whatever the labels', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom('shop', 'till'), labels), { maxLength: 20 }), selector, async (given, wanted) => {
        const pods = given.map(([namespace, of], at) => aPod(namespace, `p-${at}`, of));
        const { reader } = countingStore(pods);
        const expected = pods.filter(({ metadata }) => metadata.namespace === 'shop' && wanted.matches(metadata.labels));
        expect(namesOf(await reader.listNamespaceScoped(signal, POD, 'shop', wanted))).toEqual(namesOf(expected));
      }),
    );
  });

  it('[status 13.2] a change finds exactly the roots that select one of its states', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(selector, { maxLength: 3 }), { maxLength: 8 }),
        fc.array(labels, { minLength: 1, maxLength: 2 }),
        (roots, states) => {
          const index = new SelectionIndex<number>();
          for (const [root] of roots.entries()) index.set(root, [{ of: POD, namespace: 'shop', selector: parseLabelSelector({}) }]);
          for (const [root, selectors] of roots.entries())
            index.set(
              root,
              selectors.map((one) => ({ of: POD, namespace: 'shop', selector: one })),
            );
          const expected = roots.flatMap((selectors, root) =>
            selectors.some((one) => states.some((state) => one.matches(state))) ? [root] : [],
          );
          const pods = states.map((state) => aPod('shop', 'p', state));
          expect([...index.rootsOf(POD, 'shop', pods)].sort((a, b) => a - b)).toEqual(expected);
          expect(index.rootsOf(POD, 'till', pods)).toEqual([]);
        },
      ),
    );
  });

  it('[issue 10.7] a change finds who selects it now, whatever the same and others selected before', () => {
    const JOB = { group: 'batch', kind: 'Job' };
    const selection = fc.record({ of: fc.constantFrom(POD, JOB), namespace: fc.constantFrom('shop', 'till'), selector });
    const change = fc.tuple(fc.nat(2), fc.array(selection, { maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 10 }), labels, (changes, of) => {
        const index = new SelectionIndex<number>();
        const selected = new Map<number, readonly { of: typeof POD; namespace: string; selector: LabelSelector }[]>();
        for (const [root, selections] of changes) {
          index.set(root, selections);
          selected.set(root, selections);
        }
        for (const kind of [POD, JOB]) {
          for (const namespace of ['shop', 'till']) {
            const expected = [...selected].flatMap(([root, selections]) =>
              selections.some((one) => one.of === kind && one.namespace === namespace && one.selector.matches(of)) ? [root] : [],
            );
            const found = [...index.rootsOf(kind, namespace, [aPod(namespace, 'p', of)])];
            expect(found.sort()).toEqual(expected.sort());
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    { what: 'the kind', of: { group: 'batch', kind: 'Job' }, namespace: 'shop', wanted: { app: 'a' } },
    { what: 'the namespace', of: POD, namespace: 'till', wanted: { app: 'a' } },
    { what: 'the labels', of: POD, namespace: 'shop', wanted: { app: 'b' } },
  ])('[issue 10.7] a root that changes but $what of one of two selections is found by the new one, not by the old', ({ wanted, ...to }) => {
    const index = new SelectionIndex<string>();
    const kept = { of: POD, namespace: 'shop', selector: parseLabelSelector({ matchLabels: { app: 'kept' } }) };
    const from = { of: POD, namespace: 'shop', selector: parseLabelSelector({ matchLabels: { app: 'a' } }) };
    index.set('web', [kept, from]);
    index.set('web', [kept, { ...to, selector: parseLabelSelector({ matchLabels: wanted }) }]);
    expect(index.rootsOf(POD, 'shop', [aPod('shop', 'p', { app: 'a' })])).toEqual([]);
    expect(index.rootsOf(to.of, to.namespace, [aPod(to.namespace, 'p', wanted)])).toEqual(['web']);
    expect(index.rootsOf(POD, 'shop', [aPod('shop', 'p', { app: 'kept' })])).toEqual(['web']);
  });

  it('[issue 10.7] keeps nothing of roots, labels and namespaces that came and went', () => {
    const index = new SelectionIndex<readonly number[]>();
    const comeAndGo = (count: number) => {
      for (let at = 0; at < count; at++) {
        const root = new Array<number>(100).fill(0);
        index.set(root, [{ of: POD, namespace: `shop-${at}`, selector: parseLabelSelector({ matchLabels: { app: `web-${at}` } }) }]);
        index.set(root, []);
      }
    };
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void; // there once it is exposed
    const heldBytes = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    comeAndGo(1000);
    const before = heldBytes();
    comeAndGo(10_000);
    expect(heldBytes() - before).toBeLessThan(1_000_000);
    expect(index.rootsOf(POD, 'shop-1', [])).toEqual([]);
  });

  it('[status 13.2] a change asks only the selectors that want its labels', () => {
    const index = new SelectionIndex<string>();
    let asked = 0;
    for (let at = 0; at < 1000; at++) {
      const wanted = parseLabelSelector({ matchLabels: { app: `web-${at}` } });
      const matches = (of: Readonly<Record<string, string>> | undefined) => {
        asked++;
        return wanted.matches(of);
      };
      index.set(`web-${at}`, [{ of: POD, namespace: 'shop', selector: { text: wanted.text, pairs: wanted.pairs, matches } }]);
    }
    expect(index.rootsOf(POD, 'shop', [aPod('shop', 'p', { app: 'web-7', tier: 'front' })])).toEqual(['web-7']);
    expect(asked).toBe(1);
  });
});
