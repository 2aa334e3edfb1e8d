import { describe, expect, it } from 'vitest';
import { PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { Observation } from '@/server/application/observe/observe';
import { configMap, revisionOf, seenAfter } from './seen';
import { first, NOW, POLICY, plain, planned, rollout, second, shop, tracker } from './staged-shop';

const third = revisionOf(shop('web:3'), {}, 3);
const bounds = { minScale: 4, maxScale: 4 };
const API = [{ ...POLICY, properties: { ...POLICY.properties, component: 'api' } }];
const target = (revisionName: string) => ({ revisionName, percent: 100, latestRevision: true, ...bounds });
const since = (ms: number) => (NOW - ms) as Instant;
const following = (object: KubeObject, more: Partial<Observation> = {}) =>
  seenAfter([first, second], object, { latest: 'web-v1', ...more });

describe('the plan of a revision', () => {
  it('[dispatch 13] collects from every other tracker of the application, the previous one first, none that is going', () => {
    const trackers = ['web-v6-shop', 'web-v0-shop', 'web-v3-shop', 'web-v1-shop', 'web-v2-shop'].map((name) => tracker(name));
    const going = tracker('web-v5-shop', { deletionTimestamp: '2026-01-01T00:00:00Z' });
    const plan = planned(following(plain('web:9'), { trackers: [...trackers, tracker('web-v9-shop'), going], highestNumber: 8 }));
    expect(plan.olds.map(({ name }) => name)).toEqual(['web-v1-shop', 'web-v0-shop', 'web-v2-shop', 'web-v3-shop', 'web-v6-shop']);
    expect(plan.accepted).toHaveLength(7);
  });

  it('[dispatch 13] tells of the revision before it, and is no news once it is the last that was reached', () => {
    expect(planned(following(shop('web:2')))).toMatchObject({
      previous: 'web-v1',
      unreported: undefined,
      isUnrecorded: true,
      dispatch: true,
      restore: undefined,
    });
    expect(planned(following(shop('web:2'), { latest: 'web-v2' }))).toMatchObject({ previous: undefined, isUnrecorded: false });
    const asked = shop('web:2', [POLICY], { annotations: { [PUT_BACK.asked]: '/ConfigMap/shop/a' } });
    expect([...planned(following(asked)).toRevert]).toEqual(['/ConfigMap/shop/a']);
  });

  it.each<[string, Observation, readonly [string, string | undefined]]>([
    ['that the status tells of', following(shop('web:2')), ['web-v1', undefined]],
    [
      'that its rollout set out from, newer than what the status tells of',
      seenAfter([first, second, third], shop('web:3'), {
        latest: 'web-v1',
        rollout: rollout({ ro: { spec: { initialRevisions: [{ revisionName: 'web-v2' }] }, status: {} } }),
      }),
      ['web-v2', 'web-v2'],
    ],
    [
      'that the status tells of where its rollout set out from that one: it was told of',
      seenAfter([first, second, third], shop('web:3'), {
        latest: 'web-v2',
        rollout: rollout({ ro: { spec: { initialRevisions: [{ revisionName: 'web-v2' }] }, status: {} } }),
      }),
      ['web-v2', undefined],
    ],
    [
      'that its rollout has completed',
      seenAfter([first, second, third], shop('web:3'), {
        latest: 'web-v1',
        rollout: rollout({ target: 'web-v2', completeSince: since(0) }),
      }),
      ['web-v2', 'web-v2'],
    ],
    [
      'that the status tells of where its rollout is under way',
      seenAfter([first, second, third], shop('web:3'), { latest: 'web-v1', rollout: rollout({ target: 'web-v2' }) }),
      ['web-v1', undefined],
    ],
    [
      'that the status tells of where that is newer',
      seenAfter([first, second, third], shop('web:3'), {
        latest: 'web-v2',
        rollout: rollout({ ro: { spec: { initialRevisions: [{ revisionName: 'web-v1' }] }, status: {} } }),
      }),
      ['web-v2', undefined],
    ],
    [
      'that the status tells of where it set out from several',
      seenAfter([first, second, third], shop('web:3'), {
        latest: 'web-v1',
        rollout: rollout({ ro: { spec: { initialRevisions: [{ revisionName: 'web-v2' }, { revisionName: 'web-v1' }] }, status: {} } }),
      }),
      ['web-v1', undefined],
    ],
    [
      'that the status tells of where the rollout names no component',
      seenAfter([first, second, third], shop('web:3'), {
        latest: 'web-v1',
        rollout: rollout({ component: undefined, target: 'web-v2', completeSince: since(0) }),
      }),
      ['web-v1', undefined],
    ],
    [
      'that it completed though the status tells of none',
      seenAfter([first, second], shop('web:2'), { rollout: rollout({ completeSince: since(0) }) }),
      ['web-v1', 'web-v1'],
    ],
    [
      'that it completed, of two the newer',
      seenAfter([first, second, third], shop('web:3'), {
        rollout: rollout({
          target: 'web-v2',
          completeSince: since(0),
          ro: { spec: { initialRevisions: [{ revisionName: 'web-v1' }] }, status: {} },
        }),
      }),
      ['web-v2', 'web-v2'],
    ],
    [
      'that it set out from, of two the newer',
      seenAfter([first, second, third], shop('web:3'), {
        rollout: rollout({ completeSince: since(0), ro: { spec: { initialRevisions: [{ revisionName: 'web-v2' }] }, status: {} } }),
      }),
      ['web-v2', 'web-v2'],
    ],
    [
      'that the status tells of where the rollout names no component, however its target is called',
      seenAfter([first, second, third], shop('web:3'), {
        latest: 'web-v1',
        rollout: rollout({ component: undefined, target: 'undefined-v2', completeSince: since(0) }),
      }),
      ['web-v1', undefined],
    ],
  ])('[dispatch M] follows the one %s', (_what, seen, [previous, unreported]) => {
    const plan = planned(seen);
    expect([plan.previous, plan.unreported?.name]).toEqual([previous, unreported]);
  });

  it('[dispatch M] follows none where it is itself what was reached, and none where nothing was', () => {
    const own = seenAfter([first, second], shop('web:2'), { rollout: rollout({ target: 'web-v2', completeSince: since(0) }) });
    expect(planned(own).previous).toBeUndefined();
    expect(planned(seenAfter([first], shop('web:1'))).previous).toBeUndefined();
  });
});

describe('what a plan does with the rollout', () => {
  it('[rollout 13] is nothing without a policy, and takes one away that is there', () => {
    expect(planned(seenAfter([], plain('web:1'))).rollout).toEqual({ kind: 'none' });
    const seen = seenAfter([revisionOf(plain('web:1'))], plain('web:1'), { latest: 'web-v1', rollout: rollout({}) });
    expect(planned(seen)).toMatchObject({ rollout: { kind: 'remove', rollout: seen.rollout }, collect: { kind: 'now' } });
  });

  it('[rollout 3.2] starts without a start where nothing ran before, and from what ran before', () => {
    expect(planned(seenAfter([], shop('web:1'))).rollout).toMatchObject({ kind: 'ensure', target: target('web-v1'), initial: undefined });
    expect(planned(following(shop('web:2'))).rollout).toEqual({
      kind: 'ensure',
      policy: expect.objectContaining({ component: 'web' }),
      target: target('web-v2'),
      initial: { entry: { revisionName: 'web-v1', percent: 100, ...bounds }, adopt: false },
    });
  });

  it('[rollout 3.2] starts from the one that was reached last, of several', () => {
    const seen = seenAfter([first, second, third], shop('web:3'), { latest: 'web-v2' });
    expect(planned(seen).rollout).toMatchObject({ initial: { entry: { revisionName: 'web-v2' } } });
  });

  it('[rollout 3.3] adopts the workload that ran before the policy, as what it starts from or as it runs', () => {
    const before = revisionOf(plain('web:1'));
    const changed = planned(seenAfter([before], shop('web:2'), { latest: 'web-v1' }));
    expect(changed.rollout).toMatchObject({
      target: target('web-v2'),
      initial: { entry: { revisionName: 'web', percent: 100 }, adopt: true },
    });
    const same = planned(seenAfter([before], shop('web:1'), { latest: 'web-v1' }));
    expect(same.rollout).toMatchObject({ target: target('web'), initial: { entry: target('web'), adopt: true } });
  });

  it('[rollout 3.3] is nothing for a plain revision that is not there whole yet', () => {
    const [before, next] = [revisionOf(plain('web:1')), revisionOf(plain('web:2'), {}, 2)];
    expect(planned(seenAfter([before], shop('web:1'))).rollout).toEqual({ kind: 'none' });
    expect(planned(seenAfter([before, next], shop('web:2'), { latest: 'web-v1' })).rollout).toEqual({ kind: 'none' });
  });

  it('[rollout 13] waits for the rollout of another component, and takes it away once that is over', () => {
    const seen = (more: object) => following(shop('web:3', API), { rollout: rollout(more) });
    expect(planned(seen({ isUnderWay: true }))).toMatchObject({
      rollout: { kind: 'leave', why: 'the policy names api while web rolls out' },
      dispatch: false,
      restore: undefined,
      collect: { kind: 'wait', why: 'the policy names api while web rolls out' },
    });
    expect(planned(seen({}))).toMatchObject({
      rollout: { kind: 'remove' },
      dispatch: true,
      collect: { kind: 'wait', why: 'the rollout of another component is being removed' },
    });
    expect(planned(seen({ component: undefined })).rollout.kind).toBe('ensure');
  });

  it('[design 13 B] leaves what was rejected, and restores what it shares with the stable one', () => {
    const seen = following(shop('web:2'), { rollout: rollout({ target: 'web-v2', rejected: 'web-v2' }) });
    const plan = planned(seen);
    const why = 'web-v2 was rejected; it is not rolled out again before a retry or a change of the application';
    expect(plan).toMatchObject({ rollout: { kind: 'leave', why, isRejected: true }, dispatch: false, collect: { kind: 'wait', why } });
    expect(plan.restore?.revision).toEqual({ name: 'web-v1', number: 1, hash: first.hash, stored: first });
    expect(plan.restore?.rendered.manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['Deployment api']);
    expect(JSON.stringify(plan.restore?.rendered.manifests)).toContain(first.hash);
    for (const more of [
      { target: 'web-v2', rejected: 'web-v1' },
      { target: 'web-v1', rejected: 'web-v2' },
      { target: 'web-v1', rejected: 'web-v1' },
    ])
      expect(planned(following(shop('web:2'), { rollout: rollout(more) })), JSON.stringify(more)).toMatchObject({
        rollout: { kind: 'ensure' },
        restore: undefined,
      });
  });

  it('[design 13 B] restores nothing where there is no stable one, and nothing where both share nothing', () => {
    const rejected = { target: 'web-v2', rejected: 'web-v2' };
    expect(planned(seenAfter([second], shop('web:2'), { rollout: rollout(rejected) })).restore).toBeUndefined();
    const alone = (image: string) => {
      const object = shop(image);
      const [web] = (object.spec as { readonly components: readonly object[] }).components;
      return { ...object, spec: { ...(object.spec as object), components: [web] } };
    };
    const seen = seenAfter([revisionOf(alone('web:1')), revisionOf(alone('web:2'), {}, 2)], alone('web:2'), {
      latest: 'web-v1',
      rollout: rollout(rejected),
    });
    expect(planned(seen).restore).toBeUndefined();
    const with_ = (image: string, namespace: string) => {
      const objects = [configMap('c', {}, { namespace })];
      const object = alone(image);
      const components = [
        ...(object.spec as { readonly components: readonly object[] }).components,
        { name: 'set', type: 'k8s-objects', properties: { objects } },
      ];
      return { ...object, spec: { ...object.spec, components } };
    };
    const elsewhere = seenAfter([revisionOf(with_('web:1', 'one')), revisionOf(with_('web:2', 'two'), {}, 2)], with_('web:2', 'two'), {
      latest: 'web-v1',
      rollout: rollout(rejected),
    });
    expect(planned(elsewhere).restore, 'one of that name in another namespace is another').toBeUndefined();
  });
});

describe('when a plan collects', () => {
  const olds = [tracker('web-v1-shop')];
  const at = (more: object, trackers = olds) =>
    planned(following(shop('web:2'), { trackers, rollout: rollout({ target: 'web-v2', ...more }) })).collect;

  it('[dispatch R3] waits until the rollout to its target is complete', () => {
    const waits = { kind: 'wait', why: 'the rollout to web-v2 is not complete' };
    expect([at({}), at({ target: 'web-v1', completeSince: since(60_000) })]).toEqual([waits, waits]);
    expect(planned(following(shop('web:2'))).collect).toEqual(waits);
  });

  it('[dispatch R3] keeps what is replaced for the delay of the policy, where there is anything', () => {
    expect(at({ completeSince: since(10_500) })).toEqual({
      kind: 'wait',
      why: 'what web-v2 replaced is kept for another 20 s',
      untilMs: 19_500,
    });
    expect([at({ completeSince: since(30_000) }), at({ completeSince: since(90_000) }), at({ completeSince: since(0) }, [])]).toEqual([
      { kind: 'now' },
      { kind: 'now' },
      { kind: 'now' },
    ]);
    expect(at({ completeSince: since(29_999) })).toMatchObject({ kind: 'wait', untilMs: 1 });
  });

  it('[dispatch R3] is now where nothing is rolled out', () => {
    expect(planned(seenAfter([], plain('web:1'))).collect).toEqual({ kind: 'now' });
  });
});
