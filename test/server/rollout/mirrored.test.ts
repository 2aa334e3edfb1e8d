import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import type { ReconcileContext } from '@/server/framework';
import { createSpaReconciler } from '@/server/rollout/spa-reconciler';
import { ManualClock } from '@/test/support/manual-clock';
import { FakeApiServer } from '../../support/dispatch-server';
import { FakeInformers } from '../../support/fake-informers';
import { silentLog } from '../../support/silent-log';
import { aMirror, aPod, aRollout, aWorkload, key, openStores, REVISION } from './observed-scene';
import { aSimulation } from './simulation';

const AT = key('web-v2');
const ADDRESS = { ...KINDS.stagePodAutoscaler, namespace: 'shop', name: 'web-v2' };

/** The mirror of one revision on a cluster of its own. */
class Rig {
  readonly server = new FakeApiServer();
  readonly clock = new ManualClock();
  readonly informers = new FakeInformers(this.server);
  readonly sent: { readonly body: unknown; readonly options: unknown }[] = [];
  readonly #reconcile;

  constructor(...objects: readonly KubeObject[]) {
    for (const object of objects) this.server.seed(object);
    const cluster = {
      patch: async (
        at: TypeRef & { name: string; namespace: string },
        patch: { readonly body: unknown },
        options: { readonly signal: AbortSignal },
      ) => {
        options.signal.throwIfAborted();
        this.sent.push({ body: patch.body, options });
        return this.server.patch(at, patch as never);
      },
    };
    this.#reconcile = createSpaReconciler({ cluster: cluster as never, clock: this.clock }, openStores(this.informers));
  }

  async pass(at = AT): Promise<unknown> {
    const context: ReconcileContext = { signal: new AbortController().signal, shardKey: at, reconcileId: '1', log: silentLog };
    const outcome = await this.#reconcile(at, context);
    return outcome.kind === 'requeueAfter' ? outcome.ms : outcome.kind;
  }

  get mirrored(): Readonly<Record<string, unknown>> {
    return this.server.peek(ADDRESS)?.status as Readonly<Record<string, unknown>>;
  }

  get ready(): readonly string[] {
    const conditions = (this.mirrored.conditions ?? []) as readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
    return conditions.flatMap(({ type, status, message }) =>
      type === 'PodAutoscalerStageReady' ? [`${status} ${message ?? ''}`.trim()] : [],
    );
  }
}
const going = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a.b/c'] },
});
/** A rollout that is under way, or through. */
const rolloutIn = (state: string): KubeObject => {
  const simulation = aSimulation(4);
  simulation.settleUntil('a stage is under way', () => simulation.stored.state === 'stage');
  const control = { ...simulation.stored, state, rejected: 'web-v2' };
  return { ...aRollout({}, {}, { control }), spec: simulation.ro.spec };
};
const seen = (actualScale: number) => ({ actualScale, desiredScale: actualScale, replicasTerminating: 0 });
const CONDITIONS = ['PodAutoscalerStageReady', 'Ready'].map((type) => ({
  type,
  status: 'True',
  lastTransitionTime: '2026-01-01T00:00:00Z',
}));
/** One that was written before. */
const written = (actualScale: number): KubeObject => ({
  ...aMirror('web-v2', 'web', { generation: 1 }),
  status: { ...seen(actualScale), conditions: CONDITIONS },
});

describe('[rollout 2.2] the mirror of a workload', () => {
  it('is written once it stood still for five seconds, beside the bounds', async () => {
    const rig = new Rig(written(1), aWorkload('web-v2', 3), aRollout());
    expect([await rig.pass(), rig.sent]).toEqual([5000, []]);
    await rig.clock.advance(4999);
    expect(await rig.pass()).toBe(1);
    await rig.clock.advance(1);
    expect([await rig.pass(), rig.mirrored, rig.ready]).toMatchObject(['settled', { ...seen(3), observedGeneration: 1 }, ['True']]);
    expect(rig.sent).toMatchObject([{ body: { status: seen(3) }, options: { subresource: 'status', fieldManager: 'slipway-rollout' } }]);
    await rig.clock.advance(60_000);
    expect([await rig.pass(), rig.sent.length]).toEqual(['settled', 1]);
    rig.server.seed(aWorkload('web-v2', 4));
    expect([await rig.pass(), rig.sent.length]).toEqual([5000, 1]);
    expect(await new Rig(written(1), aWorkload('web-v2', 3)).pass()).toBe(5000);
  });

  it('waits longer while its rollout is on its way and figures of before are there, and is looked at every five seconds', async () => {
    for (const [state, waits] of [
      ['stage', true],
      ['boundary', true],
      ['returning', true],
      ['aborted', false],
      ['done', false],
    ] as const) {
      const held = written(1);
      const rig = new Rig(held, aWorkload('web-v2', 3), rolloutIn(state));
      await rig.pass();
      await rig.clock.advance(5000);
      expect([state, await rig.pass()]).toEqual([state, waits ? 5000 : 'settled']);
      await rig.clock.advance(15_000);
      expect([state, await rig.pass(), rig.mirrored.actualScale]).toEqual([state, 'settled', 3]);
    }
  });

  it('that was never written is written after five seconds too, also while its rollout is on its way', async () => {
    for (const state of ['stage', 'done']) {
      const unknown = new Rig(aMirror('web-v2'), aWorkload('web-v2', 3), rolloutIn(state));
      expect([state, await unknown.pass()]).toEqual([state, 5000]);
      await unknown.clock.advance(3000);
      expect([state, await unknown.pass()]).toEqual([state, 2000]);
      await unknown.clock.advance(2000);
      expect([state, await unknown.pass(), unknown.mirrored.actualScale, unknown.ready]).toEqual([state, 'settled', 3, ['True']]);
    }
  });

  it('keeps its figures and says at once that nothing is known, where the workload is gone or cannot be read', async () => {
    const held = written(2);
    const gone = new Rig(held, aRollout());
    expect([await gone.pass(), gone.mirrored, gone.ready]).toMatchObject([
      'settled',
      seen(2),
      ['Unknown Deployment web-v2 does not exist'],
    ]);
    const blind = new Rig(held, aWorkload('web-v2', 3), aRollout());
    blind.informers.fall('Deployment', 'lost');
    await blind.clock.advance(60_000);
    expect([await blind.pass(), blind.mirrored, blind.ready]).toMatchObject([
      'settled',
      seen(2),
      [expect.stringMatching(/^Unknown Deployment objects cannot be read: ./)],
    ]);
  });

  it('says that a controller is behind, with the figures of before', async () => {
    const held = written(2);
    const rig = new Rig(held, aWorkload('web-v2', 3, { generation: 2 }), aRollout());
    await rig.pass();
    await rig.clock.advance(10_000);
    await rig.pass();
    expect([rig.mirrored, rig.ready]).toMatchObject([seen(2), ['Unknown its controller has not observed the newest spec yet']]);
  });

  it('counts pods that go, and such alone as were ready for long enough, and looks again when the next one was', async () => {
    const pods = [
      aPod('a', { [REVISION]: 'web-v2' }),
      aPod('d', { [REVISION]: 'web-v2' }),
      going(aPod('b', { [REVISION]: 'web-v2' })),
      aPod('c', { [REVISION]: 'web-v1' }),
    ];
    const rig = new Rig(written(1), aWorkload('web-v2', 1), ...pods, aRollout({ control: { minReadySeconds: 60 } }));
    const readySince = Date.UTC(2026, 0, 1, 9, 0, 0);
    await rig.pass();
    await rig.clock.advance(5000);
    const left = readySince + 60_000 - rig.clock.now();
    expect(left).toBeGreaterThan(0);
    expect([await rig.pass(), rig.mirrored]).toMatchObject([left, { actualScale: 0, desiredScale: 1, replicasTerminating: 1 }]);
  });

  it('is none where it is gone or going, and its absence is no failure', async () => {
    const [gone, leaving] = [new Rig(), new Rig(going(aMirror('web-v2')), aWorkload('web-v2', 3))];
    expect([await gone.pass(), await leaving.pass(), leaving.sent]).toEqual(['settled', 'settled', []]);
    const meanwhile = new Rig(aMirror('web-v2'));
    meanwhile.server.addFaults([{ verb: 'patch', kind: 'StagePodAutoscaler', code: 404, times: 1 }]);
    expect(await meanwhile.pass()).toBe('settled');
    meanwhile.server.addFaults([{ verb: 'patch', kind: 'StagePodAutoscaler', code: 500, times: 1 }]);
    await expect(meanwhile.pass()).rejects.toThrow();
  });

  it('that could not be written is written by the next try, without waiting anew', async () => {
    const rig = new Rig(written(1), aWorkload('web-v2', 3), aRollout());
    await rig.pass();
    await rig.clock.advance(5000);
    rig.server.addFaults([{ verb: 'patch', kind: 'StagePodAutoscaler', code: 500, times: 1 }]);
    await expect(rig.pass()).rejects.toThrow();
    expect([await rig.pass(), rig.mirrored.actualScale]).toEqual(['settled', 3]);
  });
});
