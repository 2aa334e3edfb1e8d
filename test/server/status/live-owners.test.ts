import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toKubeTime } from '@/lib/std/instant';
import type { StatusReader } from '@/server/status/readers/status-reader';
import { aConfigMap, FakeStore } from '../framework/fake-store';
import { startLive } from './live-bench';
import { aDeployment, aPod, aReplicaSet, aStatefulSet } from './objects';

const WEB = { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web', apiVersion: 'apps/v1' };
const DB = { group: 'apps', kind: 'StatefulSet', namespace: 'shop', name: 'db', apiVersion: 'apps/v1' };
const LOOPING = 'Failed: 1 pod has failed: Containers in CrashLoop state: main';

/** A Deployment that is not ready yet, with its ReplicaSet and no pod, and what was told of it taken. */
async function anOwner() {
  const started = startLive();
  started.put(aReplicaSet('web', { ready: 0 }));
  started.put(aDeployment('web', { ready: 0 }));
  const subscription = started.watch(WEB);
  expect(await started.told()).toEqual(['web InProgress: Replicas: 0/1']);
  return { ...started, subscription };
}

describe('an owner whose children change', () => {
  it('[issue 10.7] fails with a pod that comes, and no more once that is gone', async () => {
    const { put, informers, told, logged } = await anOwner();
    put(aPod('web', 'a', { phase: 'Running', looping: true }));
    expect(await told()).toEqual([`web ${LOOPING}`]);
    informers.store('Pod').remove('shop/web-h1-a');
    expect(await told()).toEqual(['web InProgress: Replicas: 0/1']);
    expect(logged).toEqual([]);
  });

  it('[issue 10.7] is told of again when the time of one of its pods is up, whichever of them that is', async () => {
    const { live, put, told, clock, logged } = await anOwner();
    const podsOf = () => live.latest(WEB)?.generated[0]?.generated.map(({ status }) => status);
    for (const suffix of ['a', 'b']) {
      put(aPod('web', suffix, { phase: 'Pending', unschedulable: true, createdAt: toKubeTime(clock.now()) }));
      expect(await told(5000)).toHaveLength(1);
    }
    expect(podsOf()).toEqual(['InProgress', 'InProgress']);
    expect(await told(6000)).toHaveLength(1);
    expect(podsOf()).toEqual(['Failed', 'InProgress']);
    expect(await told(5000)).toHaveLength(1);
    expect([podsOf(), logged]).toEqual([['Failed', 'Failed'], []]);
  });

  it('[issue 10.7] that is gone is not computed for them any more, and begins anew when it is made again', async () => {
    const { put, informers, told, logged } = await anOwner();
    informers.store('Deployment').remove('shop/web');
    informers.store('ReplicaSet').remove('shop/web-h1');
    expect(await told()).toEqual(['web NotFound: Resource not found']);
    informers.store('Pod').setState({ kind: 'watching' });
    put(aPod('web', 'a', { phase: 'Running', looping: true }));
    expect(await told()).toEqual([]);
    put(aReplicaSet('web', { ready: 0 }));
    put(aDeployment('web', { ready: 0 }));
    expect(await told()).toEqual([`web ${LOOPING}`]);
    expect(logged).toEqual([]);
  });

  it('[issue 10.7] that nobody watches any more takes no harm from children that are watched still', async () => {
    const { put, watch, informers, subscription, told, logged } = await anOwner();
    watch({ group: '', kind: 'Pod', namespace: 'shop', name: 'web-h1-a', apiVersion: 'v1' });
    subscription.release();
    put(aPod('web', 'a', { phase: 'Running', looping: true }));
    informers.store('Pod').setState({ kind: 'watching' });
    expect(await told()).toEqual(['web-h1-a Failed: Containers in CrashLoop state: main']);
    expect(logged).toEqual([]);
  });
});

describe('a kind that may be read again', () => {
  /** How often StatefulSets were computed since last asked. */
  function counting() {
    let count = 0;
    const rule = () => {
      count++;
      return undefined;
    };
    const started = startLive({ rules: new Map([['apps/StatefulSet', rule]]) });
    const computed = () => {
      const found = count;
      count = 0;
      return found;
    };
    return { ...started, computed };
  }

  it('[issue 10.7] has those computed again whose status is made from it, and no others', async () => {
    const { put, watch, informers, told, computed } = counting();
    put(aStatefulSet('db'));
    put(aDeployment('web'));
    watch(DB, WEB);
    await told();
    expect(computed()).toBeGreaterThan(0);
    informers.store('ReplicaSet').setState({ kind: 'watching' });
    await told();
    expect(computed()).toBe(0);
    informers.store('Pod').setState({ kind: 'watching' });
    await told();
    expect(computed()).toBeGreaterThan(0);
  });

  it('[issue 10.7] changes what is told of an owner that somebody reads but nobody watches', async () => {
    const { live, put, watch, informers, told } = startLive();
    watch(WEB); // so that the kinds are there
    const pods = informers.store('Pod');
    pods.setState({
      kind: 'refused',
      verb: 'list',
      reason: 'pods is forbidden',
      since: live.provenanceOf(WEB)?.at ?? startLive().clock.now(),
    });
    await pods.acceptPoll({}, { refused: 'pods is forbidden' });
    put(aPod('other', 'a', { phase: 'Running', looping: true }));
    put(aReplicaSet('other', { ready: 0 }));
    const other = aDeployment('other', { ready: 0 });
    put(other);
    await told();
    expect(live.of(other)).toMatchObject({ status: 'InProgress', message: 'Replicas: 0/1' });
    pods.setState({ kind: 'watching' });
    expect(live.of(other)).toMatchObject({ status: 'Failed' });
  });
});

describe('an object in hand', () => {
  it('[issue 10.7] leaves no timer behind where it is a version that nobody watches', async () => {
    const { live, put, watch, told, clock, logged } = startLive();
    const pod = aPod('web', 'a', { phase: 'Pending', unschedulable: true, createdAt: toKubeTime(clock.now()) });
    expect(live.of(pod)).toMatchObject({ status: 'InProgress' });
    expect(clock.waiting()).toBe(0);
    watch({ group: '', kind: 'Pod', namespace: 'shop', name: 'web-h1-a', apiVersion: 'v1' });
    put({ ...pod, metadata: { ...pod.metadata, labels: { app: 'web' } } });
    expect(await told()).toHaveLength(1);
    const once = clock.waiting();
    live.of({ ...pod });
    expect([clock.waiting(), logged]).toEqual([once, []]);
  });

  it('[issue 10.7] is waited for no longer at the end', async () => {
    const { live, put, watch, told, clock } = startLive();
    watch({ group: '', kind: 'Pod', namespace: 'shop', name: 'web-h1-a', apiVersion: 'v1' });
    put(aPod('web', 'a', { phase: 'Pending', unschedulable: true, createdAt: toKubeTime(clock.now()) }));
    await told();
    expect(clock.waiting()).toBe(1);
    live[Symbol.dispose]();
    expect(clock.waiting()).toBe(0);
  });

  it.each<{ readonly what: string; readonly read: () => never | Promise<never>; readonly text: string }>([
    {
      what: 'fails',
      read: () => {
        throw new TypeError('no such field');
      },
      text: 'no such field',
    },
    { what: 'takes its time', read: () => new Promise<never>(() => undefined), text: 'a reader of shared copies answers at once' },
  ])('[issue 10.7] is unknown where its own reader $what', ({ read, text }) => {
    const reader: StatusReader = { supports: ({ kind }) => kind === 'ConfigMap', readStatus: read, readStatusForObject: read };
    const { live, logged } = startLive({ custom: [reader] });
    const object: KubeObject = aConfigMap('flags');
    expect(live.of(object)).toMatchObject({
      identifier: { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'flags' },
      status: 'Unknown',
      error: { kind: 'compute', text: `cannot be shown: ${text}` },
      resource: object,
    });
    expect(logged).toEqual(['shop/flags']);
  });
});

it('[issue 10.7] an owner waits for children whose copy is filled for the first time, and for no others', async () => {
  const { watch, put, informers, told } = startLive();
  const pods = new FakeStore({ synced: false });
  pods.setState({ kind: 'listing' });
  informers.stores.set('Pod', pods);
  watch(WEB, DB);
  put(aDeployment('web'));
  expect(await told()).toEqual(['db NotFound: Resource not found']);
  pods.setState({ kind: 'retrying', reason: 'connection reset', since: startLive().clock.now() });
  expect(await told()).toEqual(['web Current: Deployment is available. Replicas: 1']);
});
