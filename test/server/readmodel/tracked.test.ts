import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Informers } from '@/server/kube';
import { TrackedObjects } from '@/server/readmodel/applications/tracked';
import { ClusterView } from '@/server/readmodel/cluster-view';
import { ManualClock } from '../../support/manual-clock';
import { FakeStore } from '../framework/fake-store';

const informers: Informers = {
  open: (scope) => ({ store: new FakeStore({ scope }), release: () => undefined, [Symbol.asyncDispose]: async () => undefined }),
  relist: async () => undefined,
  all: () => [],
  [Symbol.asyncDispose]: async () => undefined,
};

interface Tracker {
  readonly name: string;
  readonly application: string;
  readonly lists: readonly string[];
}

function toObject({ name, application, lists }: Tracker): KubeObject {
  return {
    ...KINDS.resourceTracker,
    metadata: { name, uid: name, labels: { [LABELS.appName]: application, [LABELS.appNamespace]: 'shop' } },
    spec: {
      type: 'versioned',
      managedResources: lists.map((listed) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: listed })),
    },
  };
}

const aConfigMap = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' } });

describe('tracked objects', () => {
  const names = ['one', 'two', 'three'];
  const tracker = fc.record({
    name: fc.constantFrom('web-v1', 'web-v2', 'till-v1'),
    application: fc.constantFrom('web', 'till'),
    lists: fc.uniqueArray(fc.constantFrom(...names)),
  });
  const change = fc.oneof(tracker, fc.record({ gone: fc.constantFrom('web-v1', 'web-v2', 'till-v1') }));

  it('[design 9] an object belongs to the applications whose trackers list it now, whatever they listed before', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        const tracked = new TrackedObjects(new ClusterView(informers, new ManualClock()));
        const present = new Map<string, Tracker>();
        for (const one of changes) {
          const key = 'gone' in one ? one.gone : one.name;
          if ('gone' in one) present.delete(key);
          else present.set(key, one);
          tracked.observe({ type: KINDS.resourceTracker, key, before: undefined, after: 'gone' in one ? undefined : toObject(one) });
        }
        for (const name of names) {
          const expected = [...present.values()].flatMap(({ lists, application }) => (lists.includes(name) ? [`shop/${application}`] : []));
          expect(tracked.applicationsOf(aConfigMap(name), aConfigMap(name))).toEqual(new Set(expected));
        }
        for (const name of ['web-v1', 'web-v2', 'till-v1']) {
          const of = present.get(name)?.application;
          expect(tracked.applicationOf(name)).toEqual(of && { ns: 'shop', name: of });
        }
        const lacking = [...present.values()].flatMap(({ lists, application }) => (lists.length > 0 ? [`shop/${application}`] : []));
        expect(tracked.lacking({ apiVersion: 'v1', kind: 'ConfigMap' })).toEqual(new Set(lacking));
      }),
    );
  });
});
