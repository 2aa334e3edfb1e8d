import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { toKubeTime } from '@/lib/std/instant';
import type { Cluster } from '@/server/kube';
import { createMetrics, createRandom } from '@/server/platform';
import { createRolloutEngine } from '@/server/rollout';
import { ManualClock } from '@/test/support/manual-clock';
import { FakeApiServer } from '../../support/dispatch-server';
import { FakeInformers } from '../../support/fake-informers';
import { createSeededIds } from '../../support/seeded-ids';
import { silentLog } from '../../support/silent-log';
import { aRolloutSpec } from './simulation';

const REVISION = 'serving.knative.dev/revision';
type Told = { readonly status: string; readonly message: string };

const rollout = (name: string): KubeObject => ({
  ...KINDS.rolloutOrchestrator,
  metadata: { name, namespace: 'shop', generation: 1 },
  spec: aRolloutSpec(`${name}-v1`, `${name}-v2`, 4, { overConsumptionRatio: 50 }),
});
const workload = (name: string): KubeObject => ({
  ...KINDS.deployment,
  metadata: { name, namespace: 'shop', labels: { [REVISION]: name }, generation: 1 },
  spec: { replicas: 1, template: { metadata: { labels: { [REVISION]: name } } } },
});
const scaler = (name: string, target: string): KubeObject => ({
  ...KINDS.horizontalPodAutoscaler,
  metadata: { name, namespace: 'shop' },
  spec: { minReplicas: 1, maxReplicas: 3, scaleTargetRef: { ...KINDS.deployment, name: target } },
});
const decision = (name: string, about: string): KubeObject => ({
  ...KINDS.stageDecision,
  metadata: { name, namespace: 'shop' },
  spec: { rolloutRef: { name: about, uid: 'any' } },
});

/** The engine over two rollouts. Its passes do nothing, since nothing more can wait for the record, and are counted. */
class Scene implements AsyncDisposable {
  readonly server = new FakeApiServer();
  readonly clock = new ManualClock();
  readonly informers = new FakeInformers(this.server);
  /** What is asked, of each key that has its turn, before its pass. */
  readonly turns: string[] = [];
  readonly heard: ((told: Told, before?: Told) => void)[] = [];
  mayAct = true;
  readonly engine;

  constructor() {
    for (const name of ['web', 'other']) this.server.seed(rollout(name));
    for (const name of ['web-v1', 'web-v2']) this.server.seed(workload(name));
    const random = createRandom(3);
    const allows = async (object: KubeObject) => ({ ...object, status: { allowed: true } });
    this.engine = createRolloutEngine(
      {
        cluster: { discovery: this.server.discovery, create: allows } as object as Cluster, // no more of the port is used
        informers: this.informers,
        ...{ clock: this.clock, random, ids: createSeededIds(random), log: silentLog, metrics: createMetrics() },
        mayAct: (shard) => {
          if (shard !== undefined) this.turns.push(shard);
          return this.mayAct;
        },
        record: async () => undefined,
        recordState: async () => 'full',
      },
      {
        noRollbackReason: () => null,
        status: {
          of: () => ({ status: 'Current', message: '', conditions: [] }),
          subscribe: (listener: (told: Told, before?: Told) => void) => {
            this.heard.push(listener);
            return { set: () => undefined, release: () => undefined };
          },
        } as never,
      },
    );
  }

  async start(): Promise<this> {
    await this.engine.start();
    await this.clock.settle();
    return this;
  }

  /** So many passes over rollouts begin at once for what is done. */
  async begun(act: () => unknown): Promise<number> {
    return this.#counted(0, 20, act);
  }

  /** So many passes over StagePodAutoscalers begin for what is done, once it stands still. */
  async mirrored(act: () => unknown): Promise<number> {
    return this.#counted(1, 3000, act);
  }

  async #counted(controller: number, ms: number, act: () => unknown): Promise<number> {
    const passes = () => this.engine.controllers[controller]?.stats().passes ?? 0;
    const before = passes();
    await act();
    await this.clock.advance(ms);
    return passes() - before;
  }

  /** The rollouts whose turn came, in order, once they could be acted on, of those that something was done about while none could. */
  async orderAfter(act: () => unknown): Promise<readonly string[]> {
    this.mayAct = false;
    await act();
    await this.clock.settle();
    const asking = this.engine.controllers.filter((one) => one.stats().deferred > 0).length;
    this.mayAct = true;
    this.turns.length = 0;
    await this.clock.advance(600);
    return [...new Set(this.turns.slice(asking))]; // each controller asked about one for all
  }

  of(type: TypeRef, name: string): KubeObject {
    const found = this.server.peek({ ...type, namespace: 'shop', name });
    if (found === undefined) throw new Error(`no ${type.kind} ${name}`);
    return found;
  }

  pod(phase: string, { ready, ...metadata }: { readonly ready?: number } & Partial<KubeObject['metadata']> = {}): void {
    const at = ready === undefined ? undefined : toKubeTime((this.clock.now() + ready) as never);
    this.server.seed({
      ...KINDS.pod,
      metadata: { name: 'web-v2-a', namespace: 'shop', labels: { [REVISION]: 'web-v2' }, ...metadata },
      status: { phase, conditions: at === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: at }] },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine[Symbol.asyncDispose]();
  }
}

describe('[issue 10.7] a pass over a rollout begins', () => {
  it('when a workload comes, goes, or is to be another, and not when one of nobody does', async () => {
    await using scene = await new Scene().start();
    const { server } = scene;
    const at = { ...KINDS.deployment, namespace: 'shop', name: 'web-v2' };
    const held = scene.of(at, 'web-v2');
    const template = { metadata: { labels: { [REVISION]: 'web-v2' } }, spec: { containers: [{ name: 'web', image: 'web:3' }] } };
    expect(await scene.begun(() => server.update({ ...held, spec: { ...(held.spec as object), template } }))).toBe(1);
    expect(await scene.begun(() => server.delete(at, {}))).toBe(1);
    expect(await scene.begun(() => server.create(workload('web-v2')))).toBe(1);
    expect(await scene.begun(() => server.create(workload('stray')))).toBe(0);
  });

  it('when a workload has failed by its computed status, or has no more, and not when that is told first or is something else', async () => {
    await using scene = await new Scene().start();
    const told = (status: string, before?: string) =>
      scene.begun(() => {
        for (const hear of scene.heard) hear({ status, message: '' }, before === undefined ? undefined : { status: before, message: '' });
      });
    const rollouts = scene.heard.length;
    expect([await told('Failed', 'InProgress'), await told('Current', 'Failed')]).toEqual([rollouts, rollouts]);
    expect([await told('Failed'), await told('Current', 'InProgress')]).toEqual([0, 0]);
  });

  it('when a pod ends, or is to be gone sooner, and where pods must have been ready for a while, when one is ready anew', async () => {
    await using scene = await new Scene().start();
    expect(await scene.begun(() => scene.pod('Pending'))).toBe(0);
    expect(await scene.begun(() => scene.pod('Running'))).toBe(0);
    expect(await scene.begun(() => scene.pod('Failed'))).toBe(1);
    expect(await scene.begun(() => scene.pod('Running'))).toBe(1);
    expect(await scene.begun(() => scene.pod('Succeeded'))).toBe(1);
    expect(await scene.begun(() => scene.pod('Running', { ready: 0 }))).toBe(1);
    expect(await scene.begun(() => scene.pod('Running', { ready: -60_000 }))).toBe(0);
    const going = { ready: 0, deletionTimestamp: '2026-01-01T10:00:00Z', deletionGracePeriodSeconds: 600 };
    expect(await scene.begun(() => scene.pod('Running', going))).toBe(1);
    expect(await scene.begun(() => scene.pod('Running', { ...going, deletionTimestamp: '2026-01-01T09:00:00Z' }))).toBe(1);
    expect(await scene.begun(() => scene.pod('Running', { ready: 0 }))).toBe(1);
    const spec = { ...(rollout('web').spec as object), control: { minReadySeconds: 5 } };
    expect(await scene.begun(() => scene.server.update({ ...scene.of(KINDS.rolloutOrchestrator, 'web'), spec }))).toBe(1);
    expect(await scene.begun(() => scene.pod('Running', { ready: -1000 }))).toBe(1);
  });

  it('when its StagePodAutoscaler comes, goes, or has other bounds, and not for the figures that it mirrors', async () => {
    await using scene = await new Scene().start();
    const { server } = scene;
    const at = { ...KINDS.stagePodAutoscaler, namespace: 'shop', name: 'web-v1' };
    const metadata = { name: 'web-v1', namespace: 'shop', labels: { 'serving.knative.dev/service': 'web' } };
    expect(await scene.begun(() => server.create({ ...KINDS.stagePodAutoscaler, metadata, spec: { stageMinScale: 1 } }))).toBe(1);
    expect(await scene.begun(() => server.update({ ...scene.of(at, 'web-v1'), spec: { stageMinScale: 2 } }))).toBe(1);
    const figures = { ...scene.of(at, 'web-v1'), status: { actualScale: 2 } };
    expect(await scene.begun(() => server.update(figures, { subresource: 'status' }))).toBe(0);
    expect(await scene.begun(() => server.delete(at, {}))).toBe(1);
  });

  it('when what it is judged by cannot be seen any more, and when it can again', async () => {
    await using scene = await new Scene().start();
    for (const { kind } of [KINDS.deployment, KINDS.pod, KINDS.horizontalPodAutoscaler, KINDS.stagePodAutoscaler, KINDS.stageDecision]) {
      expect([kind, await scene.begun(() => scene.informers.fall(kind, 'lost'))]).toEqual([kind, 2]);
      expect(await scene.begun(() => scene.informers.recover()), kind).toBeGreaterThanOrEqual(2);
    }
  });

  it('when a decision about it is made, and not when one is deleted', async () => {
    await using scene = await new Scene().start();
    expect(await scene.begun(() => scene.server.create(decision('a', 'web')))).toBe(1);
    expect(await scene.begun(() => scene.server.delete({ ...KINDS.stageDecision, namespace: 'shop', name: 'a' }, {}))).toBe(0);
  });

  it('sooner for what a person asks for: another spec, or a new decision, than for a status that moved', async () => {
    await using scene = await new Scene().start();
    const { server } = scene;
    const rolloutOf = (name: string) => scene.of(KINDS.rolloutOrchestrator, name);
    const asked = await scene.orderAfter(async () => {
      await server.update({ ...rolloutOf('web'), status: { observedGeneration: 1 } }, { subresource: 'status' });
      await server.update({ ...rolloutOf('other'), spec: rollout('else').spec });
    });
    expect(asked).toEqual(['shop/other', 'shop/web']);
    await server.create(decision('a', 'web'));
    await scene.clock.advance(100);
    const decided = await scene.orderAfter(async () => {
      await server.update({ ...scene.of(KINDS.stageDecision, 'a'), status: { phase: 'Accepted' } }, { subresource: 'status' });
      await server.create(decision('b', 'other'));
    });
    expect(decided).toEqual(['shop/other', 'shop/web']);
  });
});

describe('[issue 10.7] a mirror of figures is looked at', () => {
  it('once for a pod that comes or goes, twice for one that becomes another revision, and never for what nobody looks at', async () => {
    await using scene = await new Scene().start();
    await scene.clock.advance(3000);
    expect(await scene.mirrored(() => scene.pod('Running'))).toBe(1);
    expect(await scene.mirrored(() => scene.pod('Running', { annotations: { note: 'x' } }))).toBe(0);
    expect(await scene.mirrored(() => scene.pod('Running', { labels: { [REVISION]: 'web-v1' } }))).toBe(2);
    const gone = { ...KINDS.pod, namespace: 'shop', name: 'web-v2-a' };
    expect(await scene.mirrored(() => scene.server.delete(gone, {}))).toBe(1);
  });

  it('for an HPA by what it scales, before and after', async () => {
    await using scene = await new Scene().start();
    await scene.clock.advance(3000);
    scene.turns.length = 0;
    expect(await scene.mirrored(() => scene.server.create(scaler('load', 'web-v1')))).toBe(1);
    const held = scene.of(KINDS.horizontalPodAutoscaler, 'load');
    expect(await scene.mirrored(() => scene.server.update({ ...held, spec: scaler('load', 'web-v2').spec }))).toBe(2);
    expect(scene.turns.filter((key) => key.includes('load'))).toEqual([]);
  });
});

it('[issue 10.7] workloads, HPAs and pods are read in the namespaces in which there are rollouts, and nothing waits for a grant at first', async () => {
  await using scene = await new Scene().start();
  const { needed } = scene.informers;
  expect([...needed].map(([kind, places]) => [kind, places.values()])).toEqual(
    ['Deployment', 'HorizontalPodAutoscaler', 'Pod'].map((kind) => [kind, ['shop']]),
  );
  expect(scene.engine.findings?.()).toEqual([]);
});
