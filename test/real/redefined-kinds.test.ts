import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import { toAddress } from '@/lib/kube/object';
import { createInformers, createRemoteCluster, isNotFound, RedefinedKinds } from '@/server/kube';
import { createRandom, Lifetimes, realClock } from '@/server/platform';
import { aForeignDefinition } from '@/test/support/redefined-kinds';
import { until } from '@/test/support/until';
import { silentLog } from '../support/silent-log';

const deps = { clock: realClock, random: createRandom(5), log: silentLog };
const BOOK = { apiVersion: 'acme.example/v1', kind: 'Ledgerbook' } as const;
const at = { ...BOOK, namespace: 'default', name: 'one' };

describe('objects of a kind whose definition changes', () => {
  const lifetimes = new Lifetimes(silentLog);
  const define = (fields: readonly string[]) => aForeignDefinition('ledgerbooks', 'Ledgerbook', fields);
  const cluster = createRemoteCluster({ source: { kind: 'kubeconfig', path: process.env.KUBECONFIG ?? '' }, ...deps });
  const informers = createInformers({ cluster, ...deps });

  beforeAll(async () => {
    lifetimes.use('cluster', cluster);
    lifetimes.use('informers', informers);
    await cluster.create(define(['a']));
    lifetimes.defer('definition', () => cluster.delete(toAddress(define([]))));
    const serves = async () => cluster.discovery.resolveKind({ group: 'acme.example', kind: 'Ledgerbook' }).then(() => cluster.get(at));
    await until('the kind is served', () => serves().then(Boolean, isNotFound), 20_000);
    const redefined = new RedefinedKinds({ cluster, informers, ...deps });
    lifetimes.use('changes of definitions', redefined);
    redefined.start();
  });
  afterAll(async () => lifetimes[Symbol.asyncDispose]());

  it('[issue 9.3] are told with the fields that the newer one keeps, by a watch that was open before', async () => {
    const { store } = informers.open(BOOK);
    await store.synced();
    await cluster.create({ ...BOOK, metadata: { namespace: 'default', name: 'one' }, spec: { a: '1', b: '1' } });
    await until('it is known', () => store.get('default/one') !== undefined, 20_000);
    const { metadata } = await cluster.get(toAddress(define([])));
    await cluster.update({ ...define(['a', 'b']), metadata });
    const write = async () => readField(await cluster.patch(at, { type: 'merge', body: { spec: { b: '2' } } }), 'spec', 'b') === '2';
    await until('the API server keeps the field', write, 20_000);
    await until('the copy has it too', () => readField(store.get('default/one'), 'spec', 'b') === '2', 20_000);
    expect(readField(store.get('default/one'), 'spec')).toEqual({ a: '1', b: '2' });
  });
});
