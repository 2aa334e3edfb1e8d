import { describe, expect, it } from 'vitest';
import type { Condition } from '@/lib/kube/condition';
import { readConditions } from '@/lib/kube/condition';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import type { ReconcileContext } from '@/server/framework';
import { requeueAfter, TerminalError } from '@/server/framework';
import { KubeApiError } from '@/server/kube/errors';
import { failedPartsOf, indexFailedParts, withFailureReports } from '@/server/rollout/failed-part';
import { clearPassFailure, passFailureOf, reportFailedPass } from '@/server/rollout/failed-pass';
import { readRollout } from '@/server/rollout/objects';
import { rolloutOfAutoscaler } from '@/server/rollout/observe';
import { ManualClock } from '@/test/support/manual-clock';
import { FakeApiServer } from '../../support/dispatch-server';
import { FakeInformers } from '../../support/fake-informers';
import { silentLog } from '../../support/silent-log';
import { aMirror, aRollout, key, openStores } from './observed-scene';

const READY: Condition = { type: 'Ready', status: 'True' };
const conflict = new KubeApiError({ code: 409, reason: 'Conflict', message: 'it was changed' });

describe('[issue 9] a pass over a rollout that fails', () => {
  const NOW = toInstant(Date.UTC(2026, 0, 1, 9, 0, 0));
  const FAILED = {
    type: 'Reconciled',
    status: 'False',
    severity: 'Info',
    reason: 'ReconcileFailed',
    message: 'no room',
    lastTransitionTime: '2026-01-01T09:00:00Z',
  } as const;

  /** What is written of a failure. */
  async function told(held: readonly Condition[], error: unknown = new Error('no room'), aborted = false) {
    const sent: { readonly object: KubeObject; readonly options: unknown }[] = [];
    const object = aRollout({}, { resourceVersion: '7' }, { control: { state: 'idle' }, conditions: held });
    const signal = aborted ? AbortSignal.abort() : new AbortController().signal;
    const cluster = { update: async (written: KubeObject, options: object) => void sent.push({ object: written, options }) };
    await reportFailedPass({ object, error, now: NOW }, cluster as never, signal);
    return sent;
  }

  it('is told in a condition beside the others, on the version that was looked at', async () => {
    const [{ object, options } = { object: aRollout(), options: undefined }, ...others] = await told([READY]);
    expect(others).toEqual([]);
    expect([object.metadata.resourceVersion, object.status]).toEqual(['7', { control: { state: 'idle' }, conditions: [READY, FAILED] }]);
    expect(options).toMatchObject({ subresource: 'status', fieldManager: 'slipway-rollout' });
  });

  it('keeps since when it fails, and is not told twice', async () => {
    const since = { ...FAILED, lastTransitionTime: '2026-01-01T08:00:00Z' };
    expect(await told([READY, since])).toEqual([]);
    const [again] = await told([{ ...since, message: 'other' }, READY]);
    expect(readConditions(again?.object ?? aRollout())).toEqual([READY, since]);
  });

  it('is told neither where a person has to mend it, nor where it passes by itself, nor where the pass was cut off', async () => {
    expect([await told([], new TerminalError('bad spec')), await told([], new Error('no room'), true)]).toEqual([[], []]);
    expect([await told([], conflict), await told([], new KubeApiError({ code: 503, reason: '', message: 'away' }))]).toMatchObject([
      [],
      [{}],
    ]);
  });

  it('is read from its condition alone, and only while that says so', () => {
    const failure = (...conditions: readonly Condition[]) => passFailureOf(aRollout({}, {}, { conditions }));
    expect([failure(), failure(READY), failure(READY, FAILED), failure({ ...FAILED, status: 'True' })]).toEqual([
      undefined,
      undefined,
      'no room',
      undefined,
    ]);
    const { message: _message, ...silent } = FAILED;
    expect(failure(silent)).toBe('');
  });

  it('is taken away once a pass has not failed, with the conditions that the pass came to', async () => {
    const cleared = async (held: readonly Condition[], status?: readonly Condition[]) => {
      const sent: unknown[] = [];
      const cluster = {
        patch: async ({ kind, name }: ObjectAddress, patch: unknown, options: object) => void sent.push([kind, name, patch, options]),
      };
      const ro = readRollout(aRollout({}, {}, { conditions: held }));
      await clearPassFailure(
        ro,
        { status: status && { conditions: status } },
        { cluster: cluster as never, signal: new AbortController().signal },
      );
      return sent;
    };
    const patch = (conditions: readonly Condition[]) => [
      'RolloutOrchestrator',
      'web',
      { type: 'merge', body: { status: { conditions } } },
      expect.objectContaining({ subresource: 'status', fieldManager: 'slipway-rollout' }),
    ];
    const other: Condition = { type: 'Other', status: 'True' };
    expect(await cleared([READY])).toEqual([]);
    expect(await cleared([READY, FAILED])).toEqual([patch([expect.objectContaining(READY)])]);
    expect(await cleared([READY, FAILED], [other, FAILED])).toEqual([patch([other])]);
  });
});

describe('[issue 9] a pass over an object of a rollout that fails', () => {
  /** A rollout with an object, over which passes come to what is said. */
  class Rig {
    readonly server = new FakeApiServer();
    readonly informers = new FakeInformers(this.server);
    readonly clock = new ManualClock();
    readonly debug: unknown[] = [];
    fails: unknown = new Error('no room');
    writes = 0;
    readonly #pass;

    constructor(...objects: readonly KubeObject[]) {
      for (const object of objects) this.server.seed(object);
      const { rollouts, autoscalers } = openStores(this.informers);
      indexFailedParts(rollouts);
      const cluster = {
        get: this.server.get.bind(this.server),
        update: async (object: KubeObject, options: object) => {
          expect(options).toMatchObject({ subresource: 'status', fieldManager: 'slipway-rollout' });
          this.writes++;
          return this.server.update(object, options as never);
        },
      };
      this.#pass = withFailureReports(
        { cluster: cluster as never, clock: this.clock } as never,
        { kind: 'StagePodAutoscaler', objects: autoscalers, rollouts, rolloutOf: rolloutOfAutoscaler },
        async () => {
          if (this.fails !== undefined) throw this.fails;
          return requeueAfter(7);
        },
      );
    }

    failWith(error: unknown): void {
      this.fails = error;
    }

    /** What a pass came to. */
    async pass(name = 'web-v2', signal = new AbortController().signal): Promise<unknown> {
      const log = { ...silentLog, debug: (...line: readonly unknown[]) => void this.debug.push(line) };
      const context: ReconcileContext = { signal, shardKey: key('web'), reconcileId: '1', log };
      return this.#pass(key(name), context).catch((error: unknown) => error);
    }

    get rollout(): KubeObject {
      return this.server.peek({ ...KINDS.rolloutOrchestrator, namespace: 'shop', name: 'web' }) ?? aRollout();
    }

    get told(): readonly string[] {
      return failedPartsOf(this.rollout).map(({ kind, name, failure, since }) => `${kind} ${name}: ${failure} since ${since}`);
    }
  }
  const SINCE = /^StagePodAutoscaler web-v2: no room since \d{4}-\S+Z$/;
  const scene = () => new Rig(aRollout({}, {}, { conditions: [READY], control: { state: 'idle' } }), aMirror('web-v2'));

  it('is thrown on, and told on its rollout beside what that says of itself, once', async () => {
    const rig = scene();
    expect(await rig.pass()).toBe(rig.fails);
    expect([rig.told, rig.rollout.status]).toMatchObject([
      [expect.stringMatching(SINCE)],
      { control: { state: 'idle' }, conditions: [READY, { status: 'False', severity: 'Info', reason: 'ReconcileFailed' }] },
    ]);
    await rig.pass();
    expect(rig.writes).toBe(1);
  });

  it('keeps since when it fails where it fails for another reason', async () => {
    const rig = scene();
    await rig.pass();
    const [since] = rig.told;
    await rig.clock.advance(60_000);
    rig.fails = new Error('refused');
    await rig.pass();
    expect(rig.told).toEqual([since?.replace('no room', 'refused')]);
  });

  it('is told no more once one succeeds, by this process or by another, and what other objects say stays', async () => {
    const rig = scene();
    await rig.pass();
    rig.server.seed(aMirror('web-v1'));
    await rig.pass('web-v1');
    expect(rig.told).toHaveLength(2);
    rig.fails = undefined;
    expect([await rig.pass(), rig.told]).toEqual([requeueAfter(7), [expect.stringMatching(/^StagePodAutoscaler web-v1: /)]]);
    const other = new Rig(rig.rollout, aMirror('web-v1'));
    other.fails = undefined;
    await other.pass('web-v1');
    expect([other.told, readConditions(other.rollout)]).toEqual([[], [expect.objectContaining(READY)]]);
    const writes = other.writes;
    await other.pass('web-v1');
    expect(other.writes).toBe(writes);
  });

  it('is told anew where it fails again after it had succeeded', async () => {
    const rig = scene();
    await rig.pass();
    rig.fails = undefined;
    await rig.pass();
    rig.fails = new Error('no room');
    await rig.pass();
    expect(rig.told).toEqual([expect.stringMatching(SINCE)]);
  });

  it.each<[string, (rig: Rig) => unknown]>([
    ['somebody else wrote meanwhile', (rig) => rig.failWith(conflict)],
    ['a person has to mend it', (rig) => rig.failWith(new TerminalError('bad spec'))],
    ['the object is gone', (rig) => rig.server.delete({ ...KINDS.stagePodAutoscaler, namespace: 'shop', name: 'web-v2' })],
    ['it belongs to no rollout', (rig) => rig.server.seed({ ...aMirror('web-v2'), metadata: { name: 'web-v2', namespace: 'shop' } })],
    ['its rollout is gone', (rig) => rig.server.delete({ ...KINDS.rolloutOrchestrator, namespace: 'shop', name: 'web' })],
  ])('is not told where %s', async (_when, happens) => {
    const rig = scene();
    await happens(rig);
    expect([await rig.pass(), rig.told, rig.writes, rig.debug]).toEqual([rig.fails, [], 0, []]);
  });

  it('is told once its rollout is there', async () => {
    const rig = new Rig(aMirror('web-v2'));
    await rig.pass();
    rig.server.seed(aRollout());
    await rig.pass();
    expect(rig.told).toEqual([expect.stringMatching(SINCE)]);
  });

  it('is told no more where the copy never showed it, and where somebody took that away nothing is written', async () => {
    const rig = scene();
    rig.informers.fall('RolloutOrchestrator', 'behind');
    await rig.pass();
    rig.fails = undefined;
    await rig.pass();
    expect([rig.told, rig.writes]).toEqual([[], 2]);
    const taken = scene();
    await taken.pass();
    taken.server.seed({ ...taken.rollout, status: { conditions: [READY] } });
    taken.fails = undefined;
    await taken.pass();
    expect(taken.writes).toBe(1);
  });

  it('is not told where the pass was cut off', async () => {
    const rig = scene();
    expect([await rig.pass('web-v2', AbortSignal.abort()), rig.told]).toEqual([rig.fails, []]);
  });

  it('is thrown as it is where it cannot be told, which the next try tells', async () => {
    const rig = scene();
    rig.server.addFaults([{ verb: 'get', kind: 'RolloutOrchestrator', code: 500, times: 1 }]);
    expect([await rig.pass(), rig.told, rig.debug.length]).toEqual([rig.fails, [], 1]);
    await rig.pass();
    expect(rig.told).toEqual([expect.stringMatching(SINCE)]);
    const gone = scene();
    gone.server.addFaults([{ verb: 'get', kind: 'RolloutOrchestrator', code: 404, times: 1 }]);
    expect([await gone.pass(), gone.told, gone.debug]).toEqual([gone.fails, [], []]);
    await gone.pass();
    expect(gone.told).toHaveLength(1);
  });

  it('of an object with dots in its name is told by that name', () => {
    const type = 'Reconciled.StageDecision.a.b.c';
    expect(
      failedPartsOf(aRollout({}, {}, { conditions: [READY, { type, status: 'False' }, { type: 'Reconciled', status: 'False' }] })),
    ).toEqual([{ kind: 'StageDecision', name: 'a.b.c', failure: '', since: '' }]);
  });
});
