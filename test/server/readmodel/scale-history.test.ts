import { describe, expect, it } from 'vitest';
import { toObjectKey } from '@/lib/kube/object';
import { toIso } from '@/lib/std/instant';
import { ScaleHistory } from '@/server/readmodel/rollouts/scale-history';
import { ManualClock } from '../../support/manual-clock';

const HOUR_MS = 3_600_000;
const keyOf = (name: string) => toObjectKey({ namespace: 'shop', name });
const scaled = (actual = 1) => ({ stageMin: null, stageMax: null, desired: 1, actual });

describe('figures of revisions over time', () => {
  it('[issue 10, 6] are kept while the revision is there, for an hour after it went, and then no more', async () => {
    const clock = new ManualClock();
    const history = new ScaleHistory(clock);
    for (const name of ['web-v1', 'web-v2']) history.observe(keyOf(name), scaled());
    history.gone(keyOf('web-v1'));
    await clock.advance(HOUR_MS - 1);
    history.gone(keyOf('web-v0'));
    expect(history.of(keyOf('web-v1'))).toHaveLength(1);
    await clock.advance(1);
    history.gone(keyOf('web-v0'));
    expect([history.of(keyOf('web-v1')), history.of(keyOf('web-v2'))]).toEqual([[], [expect.objectContaining({ actual: 1 })]]);
  });

  it('[issue 10, 6] are kept of one that came back meanwhile', async () => {
    const clock = new ManualClock();
    const history = new ScaleHistory(clock);
    history.observe(keyOf('web-v1'), scaled());
    history.gone(keyOf('web-v1'));
    history.observe(keyOf('web-v1'), scaled(2));
    await clock.advance(HOUR_MS);
    history.gone(keyOf('web-v0'));
    expect(history.of(keyOf('web-v1')).map(({ actual }) => actual)).toEqual([1, 2]);
  });

  it('[issue 10, 6] of an earlier process are kept of what is seen within an hour, and not of the revisions of a month', async () => {
    const clock = new ManualClock();
    const history = new ScaleHistory(clock);
    const at = toIso(clock.now());
    const earlier = { at, stageMin: null, stageMax: null, desired: 1, actual: 0 };
    history.restore(['web-v1', 'web-v2'].map((name) => ({ ...earlier, key: keyOf(name) })));
    history.observe(keyOf('web-v2'), scaled());
    await clock.advance(HOUR_MS);
    history.gone(keyOf('web-v0'));
    expect([history.of(keyOf('web-v1')).length, history.of(keyOf('web-v2')).length]).toEqual([0, 2]);
  });
});
