import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { compactHistory } from '@/server/embedded/storage/compaction';
import { Store, WINDOW } from '@/server/embedded/storage/store';
import { ManualClock } from '../../../support/manual-clock';

const TABLE = 'configmaps';
const FIVE_MINUTES_MS = 300_000;
const object = (name: string, data = ''): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'a', uid: `uid-${name}` },
  data: { data },
});

describe('Store', () => {
  it('[cluster R1] has one version for everything, growing by one with each commit', () => {
    const store = new Store({ version: 7 });
    const first = store.put(TABLE, 'a/x', object('x'));
    const second = store.put('secrets', 'a/y', object('y'));
    expect([first.metadata.resourceVersion, second.metadata.resourceVersion, store.remove(TABLE, 'a/x')?.metadata.resourceVersion]).toEqual(
      ['8', '9', '10'],
    );
    expect(store.version).toBe(10);
  });

  it('[cluster C6] freezes what it holds, to its depth', () => {
    const store = new Store({ version: 0 });
    const held = store.put(TABLE, 'a/x', object('x'));
    expect(() => Object.assign(held.data as object, { y: 1 })).toThrow();
    expect(store.get(TABLE, 'a/x')).toBe(held);
  });

  it('[cluster R2] gives every remembered state again, whatever came after it', () => {
    const step = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), remove: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const store = new Store({ version: 0 });
        const states: { readonly version: number; readonly names: string[] }[] = [];
        for (const { name, remove } of steps) {
          if (remove) store.remove(TABLE, `a/${name}`);
          else store.put(TABLE, `a/${name}`, object(name, String(store.version)));
          states.push({ version: store.version, names: store.listAt(TABLE, 'a', store.version).map((held) => JSON.stringify(held)) });
        }
        for (const { version, names } of states)
          expect(store.listAt(TABLE, 'a', version).map((held) => JSON.stringify(held))).toEqual(names);
      }),
    );
  });

  it('[cluster T4] remembers at least the last 10 000 changes and says what it forgot', () => {
    const store = new Store({ version: 0 });
    for (let count = 0; count < WINDOW * 2; count++) store.put(TABLE, 'a/x', object('x', String(count)));
    expect(store.forgotten).toBe(WINDOW);
    expect(store.changesAfter(TABLE, store.forgotten)).toHaveLength(WINDOW);
  });

  it('[issue 10, 6] forgets changes five to ten minutes later, as a real API server has etcd compacted', async () => {
    const [store, clock] = [new Store({ version: 0 }), new ManualClock()];
    const release = compactHistory({ store, clock });
    await clock.advance(FIVE_MINUTES_MS - 1);
    store.put(TABLE, 'a/x', object('x', '1'));
    await clock.advance(FIVE_MINUTES_MS);
    store.put(TABLE, 'a/x', object('x', '2'));
    expect([store.forgotten, store.changesAfter(TABLE, 0)]).toEqual([
      0,
      [expect.objectContaining({ version: 1 }), expect.objectContaining({ version: 2 })],
    ]);
    await clock.advance(1);
    expect([store.forgotten, store.changesAfter(TABLE, 0)]).toEqual([1, [expect.objectContaining({ version: 2 })]]);
    await clock.advance(FIVE_MINUTES_MS);
    expect([store.forgotten, store.changesAfter(TABLE, 0), store.get(TABLE, 'a/x')]).toEqual([
      2,
      [],
      expect.objectContaining({ kind: 'ConfigMap' }),
    ]);
    release();
    expect(clock.waiting()).toBe(0);
  });

  it('[cluster R4] tells listeners of commits in order, also of those that a listener makes', () => {
    const store = new Store({ version: 0 });
    const heard: string[] = [];
    store.subscribe(({ key }) => {
      if (key === 'a/x') store.put(TABLE, 'a/y', object('y'));
      heard.push(`first ${key}`);
    });
    store.subscribe(({ key }) => heard.push(`second ${key}`));
    store.put(TABLE, 'a/x', object('x'));
    expect(heard).toEqual(['first a/x', 'second a/x', 'first a/y', 'second a/y']);
  });

  it('[cluster D2] finds objects by uid and by the uid of an owner', () => {
    const store = new Store({ version: 0 });
    const owned = {
      ...object('x'),
      metadata: { ...object('x').metadata, ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'owner' }] },
    };
    store.put(TABLE, 'a/x', owned);
    expect(store.ownedBy('owner').map((held) => held.metadata.name)).toEqual(['x']);
    store.put(TABLE, 'a/x', object('x'));
    expect(store.ownedBy('owner')).toEqual([]);
    expect(store.byUid('uid-x')?.metadata.name).toBe('x');
    store.remove(TABLE, 'a/x');
    expect(store.byUid('uid-x')).toBeUndefined();
  });
});
