import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toKubeTime } from '@/lib/std/instant';
import { FaultIsolation } from '@/server/platform';
import type { GroupKind } from '@/server/status/identifier';
import { StatusCache } from '@/server/status/live/status-cache';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../support/silent-log';
import { FakeStore } from '../framework/fake-store';
import { startLive } from './live-bench';
import { aDeployment, aPod, aReplicaSet } from './objects';

const WEB = { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web', apiVersion: 'apps/v1' };
const POD = { group: '', kind: 'Pod', namespace: 'shop', name: 'web-h1-a', apiVersion: 'v1' };
const LOOPING = aPod('web', 'a', { phase: 'Running', looping: true });

describe('a kind that nobody follows any more', () => {
  it('[issue 10.7] leaves no timer behind, and has the status of the same version again by the time there is then', async () => {
    const { put, watch, told, clock } = startLive();
    put(aPod('web', 'a', { phase: 'Pending', unschedulable: true, createdAt: toKubeTime(clock.now()) }));
    const subscription = watch(POD);
    expect(await told()).toMatchObject([expect.stringMatching(/^web-h1-a InProgress/)]);
    expect(clock.waiting()).toBe(1);
    subscription.release();
    expect(clock.waiting()).toBe(0);
    await clock.advance(60_000);
    watch(POD);
    expect(await told()).toMatchObject([expect.stringMatching(/^web-h1-a Failed/)]);
  });

  it('[issue 10.7] tells of the children that changed meanwhile when somebody follows it again, and of those that change then', async () => {
    const { put, watch, told, informers } = startLive();
    put(aReplicaSet('web', { ready: 0 }));
    put(aDeployment('web', { ready: 0 }));
    watch(POD); // so that the pods are there all along
    const subscription = watch(WEB);
    expect(await told()).toContain('web InProgress: Replicas: 0/1');
    subscription.release();
    put(LOOPING);
    await told();
    watch(WEB);
    expect(await told()).toEqual([expect.stringMatching(/^web Failed/)]);
    informers.store('Pod').remove('shop/web-h1-a');
    expect(await told()).toEqual(['web-h1-a NotFound: Resource not found', 'web InProgress: Replicas: 0/1']);
  });

  it('[issue 10.7] leaves no timer behind where all of them end, nor where they are judged by other rules', () => {
    const pods = new FakeStore();
    const clock = new ManualClock();
    const storeOf = () => pods;
    const cache = new StatusCache({ clock, contain: new FaultIsolation(silentLog), storeOf, onTouched: () => undefined }, {});
    const pod = aPod('web', 'a', { phase: 'Pending', unschedulable: true, createdAt: toKubeTime(clock.now()) });
    pods.put(pod);
    for (const end of [() => cache.reset({}), () => cache.stop()]) {
      cache.of(pod);
      expect(clock.waiting()).toBe(1);
      end();
      expect(clock.waiting()).toBe(0);
    }
  });

  it('[issue 10.7] is asked about for no change of its children', () => {
    const stores = new Map(['Deployment', 'ReplicaSet', 'Pod'].map((kind) => [kind, new FakeStore()]));
    const put = (object: KubeObject) => stores.get(object.kind)?.put(object);
    const asked: string[] = [];
    const storeOf = ({ kind }: GroupKind) => {
      asked.push(kind);
      return stores.get(kind);
    };
    const contain = new FaultIsolation(silentLog);
    const cache = new StatusCache({ clock: new ManualClock(), contain, storeOf, onTouched: () => undefined }, {});
    const [web, replicas] = [aDeployment('web', { ready: 0 }), aReplicaSet('web', { ready: 0 })];
    for (const object of [web, replicas, LOOPING]) put(object);
    const askedBy = (act: () => void) => {
      asked.length = 0;
      act();
      return asked.includes('Deployment');
    };
    const change = () => cache.hear({ group: 'apps', kind: 'ReplicaSet' }, { key: 'shop/web-h1', before: replicas, after: replicas });
    cache.of(web);
    expect(askedBy(change)).toBe(true);
    cache.of(web);
    cache.forgetKind(WEB);
    expect(askedBy(change)).toBe(false);
    cache.of(web);
    expect(askedBy(change)).toBe(true);
  });
});
