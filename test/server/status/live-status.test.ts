import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { groupOf, toObjectKey } from '@/lib/kube/object';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import type { PartialRule } from '@/server/status/compute';
import type { ObjMetadata } from '@/server/status/identifier';
import type { ComputeResult } from '@/server/status/result';
import { current, pending } from '@/server/status/result';
import { compileRules } from '@/server/status/rules/compile';
import { ManualClock } from '@/test/support/manual-clock';
import { aConfigMap, FakeStore } from '../framework/fake-store';
import { startBench, startCounting, startOn } from './live-bench';
import { aDeployment, aPod, aReplicaSet } from './objects';

const idOf = (object: KubeObject): ObjMetadata => ({
  namespace: object.metadata.namespace ?? '',
  name: object.metadata.name ?? '',
  group: groupOf(object.apiVersion),
  kind: object.kind,
});

const web = idOf(aDeployment('web'));
const flags: ObjMetadata = { namespace: 'shop', name: 'flags', group: '', kind: 'ConfigMap' };

describe('live status', () => {
  it('[status 13.2] tells absent objects as NotFound, then Sync', async () => {
    await using bench = await startBench([flags]);
    expect(await bench.told()).toEqual(['flags NotFound: Resource not found', 'Sync']);
  });

  it('[issue 9] computes what is current again when a rule of time says that it no longer is', async () => {
    await using bench = await startBench([flags]);
    const rows = [{ when: [{ since: '.metadata.creationTimestamp', after: '1m' }], status: 'Failed' as const, message: 'too old' }];
    bench.recompute({ profile: 'health', rules: compileRules([{ kind: 'ConfigMap', rows }]) });
    bench.put({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'shop', name: 'flags', creationTimestamp: toKubeTime(bench.clock.now()) },
    });
    expect((await bench.told()).at(-1)).toBe('flags Current: Resource is always ready');
    expect(await bench.told(59_000)).toEqual([]);
    expect(await bench.told(2000)).toEqual(['flags Failed: too old']);
  });

  it.each([
    ['what it is, once who tells of it has answered', 2000, 'flags Current: tells'],
    ['that nobody has told of it, where that takes five seconds', 60_000, 'flags Unknown: is being asked'],
  ])('[issue 9.2] tells first of an object %s', async (_what, answersAfter, first) => {
    await using bench = await startBench([]);
    await bench.told();
    const answersAt = bench.clock.now() + answersAfter;
    const asked: PartialRule = (_object, _conditions, now, wake) => {
      if (now >= answersAt) return current('tells');
      wake?.(toInstant(now + 1000));
      return pending('is being asked');
    };
    bench.recompute({ profile: 'health', rules: new Map([['ConfigMap', asked]]) });
    bench.put(aConfigMap('flags'));
    bench.alsoWatch([flags]);
    expect(await bench.told(Math.min(answersAfter, 5000) - 100)).toEqual([]);
    expect(await bench.told(1000)).toEqual([first, 'Sync']);
    expect(await bench.told(answersAfter)).toEqual(first.includes('Unknown') ? ['flags Current: tells'] : []);
  });

  it('[status 13.2] computes a tree again when only a grandchild changes', async () => {
    await using bench = await startBench([web]);
    await bench.told();
    bench.put(aDeployment('web', { ready: 0 }));
    bench.put(aReplicaSet('web', { ready: 0 }));
    bench.put(aPod('web', 'a', { phase: 'Running' }));
    expect(await bench.told()).toEqual(['web InProgress: Replicas: 0/1']);
    bench.put(aPod('web', 'a', { phase: 'Running', looping: true }));
    await bench.clock.advance(100);
    const [event] = bench.events;
    const message = '1 pod has failed: Containers in CrashLoop state: main';
    expect(event).toMatchObject({
      type: 'Update',
      resource: { status: 'Failed', message, generated: [{ status: 'Failed', message, generated: [{ status: 'Failed' }] }] },
    });
  });

  it('[status 13.2] says nothing about pods that no root selects', async () => {
    await using bench = await startBench([web]);
    bench.put(aDeployment('web'));
    await bench.told();
    bench.put(aPod('stranger', 'a', { phase: 'Running', looping: true }));
    expect(await bench.told()).toEqual([]);
  });

  it('[status 13.2] tells a burst of changes once', async () => {
    await using bench = await startBench([web]);
    await bench.told();
    for (let round = 0; round < 20; round++) bench.put(aDeployment('web', { ready: round % 2 }));
    expect(await bench.told()).toEqual(['web Current: Deployment is available. Replicas: 1']);
  });

  it('[status 8.3] says nothing when a change makes no difference', async () => {
    await using bench = await startBench([web]);
    bench.put(aDeployment('web'));
    await bench.told();
    const object = aDeployment('web');
    bench.put({ ...object, metadata: { ...object.metadata, labels: { touched: 'yes' } } });
    expect(await bench.told(1000)).toEqual([]);
  });

  it('[status 13.2] judges an unschedulable pod again when its time is up, without any change', async () => {
    const pod = aPod('web', 'a', { phase: 'Pending', unschedulable: true });
    await using bench = await startBench([idOf(pod)]);
    await bench.told();
    const createdAt = toKubeTime(toInstant(bench.clock.now()));
    bench.put({ ...pod, metadata: { ...pod.metadata, creationTimestamp: createdAt } });
    expect(await bench.told()).toEqual(['web-h1-a InProgress: Pod has not been scheduled']);
    expect(await bench.told(14_000)).toEqual([]);
    expect(await bench.told(2000)).toEqual(['web-h1-a Failed: Pod could not be scheduled']);
  });

  it('[house 3.4] waits for the time of the newest version of an object alone, and for none of one that is gone', async () => {
    const pod = aPod('web', 'a', { phase: 'Pending', unschedulable: true });
    await using bench = await startBench([idOf(pod)]);
    const createdAt = toKubeTime(toInstant(bench.clock.now()));
    const version = (at: number) => ({
      ...pod,
      metadata: { ...pod.metadata, creationTimestamp: createdAt, labels: { ...pod.metadata.labels, at: `${at}` } },
    });
    bench.put(version(0));
    await bench.told();
    const once = bench.clock.waiting();
    for (let at = 1; at < 20; at++) {
      bench.put(version(at));
      await bench.told();
    }
    expect(bench.clock.waiting()).toBe(once);
    bench.informers.store('Pod').remove(toObjectKey(pod.metadata));
    await bench.told();
    expect(bench.clock.waiting()).toBe(once - 1);
  });

  it('[status 13.2] is Unknown with the reason while a copy cannot be filled, and recovers', async () => {
    const clock = new ManualClock();
    await using bench = await startBench([flags]);
    await bench.told();
    const store = new FakeStore({ synced: false });
    bench.informers.stores.set('Pod', store);
    const pod = aPod('web', 'a', { phase: 'Running', ready: true });
    await using other = await startOn(bench.informers, [idOf(pod)], clock);
    store.setState({ kind: 'retrying', reason: 'pods is forbidden', since: clock.now() });
    expect(await other.told()).toEqual(['web-h1-a Unknown: pods is forbidden']);
    store.setState({ kind: 'watching' });
    store.put(pod);
    store.sync();
    expect(await other.told()).toEqual(['web-h1-a Current: ']);
  });

  it('[status 11.9] is Unknown for a kind that is not served, and asks again until it is', async () => {
    const pump: ObjMetadata = { namespace: 'shop', name: 'p1', group: 'water.test', kind: 'Pump' };
    await using bench = await startBench([pump]);
    expect(await bench.told()).toEqual(['p1 Unknown: ', 'Sync']);
    bench.mapper.known.add('Pump');
    expect(await bench.told(1200)).toEqual(['p1 NotFound: Resource not found']);
  });

  it('[status 13.2] asks again while discovery fails, and says so until it answers', async () => {
    await using bench = await startBench([flags], new Error('discovery is down'));
    await bench.clock.advance(100);
    expect(bench.events.splice(0)).toMatchObject([
      { type: 'Update', resource: { status: 'Unknown', error: { kind: 'transport', text: 'discovery is down' } } },
      { type: 'Sync' },
    ]);
    await bench.clock.advance(10_000);
    bench.mapper.failure = undefined;
    expect(await bench.told(30_000)).toEqual(['flags NotFound: Resource not found']);
  });

  it('[status 13.2] is Unknown once its kind is served at no version, and goes on once it is again', async () => {
    await using bench = await startBench([flags]);
    expect(await bench.told()).toEqual(['flags NotFound: Resource not found', 'Sync']);
    const store = bench.informers.store('ConfigMap');
    store.setState({ kind: 'retrying', reason: 'not served', since: bench.clock.now(), isMissing: true });
    await bench.clock.advance(100);
    expect(bench.events.splice(0)).toMatchObject([
      { type: 'Update', resource: { status: 'Unknown', error: { kind: 'noMatch', text: 'no matches for kind "ConfigMap" in group ""' } } },
    ]);
    // The copy follows its kind to whatever version is served.
    store.setState({ kind: 'watching' });
    expect(await bench.told(100)).toEqual(['flags NotFound: Resource not found']);
    expect(bench.informers.scopes).toEqual(['v1 ConfigMap']);
  });

  it('[design 14] computes a version of an object once, however many watch it and ask for it', async () => {
    const { live, informers, clock, computed } = startCounting();
    const watched: string[] = [];
    for (const name of ['one', 'another'])
      live.subscribe(({ status }) => watched.push(`${name} ${status}`)).set([{ ...flags, apiVersion: 'v1' }]);
    const object = aConfigMap('flags');
    informers.store('ConfigMap').put(object);
    await clock.settle();
    expect([live.of(object).status, live.of(object).status]).toEqual(['Current', 'Current']);
    expect([watched, computed()]).toEqual([['one Current', 'another Current'], 1]);
    live[Symbol.dispose]();
    expect([informers.open_, informers.store('ConfigMap').subscribers]).toEqual([0, 0]);
  });

  it('[issue 9.2] computes everything again by other rules, and tells what differs', async () => {
    const { live, informers, clock } = startCounting();
    const told: string[] = [];
    live.subscribe(({ identifier, message }) => told.push(`${identifier.name}: ${message}`)).set([{ ...flags, apiVersion: 'v1' }]);
    informers.store('ConfigMap').put(aConfigMap('flags'));
    await clock.settle();
    const result: ComputeResult = { status: 'Failed', message: 'refused by a rule', conditions: [] };
    live.recompute({ rules: new Map([['ConfigMap', () => result]]) });
    await clock.settle();
    expect(told.at(-1)).toBe('flags: refused by a rule');
    live[Symbol.dispose]();
  });

  it('[status 4] is Unknown with the reason for an object that cannot be judged', () => {
    const { live } = startCounting();
    const broken = { ...aDeployment('web'), status: { conditions: 'none' } };
    expect(live.of(broken)).toMatchObject({ status: 'Unknown', error: { text: 'status.conditions must be a list, found "none"' } });
  });

  it('[status 13.2] tells an owner once the copies of its children are filled, though none of them ever changes', async () => {
    const { live, informers, clock } = startCounting();
    const pods = new FakeStore({ synced: false });
    pods.setState({ kind: 'listing' });
    informers.stores.set('Pod', pods);
    const told: string[] = [];
    live.subscribe(({ status, message }) => told.push(`${status}: ${message}`)).set([{ ...web, apiVersion: 'apps/v1' }]);
    informers.store('Deployment').put(aDeployment('web'));
    await clock.settle();
    expect(told).toEqual([]);
    pods.setState({ kind: 'watching' });
    pods.sync();
    await clock.settle();
    expect(told).toEqual(['Current: Deployment is available. Replicas: 1']);
    live[Symbol.dispose]();
  });

  it('[issue 9.1] judges an owner by itself while its children may not be read, and again once they may', async () => {
    const { live, informers, clock } = startCounting();
    const pods = new FakeStore({ synced: false });
    informers.stores.set('Pod', pods);
    pods.setState({ kind: 'refused', verb: 'list', reason: 'pods is forbidden', since: clock.now() });
    const told: string[] = [];
    live.subscribe(({ status, message }) => told.push(`${status}: ${message}`)).set([{ ...web, apiVersion: 'apps/v1' }]);
    informers.store('Deployment').put(aDeployment('web', { ready: 0 }));
    informers.store('ReplicaSet').put(aReplicaSet('web', { ready: 0 }));
    await clock.settle();
    expect(told).toEqual(['InProgress: Replicas: 0/1']);
    pods.setState({ kind: 'watching' });
    pods.put(aPod('web', 'a', { phase: 'Running', looping: true }));
    pods.sync();
    await clock.settle();
    expect(told.at(-1)).toBe('Failed: 1 pod has failed: Containers in CrashLoop state: main');
    live[Symbol.dispose]();
  });

  it('[issue 9.1] takes an object that a poll did not find for absent no longer than that poll is good', async () => {
    await using bench = await startBench([flags]);
    bench.put(aConfigMap('flags'));
    expect((await bench.told()).at(-1)).toBe('flags Current: Resource is always ready');
    const store = bench.informers.store('ConfigMap');
    store.setState({ kind: 'refused', verb: 'watch', reason: 'no watch', since: bench.clock.now() });
    await store.acceptPoll({ namespace: 'shop' }, { objects: [] });
    await bench.clock.advance(60_000);
    store.remove('shop/flags');
    expect((await bench.told()).at(-1)).toMatch(/^flags Unknown/);
  });

  it('[house 3.4] gives its copies back at the end', async () => {
    const bench = await startBench([web, flags]);
    await bench.told();
    expect(bench.informers.open_).toBe(4);
    await bench[Symbol.asyncDispose]();
    expect(bench.informers.open_).toBe(0);
    expect(bench.informers.all().map((store) => store.subscribers)).toEqual([0, 0, 0, 0]);
  });
});

describe('who reads a status that they watch', () => {
  it('[issue 9.1] before anything was told of it hears what became of it by then, and what they read', async () => {
    const { live, informers, clock } = startCounting();
    const heard: string[] = [];
    const subscription = live.subscribe((status, before) => heard.push(`${before?.message} -> ${status.message}`));
    const young = { ...aDeployment('web'), status: {} };
    informers.store('Deployment').put(young);
    subscription.set([{ ...web, apiVersion: 'apps/v1' }]);
    const read = live.of(young).message;
    informers.store('Deployment').put(aDeployment('web'));
    await clock.advance(100);
    expect(heard).toEqual([`${read} -> ${live.of(aDeployment('web')).message}`]);
    expect(heard[0]).not.toContain('undefined');
    subscription.release();
  });
});
