import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { Informers, Store } from '@/server/kube';
import { createHealthProbe, createInformers, createRemoteCluster } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { createRandom, realClock } from '@/server/platform';
import { startApiProxy } from '@/test/support/api-proxy';
import { createFastClock } from '@/test/support/fast-clock';
import { printFigure } from '@/test/support/figure';
import { until } from '@/test/support/until';
import { silentLog } from '../support/silent-log';
import type { ControlPlane } from './control-plane';
import { startControlPlane } from './control-plane';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const LIMIT_MS = 90_000;
/** How much faster time runs for a watch that is to be silent for too long. */
const SPED = 40;
const deps = { clock: realClock, random: createRandom(3), log: silentLog };

describe('informers on a control plane that suffers', () => {
  let plane: ControlPlane;
  let cluster: RemoteCluster;
  let informers: Informers;
  let store: Store;

  beforeAll(async () => {
    plane = await startControlPlane();
    cluster = createRemoteCluster({ source: { kind: 'kubeconfig', path: plane.kubeconfig }, ...deps });
    informers = createInformers({ cluster, ...deps });
    store = informers.open(CONFIG_MAP).store;
    await store.synced();
  });
  afterAll(async () => {
    await informers[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });

  const create = (name: string, data: Record<string, string> = {}) =>
    cluster.create({ ...CONFIG_MAP, metadata: { namespace: 'default', name }, data });
  const holds = (name: string) => store.get(`default/${name}`) !== undefined;

  /** A list made now, as the store would hold it. */
  async function freshList(): Promise<readonly string[]> {
    const items: KubeObject[] = [];
    for await (const page of cluster.list(CONFIG_MAP)) items.push(...page.items);
    return items.map(identify).sort();
  }
  const identify = ({ metadata, data }: KubeObject) =>
    JSON.stringify([metadata.namespace, metadata.name, metadata.uid, metadata.resourceVersion, data]);
  const equalsFreshList = async () => (await freshList()).join() === store.list().map(identify).sort().join();

  it('[cluster I7] an API server that is frozen is noticed and nothing is lost', async () => {
    const probe = createHealthProbe({ cluster, ...deps });
    probe.start();
    try {
      await until('it answers', () => probe.state().kind === 'answering');
      await plane.freeze('kube-apiserver');
      const frozenAt = performance.now();
      await until('it is stale', () => probe.state().kind === 'stale', LIMIT_MS);
      printFigure('an API server that is frozen is noticed after', performance.now() - frozenAt, 7_500, 'ms');
      await plane.thaw('kube-apiserver');
      await until('it answers again', () => probe.state().kind === 'answering', LIMIT_MS);
      await create('after-the-frost');
      await until('the change is known', () => holds('after-the-frost'), LIMIT_MS);
    } finally {
      await probe[Symbol.asyncDispose]();
    }
    await until('it equals a fresh list', equalsFreshList, LIMIT_MS);
  });

  it('[cluster I7] a restart of the API server ends in the state of a fresh list', async () => {
    await create('before-the-restart');
    await until('it is known', () => holds('before-the-restart'));
    await plane.kill('kube-apiserver');
    await until('the loss is noticed', () => store.health().state.kind === 'retrying', LIMIT_MS);
    await plane.restart('kube-apiserver');
    await cluster.delete({ ...CONFIG_MAP, namespace: 'default', name: 'before-the-restart' });
    await create('after-the-restart');
    await until('both changes are known', () => holds('after-the-restart') && !holds('before-the-restart'), LIMIT_MS);
    expect(store.health().state).toEqual({ kind: 'watching' });
    await until('it equals a fresh list', equalsFreshList, LIMIT_MS);
  });

  it('[cluster I7] a restored etcd, whose versions went backwards, ends in the state of a fresh list', async () => {
    await create('in-the-backup', { at: 'backup' });
    const restore = await plane.backUp();
    for (let at = 0; at < 20; at++) await create(`lost-${at}`);
    await cluster.patch({ ...CONFIG_MAP, namespace: 'default', name: 'in-the-backup' }, { type: 'merge', body: { data: { at: 'later' } } });
    await until('the store is ahead', () => holds('lost-19') && store.get('default/in-the-backup')?.data !== undefined);
    await plane.kill('kube-apiserver');
    await plane.kill('etcd');
    await until('the loss is noticed', () => store.health().state.kind === 'retrying', LIMIT_MS);
    await restore();
    await Promise.all([plane.restart('etcd'), plane.restart('kube-apiserver')]); // each waits for both
    await until('what was lost is gone', () => !holds('lost-19') && !holds('lost-0'), LIMIT_MS);
    await create('in-the-new-history');
    await until('the new history is followed', () => holds('in-the-new-history'), LIMIT_MS);
    await until('it equals a fresh list', equalsFreshList, LIMIT_MS);
    expect(store.get('default/in-the-backup')?.data).not.toEqual({ at: 'later' });
  });

  it('[cluster I1] a kind that is installed later is watched', async () => {
    const { store: widgets } = informers.open({ apiVersion: 'late.example/v1', kind: 'Widget' });
    await until('it says that the kind is missing', () => widgets.health().state.kind === 'retrying', LIMIT_MS);
    expect(widgets.health().state).toMatchObject({ reason: 'no matches for kind "Widget" in version "late.example/v1"' });
    const schema = { openAPIV3Schema: { type: 'object' } };
    await cluster.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.late.example' },
      spec: {
        group: 'late.example',
        scope: 'Namespaced',
        names: { kind: 'Widget', plural: 'widgets' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    const createdAt = performance.now();
    await widgets.synced();
    printFigure('a kind that is installed is watched after', performance.now() - createdAt, 2_000, 'ms');
  });

  it('[issue 9.1] a watch that goes on open and says nothing is given up and taken up again, and nothing is lost', async () => {
    await using proxy = await startApiProxy(plane.kubeconfig);
    const sped = { ...deps, clock: createFastClock(SPED) };
    await using through = createRemoteCluster({ source: { kind: 'kubeconfig', path: proxy.kubeconfig }, ...sped });
    await using copies = createInformers({ cluster: through, ...sped });
    const { store: copy } = copies.open(CONFIG_MAP);
    await copy.synced();
    await create('before-the-silence');
    await until('a change is known', () => copy.get('default/before-the-silence') !== undefined, LIMIT_MS);
    const speak = proxy.silence({ resource: 'configmaps' });
    await create('in-the-silence');
    await until('it is known to the others', () => holds('in-the-silence'), LIMIT_MS);
    expect(copy.get('default/in-the-silence')).toBeUndefined();
    speak(); // what was swallowed is not said again
    await until('it is known', () => copy.get('default/in-the-silence') !== undefined, LIMIT_MS);
  });
});
