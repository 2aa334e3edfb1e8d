import { describe, expect, it } from 'vitest';
import { STRIKES } from '../support/struck-line';
import { struck, upgrade } from './struck-house';
import { WAYS } from './struck-ways';

/** As many of the calls of an upgrade are struck here, each in every way; another few with each seed. `test:long -- faults` strikes at all. */
const SAMPLE = 4;
const SEED = 11;

describe('an upgrade whose engines are struck at one of their calls to the API server or the store', () => {
  let calm: ReturnType<typeof upgrade> | undefined;
  const undisturbed = () => {
    calm ??= upgrade();
    return calm;
  };

  it('[issue 10.6] makes nothing twice and deletes what it left, when nothing strikes', async () => {
    const { madeTwice, trackers, objects, recorded } = await undisturbed();
    expect([madeTwice, trackers]).toEqual([[], ['web-v2']]);
    expect(Object.keys(objects)).toEqual(expect.arrayContaining(['Deployment web-v2', 'ConfigMap kept', 'ConfigMap new', 'Service web']));
    expect(recorded.filter((line) => line.startsWith('revision.created'))).toHaveLength(2);
    expect(Object.keys(objects)).not.toEqual(expect.arrayContaining(['ConfigMap old']));
  });

  it.each(STRIKES)(
    '[issue 10.6] comes to the same objects and the same record, nothing made twice and nothing else deleted: %s',
    async (how) => {
      const { calls, wasStruck: _never, unknown: _none, ...wanted } = await undisturbed();
      const step = Math.floor(calls.length / SAMPLE);
      for (let at = 1 + (SEED % step); at <= calls.length; at += step) {
        const { calls: _more, wasStruck, unknown: _open, ...found } = await upgrade({ at, how });
        expect(wasStruck, `${how} at call ${at}`).toBe(true);
        expect(found, `${how} at call ${at}`).toEqual(wanted);
      }
    },
  );
});

describe('an application that is deleted, whose engines are struck as they let it go', () => {
  it('[issue 10.6] comes to the same objects, and its deletion is on record', async () => {
    const way = WAYS['its deletion'];
    if (way === undefined) throw new Error('there is no such way');
    const { calls, wasStruck: _never, unknown: _none, ...wanted } = await struck(way);
    const at = calls.findLastIndex((what) => what.startsWith('patch Application ')) + 1;
    expect(wanted.recorded).toContainEqual(expect.stringMatching(/^application\.deleted /));
    for (const how of ['cut-after', 'die-after', 'kill-after'] as const) {
      const { calls: _more, wasStruck, unknown: _open, ...found } = await struck(way, { at, how });
      expect(wasStruck, how).toBe(true);
      expect(found, how).toEqual(wanted);
    }
  });
});
