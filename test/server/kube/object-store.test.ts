import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
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
          if (gone) store.remove(labelled(name, labels, `${at}`));
          else store.put(labelled(name, labels, `${at}`));
          for (const wanted of ['a', 'b', 'c']) {
            expect(namesOf(store.byIndex('label', wanted))).toEqual(
              namesOf(store.all().filter((object) => labelsOf(object).includes(wanted))),
            );
          }
        });
      }),
    );
  });

  it('[issue 13] is told nothing older by its watch than what was taken in ahead of it, and everything after', () => {
    const store = createObjectStore(() => undefined);
    const versionOf = () => store.get(toObjectKey({ name: 'one' }))?.metadata.resourceVersion;
    store.put(labelled('one', [], '10'));
    store.putAhead(labelled('one', ['a'], '14'));
    for (const version of ['12', '13']) store.put(labelled('one', [], version));
    expect(versionOf()).toBe('14');
    const former = labelled('one', [], '12');
    store.remove({ ...former, metadata: { ...former.metadata, uid: 'of one before' } });
    expect(versionOf()).toBe('14');
    store.put(labelled('one', ['a'], '14'));
    store.remove(labelled('one', ['a'], '15'));
    expect(versionOf()).toBeUndefined();
    store.putAhead(labelled('one', [], '20'));
    expect([...store.replace([labelled('one', [], '18')], 'trusted')]).toEqual([]);
    store.put(labelled('one', [], '19'));
    expect(versionOf()).toBe('19');
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
