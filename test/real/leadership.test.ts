import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createLeadership } from '@/server/framework';
import type { Leadership } from '@/server/framework/leadership/leadership';
import type { Cluster } from '@/server/kube';
import { createRemoteCluster } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { Clock } from '@/server/platform';
import { createRandom, realClock } from '@/server/platform';
import { printFigure } from '@/test/support/figure';
import { until } from '@/test/support/until';
import { silentLog } from '../support/silent-log';

const TAKE_OVER_MS = 15_000;
const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' } as const;
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;

/** A process that can be killed: its timers fire no more, and what it sends goes nowhere. */
function aProcess(identity: string, namespace: string, shards: number) {
  const path = process.env.KUBECONFIG;
  if (path === undefined) throw new Error('these tests want KUBECONFIG');
  let alive = true;
  const clock: Clock = { ...realClock, schedule: (delayMs, task) => realClock.schedule(delayMs, () => alive && task()) };
  const remote: RemoteCluster = createRemoteCluster({
    source: { kind: 'kubeconfig', path },
    clock: realClock,
    random: createRandom(1),
    log: silentLog,
  });
  const leadership: Leadership = createLeadership({
    cluster: remote,
    clock,
    random: createRandom(identity.charCodeAt(0)),
    log: silentLog,
    identity,
    namespace,
    name: 'slipway',
    shards,
  });
  leadership.start();
  return {
    leadership,
    remote,
    async kill() {
      alive = false;
      await remote[Symbol.asyncDispose]();
    },
    /** Ends it as it should end; again, or after it was killed, that is nothing. */
    async stop() {
      if (!alive) return;
      await leadership[Symbol.asyncDispose]();
      alive = false;
      await remote[Symbol.asyncDispose]();
    },
  };
}

describe('leadership on a real control plane', () => {
  const namespace = `leadership-${randomUUID().slice(0, 8)}`;
  let cluster: RemoteCluster;
  const running: ReturnType<typeof aProcess>[] = [];
  const start = (identity: string, shards: number) => {
    const started = aProcess(identity, namespace, shards);
    running.push(started);
    return started;
  };

  beforeAll(async () => {
    cluster = createRemoteCluster({
      source: { kind: 'kubeconfig', path: process.env.KUBECONFIG ?? '' },
      clock: realClock,
      random: createRandom(2),
      log: silentLog,
    });
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
  });
  afterAll(async () => {
    await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
    await cluster[Symbol.asyncDispose]();
  });

  const write = (port: Cluster, name: string) => port.create({ ...CONFIG_MAP, metadata: { namespace, name } });

  it('[issue 4] when a leader is killed another takes over, and what is left of the first writes nothing', async () => {
    const a = start('a', 1);
    await until('a leads', () => a.leadership.mayAct());
    const b = start('b', 1);
    const fenced = { a: a.leadership.fence(cluster), b: b.leadership.fence(cluster) };
    await write(fenced.a, 'by-a');
    await expect(write(fenced.b, 'by-b')).rejects.toThrow('does not hold the Lease');
    await until('b has seen who leads', () => b.leadership.state().holder === 'a');

    const killedAt = performance.now();
    await a.kill();
    await until('b leads', () => b.leadership.mayAct());
    printFigure('another leads after', performance.now() - killedAt, TAKE_OVER_MS, 'ms');
    expect(a.leadership.mayAct()).toBe(false);
    await expect(write(fenced.a, 'late')).rejects.toThrow('does not hold the Lease');
    await write(fenced.b, 'by-b');
    expect((await cluster.get({ ...LEASE, namespace, name: 'slipway-shard-0' })).spec).toMatchObject({
      holderIdentity: 'b',
      leaseTransitions: 1,
    });

    const c = start('c', 1);
    await until('c has seen who leads', () => c.leadership.state().holder === 'b');
    const stoppedAt = performance.now();
    await b.stop();
    await until('c leads', () => c.leadership.mayAct());
    printFigure('a leader that stops is followed after', performance.now() - stoppedAt, 4_000, 'ms');
  });

  it('[design 4] shards spread over two replicas and come together when one leaves', async () => {
    const held = ({ leadership }: { readonly leadership: Leadership }) => leadership.state().shards.filter(({ mine }) => mine).length;
    await cluster.deleteCollection({ ...LEASE, namespace });
    const a = start('a', 4);
    await until('a holds all shards', () => held(a) === 4);
    const b = start('b', 4);
    await until('each holds two', () => held(a) === 2 && held(b) === 2);
    await a.stop();
    await until('b holds all', () => held(b) === 4);
  });
});
