import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { createObjectStore } from '@/server/kube/informers/object-store';

const labelled = (name: string, labels: readonly string[], version = '1'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, uid: name, resourceVersion: version, labels: Object.fromEntries(labels.map((label) => [label, ''])) },
});
const labelsOf = (object: KubeObject) => Object.keys(object.metadata.labels ?? {});
const namesOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name).sort();

describe('a watched copy', () => {
  it('[cluster I2] finds by an index exactly what a search would, whatever was put and removed', () => {
    const label = fc.constantFrom('a', 'b', 'c');
    const step = fc.record({ name: fc.constantFrom('one', 'two', 'three'), labels: fc.uniqueArray(label), gone: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const store = createObjectStore(() => undefined);
        store.addIndex('label', labelsOf);
        steps.forEach(({ name, labels, gone }, at) => {
          if (gone) store.remove(name);
          else store.put(labelled(name, labels, `${at}`));
          for (const wanted of ['a', 'b', 'c']) {
            expect(namesOf(store.byIndex('label', wanted))).toEqual(namesOf(store.all().filter((object) => labelsOf(object).includes(wanted))));
          }
        });
      }),
    );
  });

  it('[cluster I2] becomes equal to a long list piece by piece, what is gone first, each change told once', () => {
    const told: string[] = [];
    const store = createObjectStore(({ key, after }) => told.push(`${after === undefined ? '-' : '+'}${key}`));
    store.put(labelled('former', []));
    const list = Array.from({ length: 600 }, (_, at) => labelled(`object-${at}`, []));
    const sizes = [...store.replace(list, 'trusted')].map(() => store.size);
    expect(store.all()).toEqual(list);
    expect(sizes.length).toBeGreaterThan(1);
    expect(told).toEqual(['+former', '-former', ...list.map(({ metadata }) => `+${metadata.name}`)]);
    expect([...store.replace(list, 'trusted')].length).toBe(sizes.length);
    expect(told.length).toBe(602);
  });
});
