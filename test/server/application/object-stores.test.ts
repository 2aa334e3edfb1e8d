import { expect, it } from 'vitest';
import type { TypeRef } from '@/lib/kube/object';
import { ObjectStores } from '@/server/application/observe/object-stores';
import type { Cluster } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';
import { FakeApiServer } from '../../support/dispatch-server';
import { FakeInformers } from '../../support/fake-informers';

const KINDS: readonly TypeRef[] = ['Lamp', 'Lens', 'Mirror'].map((kind) => ({ apiVersion: 'optics.example.dev/v1', kind }));

function stage() {
  const server = new FakeApiServer();
  const informers = new FakeInformers(server);
  const clock = new ManualClock();
  const woken: string[] = [];
  let asking = 0;
  let mostAsking = 0;
  const resolve = async (type: TypeRef) => {
    mostAsking = Math.max(mostAsking, ++asking);
    await new Promise<void>((done) => setImmediate(done));
    asking -= 1;
    return server.discovery.resolve(type);
  };
  const cluster: Pick<Cluster, 'discovery'> = {
    discovery: {
      ...server.discovery,
      resolve,
      resolveKind: ({ group, kind, version = '' }) => resolve({ apiVersion: `${group}/${version}`, kind }),
    },
  };
  const stores = new ObjectStores({ cluster, informers, clock, onChange: (keys) => woken.push(...keys) });
  const ensure = () => stores.ensure(KINDS, 'shop/web', new AbortController().signal);
  return { informers, clock, woken, ensure, mostAsking: () => mostAsking };
}

it('[dispatch 13] kinds that are new to the server are opened all at once, not one after the other', async () => {
  const { ensure, informers, mostAsking } = stage();
  expect(await ensure()).toBeUndefined();
  expect([mostAsking(), informers.all().length]).toEqual([KINDS.length, KINDS.length]);
});

it('[dispatch 13] a kind that is still being listed ends the pass at once, later with a sentence, and after a while the server is asked instead', async () => {
  const { ensure, informers, clock } = stage();
  informers.fall('Lens', 'unlisted');
  expect(await ensure()).toEqual({ againMs: 1000, why: undefined });
  await clock.advance(1000);
  expect(await ensure()).toEqual({ againMs: 4000, why: 'Lens objects are not known yet: the list is refused' });
  await clock.advance(4000);
  expect(await ensure()).toBeUndefined();
});

it('[dispatch 13] an application is woken when the kind it waits for becomes known', async () => {
  const { ensure, informers, woken } = stage();
  informers.fall('Lens', 'partial');
  await ensure();
  expect(woken).toEqual([]);
  informers.recover();
  expect(woken).toEqual(['shop/web']);
  expect(await ensure()).toBeUndefined();
});
