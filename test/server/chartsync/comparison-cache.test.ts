import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ComparisonCache } from '@/server/chartsync/compare/comparison-cache';
import { ComparisonDigests } from '@/server/chartsync/compare/comparison-digests';
import type { ReleaseRequest } from '@/server/chartsync/ports';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';

const CANARY = 'canary-of-a-value';
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'equal-'));
});
afterEach(() => rm(folder, { recursive: true }));

const request = (name: string, values: object) => ({ release: { namespace: 'pay', name }, values }) as unknown as ReleaseRequest; // no more of it is asked for
const stored = (digest: string) =>
  ({ revision: 1, status: 'deployed', chart: { metadata: {}, templates: [], files: [], values: {} }, values: {}, digest }) as const;

describe('what a release was found equal to', () => {
  const open = (fingerprint = 'tree') => {
    const kept = new ComparisonDigests({ file: path.join(folder, 'chartsync', 'equal.json'), clock: new ManualClock(), log: silentLog });
    const helm = { fingerprint: async () => fingerprint, dryRun: async () => Promise.reject(new Error('nothing is to be run')) };
    const memory = new ComparisonCache({ helm, isOn: true, intervalMs: 1000, clock: new ManualClock(), kept });
    return { memory, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() };
  };

  it('[issue 12.1] is known to the next process, in a file of its own that tells no value, until something moves', async () => {
    const web = request('web', { token: CANARY });
    {
      await using first = open();
      expect(await first.memory.holds(web, stored('a'))).toBe(false);
      await first.memory.note(web, stored('a'), true);
      await first.memory.note(request('other', {}), stored('b'), true);
      await first.memory.note(request('other', {}), stored('b'), false);
    }
    const file = path.join(folder, 'chartsync', 'equal.json');
    expect([(await stat(file)).mode & 0o777, Object.keys(JSON.parse(await readFile(file, 'utf8')) as object)]).toEqual([
      0o600,
      ['pay/web'],
    ]);
    expect(await readFile(file, 'utf8')).not.toContain(CANARY);
    await using next = open();
    expect(await next.memory.holds(web, stored('a'))).toBe(true);
    expect(await next.memory.holds(web, stored('b'))).toBe(false);
    expect(await next.memory.holds(request('web', { token: 'another' }), stored('a'))).toBe(false);
    await using moved = open('another tree');
    expect(await moved.memory.holds(web, stored('a'))).toBe(false);
  });

  it('[issue 12.1] is compared anew where the file cannot be read', async () => {
    await using first = open();
    await first.memory.note(request('web', {}), stored('a'), true);
    await first[Symbol.asyncDispose]();
    await writeFile(path.join(folder, 'chartsync', 'equal.json'), '{"pay/web":');
    await using next = open();
    expect(await next.memory.holds(request('web', {}), stored('a'))).toBe(false);
    await next.memory.note(request('web', {}), stored('a'), true);
    expect(await next.memory.holds(request('web', {}), stored('a'))).toBe(true);
  });
});

describe('a dry run that failed', () => {
  const INTERVAL_MS = 180_000;

  function open({ isOn = true }: { readonly isOn?: boolean } = {}) {
    const clock = new ManualClock();
    let runs = 0;
    let chart = 'tree';
    const dryRun = async () => {
      runs++;
      throw new Error(`template: broken (${runs})`);
    };
    const cache = new ComparisonCache({ helm: { fingerprint: async () => chart, dryRun }, isOn, intervalMs: INTERVAL_MS, clock });
    const run = async (by: 'schedule' | 'decision' = 'schedule', name = 'web') => {
      await expect(cache.dryRun(request(name, {}), stored('a'), by)).rejects.toThrow('template: broken');
      return runs;
    };
    const passes = async (count: number) => {
      const found: number[] = [];
      for (let at = 0; at < count; at++) {
        found.push(await run());
        await clock.advance(INTERVAL_MS);
      }
      return found;
    };
    const move = () => {
      chart = 'another tree';
    };
    return { run, passes, move };
  }

  it('[issue 12.1] is run again by the next pass, and then after more and more passes, five at most', async () => {
    const { passes } = open();
    expect(await passes(16)).toEqual([1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6]);
  });

  it('[issue 12.1] is run at once where something of it moved, for anything but the schedule, and for another release', async () => {
    const { run, move } = open();
    expect([await run(), await run(), await run('decision'), await run(), await run('schedule', 'other')]).toEqual([1, 1, 2, 2, 3]);
    move();
    expect(await run()).toBe(4);
  });

  it('[issue 12.1] is run at every pass with --charts-always-compare', async () => {
    expect(await open({ isOn: false }).passes(4)).toEqual([1, 2, 3, 4]);
  });
});
