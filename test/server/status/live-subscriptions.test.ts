import { describe, expect, it } from 'vitest';
import { toObjectKey } from '@/lib/kube/object';
import { aConfigMap } from '../framework/fake-store';
import { startLive } from './live-bench';
import { aDeployment, aPod } from './objects';

const mapOf = (name: string) => ({ group: '', kind: 'ConfigMap', namespace: 'shop', name, apiVersion: 'v1' });
const WEB = { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web', apiVersion: 'apps/v1' };
const PUMP = { group: 'water.test', kind: 'Pump', namespace: 'shop', name: 'p1', apiVersion: 'water.test/v1' };

describe('who watches objects', () => {
  it('[issue 10.7] goes on hearing of what they watch still when they watch more, and no more of what they left', async () => {
    const { watch, put, told } = startLive();
    const subscription = watch(mapOf('a'), mapOf('b'));
    put(aConfigMap('a'));
    put(aConfigMap('b'));
    expect(await told()).toEqual(['a Current: Resource is always ready', 'b Current: Resource is always ready']);
    subscription.set([mapOf('b'), mapOf('c')]);
    expect(await told()).toEqual(['c NotFound: Resource not found']);
    put({ ...aConfigMap('a'), metadata: { ...aConfigMap('a').metadata, deletionTimestamp: '2026-01-01T09:00:00Z' } });
    put({ ...aConfigMap('b'), metadata: { ...aConfigMap('b').metadata, deletionTimestamp: '2026-01-01T09:00:00Z' } });
    expect(await told()).toEqual(['b Terminating: Resource scheduled for deletion']);
    subscription.release();
  });

  it('[issue 10.7] hears of an object until they leave it themselves, whoever else leaves it', async () => {
    const { live, watch, informers, told } = startLive();
    const [one, another] = [watch(mapOf('a')), watch(mapOf('a'))];
    expect(await told()).toEqual(['a NotFound: Resource not found', 'a NotFound: Resource not found']);
    one.release();
    informers.store('ConfigMap').put(aConfigMap('a'));
    expect(await told()).toEqual(['a Current: Resource is always ready']);
    another.release();
    expect([informers.open_, live.latest(mapOf('a'))]).toEqual([0, undefined]);
  });

  it('[issue 10.7] is told nothing of what they left before anything was known of it', async () => {
    const { watch, told } = startLive();
    watch(mapOf('a')).release();
    expect(await told()).toEqual([]);
  });

  it('[issue 10.7] hears the latest of an object that others watched before them from the source itself', async () => {
    const { live, watch, told } = startLive();
    expect(live.latest(mapOf('a'))).toBeUndefined();
    watch(mapOf('a'));
    expect(live.latest(mapOf('a'))).toBeUndefined();
    await told();
    expect(live.latest(mapOf('a'))).toMatchObject({ status: 'NotFound' });
  });

  it('[issue 10.7] opens the copies of an owner and of what is below it, each at its version', () => {
    const { watch, informers } = startLive();
    const subscription = watch(WEB);
    expect(informers.scopes).toEqual(['apps/v1 Deployment', 'apps/v1 ReplicaSet', 'v1 Pod']);
    subscription.release();
    expect(informers.open_).toBe(0);
  });
});

describe('what is known of a kind', () => {
  it('[issue 10.7] names the objects that are watched of it and those whose status is made from it, and no others', () => {
    const { live, watch } = startLive();
    const pod = { group: '', kind: 'Pod', namespace: 'shop', name: 'lone', apiVersion: 'v1' };
    const subscription = watch(WEB, pod, mapOf('a'), PUMP);
    const watchedOf = (group: string, kind: string) => [...live.watchedOf({ group, kind })].map(({ name }) => name).sort();
    expect(watchedOf('', 'Pod')).toEqual(['lone', 'web']);
    expect(watchedOf('apps', 'ReplicaSet')).toEqual(['web']);
    expect(watchedOf('', 'ConfigMap')).toEqual(['a']);
    expect(watchedOf('water.test', 'Pump')).toEqual(['p1']);
    expect([watchedOf('apps', 'Pod'), watchedOf('', 'Pump'), watchedOf('apps', 'DaemonSet')]).toEqual([[], [], []]);
    subscription.release();
    expect(watchedOf('', 'Pod')).toEqual([]);
  });

  it('[issue 10.7] says how an object is known only where its kind is watched', async () => {
    const { live, watch, clock, informers, told } = startLive();
    expect(live.provenanceOf(mapOf('a'))).toBeUndefined();
    watch(mapOf('a'));
    await told();
    expect(live.provenanceOf(mapOf('a'))).toEqual({ source: 'watch', at: clock.now() });
    informers.store('ConfigMap').setState({ kind: 'retrying', reason: 'not served', since: clock.now(), isMissing: true });
    expect(live.provenanceOf(mapOf('a'))).toBeUndefined();
  });

  it('[issue 10.7] is not waited for by an owner where it cannot be had', async () => {
    const { watch, put, mapper, told } = startLive();
    mapper.failure = new Error('discovery is down');
    const pod = aPod('web', 'a', { phase: 'Running', ready: true });
    watch({ group: '', kind: 'Pod', namespace: 'shop', name: toObjectKey(pod.metadata).slice('shop/'.length) });
    watch(WEB);
    put(aDeployment('web'));
    expect([...(await told(0))].sort()).toEqual([
      'web Current: Deployment is available. Replicas: 1',
      'web-h1-a Unknown: discovery is down',
    ]);
  });
});
