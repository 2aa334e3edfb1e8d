import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { report, reportFailedPass, reportFailedStep, writeStatus } from '@/server/application/act/status';
import { isFalse, isTrue } from '@/server/application/decide/conditions';
import type { RunPlan } from '@/server/application/decide/model';
import { KubeApiError } from '@/server/kube';
import { ActWorld } from './act-world';
import { entry, recording, revisionOf, seenAfter } from './seen';
import { plain, planned } from './staged-shop';

const stored = (of: ActWorld, object: KubeObject): KubeObject => {
  of.server.seed(object);
  return of.at(object) ?? object;
};
const change = { phase: 'running', values: { Ready: isTrue('Ready') } } as const;
const statusOf = (of: ActWorld, object: KubeObject) =>
  of.at(object)?.status as
    | {
        readonly status?: string;
        readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
      }
    | undefined;
const condition = (of: ActWorld, object: KubeObject, type: string) => statusOf(of, object)?.conditions?.find((told) => told.type === type);

describe('a status that is written', () => {
  it('[dispatch 13] is where it differs, and no more often than that', async () => {
    const of = new ActWorld();
    const object = stored(of, plain('web:1'));
    expect(await writeStatus(of.context(), object, change)).toBeUndefined();
    expect([statusOf(of, object)?.status, of.held]).toEqual(['running', ['shop/web']]);
    expect(await writeStatus(of.context(), of.at(object) ?? object, change)).toBeUndefined();
    expect(of.writes()).toEqual(['updateStatus Application/web']);
    await writeStatus(of.context(), object, { ...change, phase: 'held' });
    expect(statusOf(of, object)?.status, 'it changed meanwhile: the next pass tells').toBe('running');
    const gone = new ActWorld();
    expect(await writeStatus(gone.context(), object, change)).toBeUndefined();
    const failing = new ActWorld();
    failing.server.addFaults([{ verb: 'updateStatus', code: 500, times: 1 }]);
    await expect(writeStatus(failing.context(), stored(failing, plain('web:1')), change)).rejects.toThrow();
  });

  it('[issue 9] of counts alone may wait, and says how long', async () => {
    const of = new ActWorld();
    of.throttleMs = 700;
    const message = (text: string) => ({ values: { Ready: isFalse('RollingOut', text) }, isMoving: true });
    const object = stored(of, plain('web:1'));
    await writeStatus(of.context(), object, message('1 of 4'));
    const written = of.at(object) ?? object;
    expect(await writeStatus(of.context(), written, message('2 of 4'))).toBe(700);
    expect(of.writes()).toHaveLength(1);
    of.throttleMs = 0;
    expect(await writeStatus(of.context(), written, message('2 of 4'))).toBeUndefined();
    expect(of.writes()).toHaveLength(2);
  });

  it('[record 0050] takes no spec along, which may be one that must not be written back', async () => {
    const of = new ActWorld();
    const sent: KubeObject[] = [];
    const update = of.server.update.bind(of.server);
    of.server.update = (object, options) => {
      sent.push(object);
      return update(object, options);
    };
    const object = stored(of, plain('web:1'));
    await writeStatus(of.context(), object, change);
    const long = { ...(of.at(object) ?? object), spec: { ...(object.spec as object), n: 12_345_678_901_234_567n } };
    await writeStatus(of.context(), long, { ...change, phase: 'held' });
    expect(sent.map((written) => 'spec' in written)).toEqual([false, false]);
  });
});

describe('a pass that failed', () => {
  it('[issue 9] says at which step, and is thrown on as it was', async () => {
    const of = new ActWorld();
    const object = stored(of, plain('web:1'));
    const cause = new Error('it broke');
    const told = await reportFailedStep(of.context(), { plan: planned(seenAfter([], object)), object, step: 'Applied' }, cause);
    expect([condition(of, object, 'Applied')?.message, told.message]).toEqual(['it broke', 'it broke']);
    const writes = of.writes().length;
    expect(await reportFailedPass(of.context(), object, told)).toBe(cause);
    expect(of.writes()).toHaveLength(writes);
  });

  it('[issue 9] says so where it came to no step, of one that is being deleted as well', async () => {
    const of = new ActWorld();
    const object = stored(of, plain('web:1'));
    const error = new Error('the list failed');
    expect(await reportFailedPass(of.context(), object, error)).toBe(error);
    expect([statusOf(of, object)?.status, condition(of, object, 'Reconciled')?.message]).toEqual(['unhealthy', 'the list failed']);
    const ending = new ActWorld();
    const gone = stored(ending, plain('web:1', { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    await reportFailedPass(ending.context(), gone, error);
    expect(statusOf(ending, gone)?.status).toBe('deleting');
  });

  it('[issue 9] says nothing of what passes by itself, of nothing, and after the end; what cannot be written is logged', async () => {
    const of = new ActWorld();
    const object = stored(of, plain('web:1'));
    const conflict = new KubeApiError({ code: 409, reason: 'Conflict', message: 'it was changed' });
    expect([await reportFailedPass(of.context(), object, conflict), await reportFailedPass(of.context(), undefined, 'x')]).toEqual([
      conflict,
      'x',
    ]);
    of.abort.abort();
    await reportFailedPass(of.context(), object, new Error('x'));
    expect(of.writes()).toEqual([]);
    const failing = new ActWorld();
    failing.server.addFaults([{ verb: 'updateStatus', code: 500, times: 1 }]);
    const error = new Error('first');
    expect(await reportFailedPass(failing.context(), stored(failing, plain('web:1')), error)).toBe(error);
    expect(failing.logged).toMatchObject([[{ application: 'web', error: expect.any(String) }, expect.any(String)]]);
  });
});

describe('what a plan came to', () => {
  const watched: unknown[] = [];
  const reported = async (of: ActWorld, plan: RunPlan, more: object = {}) => {
    const object = stored(of, plain('web:1'));
    const context = of.context({
      watched: { set: (...given: readonly unknown[]) => void watched.push(given) },
      status: { evaluate: () => ({ status: 'Current', message: '', conditions: [] }) },
    });
    const again = await report(context, {
      seen: seenAfter([], object),
      plan,
      object,
      tracker: undefined,
      outcome: { kind: 'done' },
      ...more,
    });
    return { again, object };
  };
  const news = () => planned(seenAfter([], plain('web:1')));

  it('[dispatch 13] is on record before the status says so, of an earlier revision as well', async () => {
    const of = new ActWorld();
    const unreported = revisionOf(plain('web:0'), {}, 1);
    const plan = { ...news(), revision: { name: 'web-v2', number: 2, hash: 'h', stored: undefined }, unreported };
    const { object, again } = await reported(of, plan);
    expect(again).toBeUndefined();
    expect(of.record).toMatchObject([
      { id: 'application.completed:app:web-v1', action: 'application.completed', message: 'web had reached web-v1 before web-v2' },
      { id: 'application.completed:app:web-v2', message: 'web runs as web-v2' },
    ]);
    expect(of.at(object)?.status).toMatchObject({ latestRevision: { name: 'web-v2' } });
    expect(watched.at(-1)).toEqual(['shop/web', [], undefined]);
    const tracker = recording(entry('ConfigMap', 'a', { component: 'web' }));
    const told = new ActWorld();
    await reported(told, news(), { tracker });
    expect(watched.at(-1)).toEqual(['shop/web', tracker.entries, tracker.entries]);
    expect(told.at(object)?.status).toMatchObject({ services: [{ name: 'web', healthy: true }, { name: 'api' }] });
  });

  it('[issue 9] looks again in its time, or when the status may be written', async () => {
    const held = { outcome: { kind: 'held', why: 'x', plan: { items: [], from: [], digest: 'd' } } };
    expect((await reported(new ActWorld(), news(), held)).again).toBe(10_000);
    const waiting = { collect: { kind: 'wait', why: '1 of 4', untilMs: 90 } } as const;
    expect((await reported(new ActWorld(), { ...news(), ...waiting })).again).toBe(90);
    const throttled = async (untilMs: number | undefined) => {
      const of = new ActWorld();
      const object = stored(of, plain('web:1'));
      of.throttleMs = 70;
      const context = of.context({
        watched: { set: () => undefined },
        status: { evaluate: () => ({ status: 'Current', message: '', conditions: [] }) },
      });
      const plan = (why: string): RunPlan => ({ ...news(), collect: { kind: 'wait', why, ...(untilMs === undefined ? {} : { untilMs }) } });
      const given = (why: string, of_: KubeObject) =>
        ({
          seen: seenAfter([], object),
          plan: plan(why),
          object: of_,
          tracker: undefined,
          outcome: { kind: 'waiting', plan: { items: [], from: [], digest: 'd' } },
        }) as never;
      await report(context, given('1 of 4', object));
      return report(context, given('2 of 4', of.at(object) ?? object));
    };
    expect([await throttled(undefined), await throttled(90), await throttled(50)]).toEqual([70, 70, 50]);
  });

  it('[design 8] warns of values that stand inline', async () => {
    const of = new ActWorld();
    const { object } = await reported(of, news(), {
      seen: {
        withheld: [{ user: 'eve', message: 'team stays' }],
        inline: { secrets: [], places: ['spec.x'], written: undefined, move: undefined },
      },
    });
    expect([
      of.events.map(([reason]) => reason),
      condition(of, object, 'Confidential')?.status,
      condition(of, object, 'Labelled')?.message,
    ]).toEqual([['InlineValues'], 'False', 'team stays']);
  });
});
