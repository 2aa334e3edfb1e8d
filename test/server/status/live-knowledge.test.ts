import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { InformerState } from '@/server/kube/informer';
import { aConfigMap } from '../framework/fake-store';
import { startLive } from './live-bench';
import { aDeployment, aPod, aReplicaSet } from './objects';

const FLAGS = { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'flags', apiVersion: 'v1' };
const WEB = { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web', apiVersion: 'apps/v1' };
const ABSENT = 'flags NotFound: Resource not found';

const since = startLive().clock.now();
const refused: InformerState = { kind: 'refused', verb: 'watch', reason: 'no watch', since };

describe('an absent object', () => {
  it.each<{ readonly state: InformerState; readonly told: readonly string[] }>([
    { state: { kind: 'retrying', reason: 'connection reset', since }, told: [] },
    { state: { kind: 'listing' }, told: [] },
    { state: refused, told: ['flags Unknown: no watch'] },
    { state: { kind: 'stopped' }, told: ['flags Unknown: ConfigMap objects are no longer read'] },
  ])('[issue 10.7] stays absent while its watch is lost or lists anew, and is unknown once nothing is read: $state.kind', async (row) => {
    const { watch, informers, told } = startLive();
    watch(FLAGS);
    expect(await told()).toEqual([ABSENT]);
    informers.store('ConfigMap').setState(row.state);
    expect(await told()).toEqual(row.told);
  });

  it('[issue 10.7] is absent by a poll that did not find it, and stays so when the next poll is late', async () => {
    const { watch, put, informers, told } = startLive();
    const store = informers.store('ConfigMap');
    watch(FLAGS);
    put(aConfigMap('flags'));
    await told();
    store.setState(refused);
    store.contactAt = since;
    store.remove('shop/flags');
    expect(await told()).toEqual([ABSENT]);
    await told(3_600_000);
    store.setState(refused);
    expect(await told()).toEqual([]);
  });

  it('[issue 10.7] is unknown, not absent, where the watch was lost while it was there', async () => {
    const { watch, put, informers, told, clock } = startLive();
    watch(FLAGS);
    put(aConfigMap('flags'));
    await told();
    informers.store('ConfigMap').setState({ kind: 'retrying', reason: 'connection reset', since: clock.now() });
    informers.store('ConfigMap').remove('shop/flags');
    expect(await told()).toEqual(['flags Unknown: connection reset']);
  });

  it('[issue 10.7] is told of only once its copy is filled', async () => {
    const { watch, informers, told } = startLive();
    informers.store('ConfigMap').setState({ kind: 'listing' });
    watch(FLAGS);
    expect(await told()).toEqual([]);
    informers.store('ConfigMap').setState({ kind: 'watching' });
    expect(await told()).toEqual([ABSENT]);
  });
});

describe('an object of which a copy is there', () => {
  it('[issue 10.7] is unknown with the reason once nobody may read it any more, whatever the copy last held', async () => {
    const { watch, put, informers, told } = startLive();
    watch(FLAGS);
    put(aConfigMap('flags'));
    expect(await told()).toEqual(['flags Current: Resource is always ready']);
    const store = informers.store('ConfigMap');
    store.setState(refused);
    await store.acceptPoll({ namespace: 'shop' }, { refused: 'configmaps is forbidden' });
    expect(await told()).toEqual(['flags Unknown: configmaps is forbidden']);
  });

  it('[issue 10.7] goes on being told of while the copies of its children are filled anew', async () => {
    const { watch, put, informers, told } = startLive();
    watch(WEB);
    put(aDeployment('web'));
    expect(await told()).toEqual(['web Current: Deployment is available. Replicas: 1']);
    informers.stores.get('Pod')?.setState({ kind: 'listing' });
    put(aDeployment('web', { ready: 0 }));
    expect(await told()).toEqual(['web InProgress: Replicas: 0/1']);
  });

  it('[issue 10.7] is judged by its children once those may be read, and without them once they may not', async () => {
    const { watch, put, informers, told } = startLive();
    const pods = informers.store('Pod');
    put(aPod('web', 'a', { phase: 'Running', looping: true }));
    put(aReplicaSet('web', { ready: 0 }));
    put(aDeployment('web', { ready: 0 }));
    pods.setState({ ...refused, verb: 'list' });
    await pods.acceptPoll({}, { refused: 'pods is forbidden' });
    watch(WEB);
    expect(await told()).toEqual(['web InProgress: Replicas: 0/1']);
    pods.setState({ kind: 'watching' });
    expect(await told()).toEqual(['web Failed: 1 pod has failed: Containers in CrashLoop state: main']);
    pods.setState({ ...refused, verb: 'list' });
    expect(await told()).toEqual(['web InProgress: Replicas: 0/1']);
  });
});

describe('an object as it was read last', () => {
  const evaluate = ({ live }: ReturnType<typeof startLive>, lastRead?: KubeObject) => {
    const { status, message, error } = live.evaluate(FLAGS, lastRead);
    return `${status}: ${error?.text ?? message}`;
  };

  it('[issue 9.1] has the status of that version, also where the copy is older', async () => {
    const bench = startLive();
    bench.watch(WEB);
    bench.put(aDeployment('web', { ready: 0 }));
    await bench.told();
    expect(bench.live.evaluate(WEB, aDeployment('web')).status).toBe('Current');
    bench.watch(FLAGS);
    await bench.told(); // the copy has none yet
    expect(evaluate(bench, aConfigMap('flags'))).toBe('Current: Resource is always ready');
  });

  it('[issue 9.1] is Unknown with the reason that whoever watches it is told, once nobody may read it any more', async () => {
    const bench = startLive();
    bench.watch(FLAGS);
    bench.put(aConfigMap('flags'));
    await bench.told();
    const store = bench.informers.store('ConfigMap');
    store.setState(refused);
    await store.acceptPoll({ namespace: 'shop' }, { refused: 'configmaps is forbidden' });
    expect(evaluate(bench, aConfigMap('flags'))).toBe('Unknown: configmaps is forbidden');
    expect(evaluate(bench)).toBe('Unknown: configmaps is forbidden');
    expect(await bench.told()).toEqual(['flags Unknown: configmaps is forbidden']);
  });

  it('[issue 9.1] is absent in the words that whoever watches it is told', async () => {
    const bench = startLive();
    bench.watch(FLAGS);
    expect(`flags ${evaluate(bench)}`).toBe(ABSENT);
    bench.put(aConfigMap('flags'));
    expect(await bench.told()).toEqual(['flags Current: Resource is always ready']);
    expect(evaluate(bench)).toBe('Current: Resource is always ready'); // it was made since it was read
  });
});
