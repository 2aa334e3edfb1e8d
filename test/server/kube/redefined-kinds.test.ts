import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { startEmbedded } from '@/server/embedded';
import type { Cluster, Store } from '@/server/kube';
import { DEFINITION_SERVED_MS, RedefinedKinds } from '@/server/kube';
import { createRandom, Lifetimes } from '@/server/platform';
import { driven } from '@/test/support/house';
import { ManualClock } from '@/test/support/manual-clock';
import { aForeignDefinition } from '@/test/support/redefined-kinds';
import { createSeededIds } from '@/test/support/seeded-ids';
import { silentLog } from '@/test/support/silent-log';

const WIDGET = { apiVersion: 'acme.example/v1', kind: 'Widget' } as const;
const GADGET = { apiVersion: 'acme.example/v1', kind: 'Gadget' } as const;

describe('kinds whose definition changes', () => {
  const clock = new ManualClock();
  let lifetimes: Lifetimes;
  let cluster: Cluster;
  let relist: TypeRef[];
  const drive = <T>(work: Promise<T>): Promise<T> => driven(clock, work);

  beforeEach(async () => {
    lifetimes = new Lifetimes(silentLog);
    relist = [];
    const random = createRandom(7);
    cluster = lifetimes.use(
      'cluster',
      await drive(startEmbedded({ clock, random, ids: createSeededIds(random), log: silentLog, nodes: 0 })),
    ).cluster;
    for (const definition of [aForeignDefinition('widgets', 'Widget', ['a']), aForeignDefinition('gadgets', 'Gadget', ['a'])]) {
      await drive(cluster.create(definition));
    }
    await clock.advance(1_000);
    // Two copies of one kind, as where it is watched by namespace, and one of a kind that nobody redefines.
    const watched = [WIDGET, { ...WIDGET, namespace: 'shop' }, GADGET].map((scope) => ({ scope }) as Store);
    const informers = { all: () => watched, relist: async (type: TypeRef) => void relist.push(type) };
    const redefined = new RedefinedKinds({ cluster, informers, clock, random, log: silentLog });
    lifetimes.use('changes of definitions', redefined);
    redefined.start();
    await clock.advance(1_000);
  });
  afterEach(async () => drive(lifetimes[Symbol.asyncDispose]()));

  const change = async (next: KubeObject): Promise<void> => {
    const { metadata } = await drive(cluster.get(toAddress(next)));
    await drive(cluster.update({ ...next, metadata: { ...metadata, ...next.metadata } }));
  };

  it('[issue 9.3] are read again once every API server serves the newer one, and no others', async () => {
    await change(aForeignDefinition('widgets', 'Widget', ['a', 'b']));
    await clock.advance(DEFINITION_SERVED_MS - 1);
    expect(relist).toEqual([]);
    await clock.advance(1_000);
    expect(relist).toEqual([WIDGET]);
  });

  it('[issue 9.3] are read again once for changes that follow each other', async () => {
    await change(aForeignDefinition('widgets', 'Widget', ['a', 'b']));
    await clock.advance(DEFINITION_SERVED_MS / 2);
    await change(aForeignDefinition('widgets', 'Widget', ['a', 'b', 'c']));
    await clock.advance(DEFINITION_SERVED_MS - 1);
    expect(relist).toEqual([]);
    await clock.advance(1_000);
    expect(relist).toEqual([WIDGET]);
  });

  it('[issue 9.3] are left alone when only a label of the definition changes, and when a definition is new', async () => {
    const same = aForeignDefinition('widgets', 'Widget', ['a']);
    await change({ ...same, metadata: { ...same.metadata, labels: { team: 'a' } } });
    await drive(cluster.create(aForeignDefinition('sprockets', 'Sprocket', ['a'])));
    await clock.advance(DEFINITION_SERVED_MS + 1_000);
    expect(relist).toEqual([]);
  });
});
