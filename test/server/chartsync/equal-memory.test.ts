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
    const memory = new ComparisonCache({ helm: { fingerprint: async () => fingerprint }, isOn: true, kept });
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
