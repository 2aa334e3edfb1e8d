import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { createApplicationEngine } from '@/server/application';
import { LABEL } from '@/server/dispatch';
import type { RecordState } from '@/server/framework';
import type { Cluster } from '@/server/kube';
import { createMetrics, createRandom } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { FakeApiServer } from '../../support/dispatch-server';
import { FakeInformers } from '../../support/fake-informers';
import { createSeededIds } from '../../support/seeded-ids';
import { silentLog } from '../../support/silent-log';
import { configMap, holding, revisionOf } from './seen';

type Told = { readonly status: string; readonly message: string };
const told = (status: string, message = ''): Told => ({ status, message });

const labels = { [LABEL.appName]: 'web', [LABEL.appNamespace]: 'shop' };
/** An engine whose passes are counted, and do nothing where the record is full. */
async function engine(objects: readonly KubeObject[], record: RecordState = 'full') {
  const server = new FakeApiServer();
  for (const object of objects) server.seed(object);
  const clock = new ManualClock();
  const random = createRandom(3);
  const informers = new FakeInformers(server);
  let passes = 0;
  const turns: string[] = [];
  const errors: unknown[] = [];
  const heard: ((now: Told, before?: Told) => void)[] = [];
  const released: string[] = [];
  const made = createApplicationEngine(
    {
      cluster: server as object as Cluster, // no more of the port is used
      ...{ informers, clock, random, ids: createSeededIds(random), metrics: createMetrics() },
      log: { ...silentLog, child: () => ({ ...silentLog, error: (...one) => void errors.push(one) }) },
      mayAct: (key) => {
        if (key !== undefined) turns.push(key);
        return true;
      },
      record: async () => undefined,
      recordState: async () => {
        passes += 1;
        return record;
      },
    },
    {
      status: {
        evaluate: () => ({ status: 'Current', message: '', conditions: [] }),
        subscribe: (hear: (typeof heard)[number]) => {
          heard.push(hear);
          return { set: () => undefined, release: () => void released.push('status') };
        },
      } as never,
    },
  );
  await made.start();
  await clock.settle();
  const after = async (act: () => unknown) => {
    const before = passes;
    await act();
    await clock.settle();
    return passes - before;
  };
  return {
    ...{ server, made, informers, turns, errors, heard, released, clock },
    woken: after,
    [Symbol.asyncDispose]: async () => made[Symbol.asyncDispose](),
  };
}
const application = holding([configMap('a')]);
const workload = (own: Readonly<Record<string, string>>, replicas = 1): KubeObject => ({
  ...KINDS.deployment,
  metadata: { name: 'web-v1', namespace: 'shop', labels: own },
  spec: { replicas, paused: false },
});

describe('what has an application looked at', () => {
  it('[dispatch 13] is a change of what it wants, of its revisions and its records, and none of those of nobody', async () => {
    await using one = await engine([application]);
    const { server, woken } = one;
    const live = () => server.peek({ ...KINDS.application, namespace: 'shop', name: 'web' }) as KubeObject;
    expect(await woken(() => server.update({ ...live(), spec: holding([configMap('b')]).spec }))).toBe(1);
    expect(await woken(() => server.create(revisionOf(application).object))).toBe(1);
    const { labels: _labels, ...bare } = revisionOf(application, {}, 2).object.metadata;
    expect(await woken(() => server.create({ ...KINDS.applicationRevision, metadata: bare, spec: {} }))).toBe(0);
    expect(await woken(() => server.create({ ...KINDS.resourceTracker, metadata: { name: 'web-v1-shop', labels }, spec: {} }))).toBe(1);
    expect(await woken(() => server.create({ ...KINDS.resourceTracker, metadata: { name: 'stray' }, spec: {} }))).toBe(0);
    expect([[...new Set(one.turns)], one.errors]).toEqual([['shop/web'], []]);
  });

  it('[rollout 13] is a change of its rollout that concerns it, of its workloads but for scale and status, and a decision on either', async () => {
    await using one = await engine([application]);
    const { server, woken } = one;
    const rollout: KubeObject = {
      ...KINDS.rolloutOrchestrator,
      metadata: { name: 'web', namespace: 'shop' },
      spec: { targetRevisions: [{ revisionName: 'web-v1', percent: 100 }] },
    };
    expect(await woken(() => server.create(rollout))).toBe(1);
    const live = server.peek({ ...KINDS.rolloutOrchestrator, namespace: 'shop', name: 'web' }) as KubeObject;
    expect(
      await woken(() =>
        server.update({ ...live, spec: { ...(live.spec as object), stageTargetRevisions: [{ revisionName: 'web-v1', percent: 50 }] } }),
      ),
    ).toBe(0);
    const service = { [LABEL.rolloutService]: 'web' };
    expect(await woken(() => server.create(workload(service)))).toBe(1);
    const at = { ...KINDS.deployment, namespace: 'shop', name: 'web-v1' };
    const held = () => server.peek(at) as KubeObject;
    expect(await woken(() => server.update({ ...held(), spec: { replicas: 5, paused: false } }))).toBe(0);
    expect(await woken(() => server.update({ ...held(), status: { replicas: 5 } }, { subresource: 'status' }))).toBe(0);
    expect(await woken(() => server.update({ ...held(), spec: { replicas: 5, paused: true } }))).toBe(1);
    expect(await woken(() => server.create({ ...workload(labels), metadata: { name: 'plain', namespace: 'shop', labels } }))).toBe(1);
    expect(await woken(() => server.create({ ...workload({}), metadata: { name: 'stranger', namespace: 'shop' } }))).toBe(0);
    const decision = (name: string, spec: object) => ({ ...KINDS.stageDecision, metadata: { name, namespace: 'shop' }, spec });
    expect(await woken(() => server.create(decision('a', { applicationRef: { name: 'web', uid: 'app' } })))).toBe(1);
    expect(await woken(() => server.create(decision('b', { rolloutRef: { name: 'web', uid: 'ro' } })))).toBe(1);
    expect(await woken(() => server.create(decision('c', {})))).toBe(0);
    expect([[...new Set(one.turns)], one.errors]).toEqual([['shop/web'], []]);
  });

  it('[issue 10.7] is what its objects are judged to be, where it differs in itself, and only later where it is on its way all the same', async () => {
    await using one = await engine([application], 'open');
    const [hear] = one.heard;
    if (hear === undefined) throw new Error('nothing is watched');
    const woken = (now: Told, before?: Told) => one.woken(() => hear(now, before));
    expect([await woken(told('Current')), await woken(told('Failed', 'x'), told('Failed', 'x'))]).toEqual([0, 0]);
    expect([await woken(told('Failed'), told('Current')), await woken(told('Failed', 'x'), told('Failed'))]).toEqual([1, 1]);
    expect([await woken(told('InProgress'), told('Failed')), await woken(told('Current'), told('InProgress'))]).toEqual([1, 1]);
    expect(await woken(told('InProgress', '2 of 4'), told('InProgress', '1 of 4'))).toBe(0);
    expect(await one.woken(() => one.clock.advance(4999))).toBe(0);
    expect(await one.woken(() => one.clock.advance(1))).toBe(1);
  });

  it('[issue 10.7] is nothing any more once the engine has stopped', async () => {
    const one = await engine([application], 'open');
    expect([one.heard.length, one.released]).toEqual([1, []]);
    await one.made[Symbol.asyncDispose]();
    expect(one.released).toEqual(['status']);
    const spec = holding([configMap('b')]).spec;
    const live = one.server.peek({ ...KINDS.application, namespace: 'shop', name: 'web' }) as KubeObject;
    expect(await one.woken(() => one.server.update({ ...live, spec }))).toBe(0);
    expect(await one.woken(() => one.server.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a' }, {}))).toBe(0);
  });

  it('[issue 10.7] is read of workloads and Secrets in the namespaces of applications and of revisions alone', async () => {
    const revision = { ...KINDS.applicationRevision, metadata: { name: 'old-v1', namespace: 'left' }, spec: {} };
    await using one = await engine([application, revision, { ...workload({}), metadata: { name: 'other', namespace: 'else' } }]);
    expect([...one.informers.needed].map(([kind, places]) => [kind, [...places.values()].sort()])).toEqual(
      ['Deployment', 'Secret'].map((kind) => [kind, ['left', 'shop']]),
    );
  });

  it('[issue 10.1] tells of what waits for a grant, of which none does at first', async () => {
    await using one = await engine([application]);
    expect(one.made.findings?.()).toEqual([]);
  });
});
