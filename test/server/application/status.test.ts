import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import { isFalse, isTrue, labelledBefore } from '@/server/application/decide/conditions';
import type { RunPlan } from '@/server/application/decide/model';
import type { RunResult } from '@/server/application/decide/status';
import { decideStatus, nextStatus } from '@/server/application/decide/status';
import { revisionOf, seenAfter } from './seen';
import { BEFORE, one, plain, planned, shop, told } from './staged-shop';

const NOW = 1_767_225_600_000 as Instant;
const at = toKubeTime(NOW);
const service = (healthy: boolean, message = 'x') => ({ name: 'web', namespace: 'shop', healthy, message });
const plan = (more: Partial<RunPlan> = {}): RunPlan => ({ ...planned(seenAfter([], plain('web:1'))), ...more });
const garbage = (more: object = {}) =>
  ({
    items: [{ verdict: 'deleted' }, { verdict: 'held' }, { verdict: 'deleted' }],
    digest: 'sha256:a',
    from: ['web-v1-shop'],
    ...more,
  }) as never;
const result = (more: Partial<RunResult> = {}) =>
  decideStatus({
    ...{ plan: plan(), object: plain('web:1'), outcome: { kind: 'done' }, fares: { services: [service(true)], isFailed: false } },
    ...{ withheld: undefined, open: undefined, ...more },
  });
const waits = { collect: { kind: 'wait', why: 'not yet' } } as const;
const left = (isRejected?: true) => ({ rollout: { kind: 'leave', why: 'because', ...(isRejected ? { isRejected } : {}) } }) as const;
const wordsOf = ({ change: { values, phase } }: ReturnType<typeof result>) => [
  phase,
  ...Object.entries(values).map(([type, value]) => `${type} ${value?.status} ${value?.reason} ${value?.message}`),
];

describe('the status of a plan that was carried out', () => {
  it('[dispatch 13] is ready where everything is through', () => {
    expect(wordsOf(result())).toEqual([
      'running',
      'Parsed True Parsed ',
      'Applied True Applied web-v1 is applied',
      'RolledOut True RolledOut ',
      'Collected True Collected ',
      'Ready True Ready everything is ready',
    ]);
    expect(result()).toMatchObject({ change: { isMoving: false, latestRevision: { name: 'web-v1', revision: 1 } }, againMs: undefined });
  });

  it('[dispatch 13] names the first component that is not well', () => {
    const sick = result({ fares: { services: [service(true), service(false, 'first'), service(false, 'second')], isFailed: true } });
    expect(wordsOf(sick)).toEqual(expect.arrayContaining(['unhealthy', 'Ready False Unhealthy first']));
    expect(sick.reached).toEqual(['web-v1']);
  });

  it('[dispatch 13] waits for what the collection waits for, and moves only while nothing failed', () => {
    const waiting = result({ plan: plan(waits), outcome: { kind: 'waiting', plan: garbage() } });
    expect(wordsOf(waiting)).toEqual([
      'rollingOut',
      'Parsed True Parsed ',
      'Applied True Applied web-v1 is applied',
      'RolledOut Unknown RollingOut not yet',
      'Collected Unknown Waiting not yet',
      'Ready False RollingOut not yet',
    ]);
    expect(waiting).toMatchObject({ change: { isMoving: true, latestRevision: undefined }, reached: [] });
    expect(result({ plan: plan(waits), fares: { services: [service(false)], isFailed: true } }).change.isMoving).toBe(false);
    expect(wordsOf(result({ outcome: { kind: 'waiting', plan: garbage() } }))).toContain('Collected Unknown Waiting ');
  });

  it('[dispatch 13] is held where the collection is, whatever it waits for, and looks again', () => {
    const held = result({ plan: plan(waits), outcome: { kind: 'held', plan: garbage(), why: 'ask somebody' } });
    expect(wordsOf(held)).toEqual(expect.arrayContaining(['held', 'Collected False Held ask somebody', 'Ready False Held ask somebody']));
    expect(held.againMs).toBe(10_000);
  });

  it('[design 13 B] says of a rejected one that it is, and of one that waits for another component what for', () => {
    expect(wordsOf(result({ plan: plan({ ...left(true), ...waits }) }))).toEqual([
      'aborted',
      'Parsed True Parsed ',
      'Applied False Rejected because',
      'RolledOut Unknown Rejected not yet',
      'Collected True Collected ',
      'Ready False Rejected not yet',
    ]);
    expect(wordsOf(result({ plan: plan({ ...left(), ...waits }) }))).toEqual(
      expect.arrayContaining(['rollingOut', 'Applied Unknown Waiting because', 'Ready False Waiting not yet']),
    );
  });

  it('[dispatch M] tells of the revision before it that was not told of, also while it is under way', () => {
    const unreported = revisionOf(plain('web:0'), {}, 1);
    const both = result({ plan: plan({ unreported, revision: { name: 'web-v2', number: 2, hash: 'h', stored: undefined } }) });
    expect([both.reached, both.change.latestRevision?.name]).toEqual([['web-v1', 'web-v2'], 'web-v2']);
    const moving = result({ plan: plan({ unreported, ...waits }) });
    expect([moving.reached, moving.change.latestRevision]).toEqual([
      ['web-v1'],
      { name: 'web-v1', revision: 1, revisionHash: unreported.hash },
    ]);
    expect(result({ plan: plan({ isUnrecorded: false }) }).reached).toEqual([]);
  });

  it('[issue 10.1] tells of labels and of values from the first time on that some did not reach, or stood inline', () => {
    const object = told(one('Labelled', 'False'), one('Confidential', 'False'));
    expect(wordsOf(result({ object }))).toEqual(expect.arrayContaining(['Labelled True Labelled ', 'Confidential True Confidential ']));
    expect(wordsOf(result({ withheld: 'not these', open: 'there' }))).toEqual(
      expect.arrayContaining(['Labelled False NotPermitted not these', 'Confidential False InlineValues there']),
    );
    expect(labelledBefore(told(one('Labelled', 'False')))).toEqual({ withheld: 'm', allSince: undefined });
    expect(labelledBefore(told(one('Labelled', 'True')))).toEqual({ withheld: undefined, allSince: BEFORE });
    expect(labelledBefore(plain('web:1'))).toEqual({ withheld: undefined, allSince: undefined });
  });
});

describe('the status that is written', () => {
  const running = { phase: 'running', values: { Ready: isTrue('Ready') }, services: [service(true)] } as const;
  const stored = (status: object): KubeObject => ({ ...shop('web:1'), status });
  const written = nextStatus(shop('web:1'), running, NOW).status;

  it('[dispatch 13] has what changed, keeps what it is not about, and is none where nothing did', () => {
    expect(written).toEqual({
      status: 'running',
      observedGeneration: 2,
      conditions: [{ type: 'Ready', ...isTrue('Ready'), lastTransitionTime: at }],
      services: [service(true)],
    });
    expect(nextStatus(stored(written), running, (NOW + 5000) as Instant).difference).toBe('none');
    const latestRevision = { name: 'web-v1', revision: 1, revisionHash: 'h' };
    const kept = nextStatus(stored({ ...written, mine: 1, latestRevision, collection: { digest: 'd' } }), { values: {} }, NOW);
    expect(kept).toEqual({ status: { ...written, mine: 1, latestRevision }, difference: 'more' });
    expect(nextStatus(stored(written), { values: {}, latestRevision }, NOW).status).toMatchObject({ latestRevision });
    expect(nextStatus({ ...shop('web:1'), metadata: { name: 'web' } }, { values: {} }, NOW).status.observedGeneration).toBe(0);
  });

  it('[dispatch 13] tells nothing of no components', () => {
    expect(nextStatus(stored(written), { values: {}, services: [] }, NOW).status).not.toHaveProperty('services');
    expect(nextStatus(stored({ services: [] }), { values: {} }, NOW).status).not.toHaveProperty('services');
  });

  it('[dispatch 13] shows what would be collected until it is', () => {
    const preview = (outcome: object) => nextStatus(stored({}), { values: {}, outcome: outcome as never }, NOW).status;
    const counts = { digest: 'sha256:a', from: ['web-v1-shop'], deleted: 2, held: 1 };
    expect(preview({ kind: 'waiting', plan: garbage({ to: 'web-v2-shop', refused: 'ask' }) })).toMatchObject({
      collection: { ...counts, to: 'web-v2-shop', refused: 'ask' },
    });
    expect(preview({ kind: 'waiting', plan: garbage() })).toHaveProperty('collection', counts);
    expect(preview({ kind: 'held', plan: garbage({ refused: 'ask' }), why: 'no' })).toHaveProperty('collection.refused', 'no');
    expect(preview({ kind: 'done' })).not.toHaveProperty('collection');
  });

  it('[issue 9] differs by counts only while components are on their way, and nothing else becomes another', () => {
    const before = {
      ...written,
      conditions: [{ type: 'Ready', ...isFalse('RollingOut', '1 of 4'), lastTransitionTime: BEFORE }],
      services: [service(false, '1 of 4')],
    };
    const change = (more: object = {}) => ({
      values: { Ready: isFalse('RollingOut', '2 of 4') },
      services: [service(true, '2 of 4')],
      isMoving: true,
      ...more,
    });
    const difference = (more?: object) => nextStatus(stored(before), change(more), NOW).difference;
    expect([difference(), difference({ isMoving: false }), difference({ isMoving: undefined })]).toEqual(['counts', 'more', 'more']);
    expect([difference({ services: [] }), difference({ phase: 'held' }), difference({ values: { Ready: isTrue('RollingOut') } })]).toEqual([
      'more',
      'more',
      'more',
    ]);
    expect(nextStatus(stored({}), { values: {}, isMoving: true }, NOW).difference).toBe('more');
  });
});
