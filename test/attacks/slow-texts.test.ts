import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { LiveObjects } from '@/server/chartsync/cluster/live-objects';
import { readDependencies } from '@/server/chartsync/helm/chart-tree';
import { maskValues } from '@/server/chartsync/helm/masking/mask-values';
import { MAX_CHART_FILE } from '@/server/chartsync/sources/chart-text';
import { findInIndex } from '@/server/chartsync/sources/indexes/helm-index';
import type { ValuesReader } from '@/server/chartsync/values/resolve';
import { resolveValues } from '@/server/chartsync/values/resolve';
import { openChartValuesReader } from '@/server/commands';
import { createLineFinder } from '@/server/commands/drift-lines';
import { realClock } from '@/server/platform';
import { temporaryFolder } from '../support/temporary-folder';

/** What takes minutes one way takes a second the other: of processor time, so that a loaded machine changes nothing about that. */
const LIMIT_MS = 8000;

const keys = Array.from({ length: 25_000 }, (_, at) => `k${at}: 1`).join('\n');
const maps = '? '.repeat(600);
const mixed = '- ? '.repeat(90);
const HOSTILE: readonly (readonly [string, string])[] = [
  ['keys without number', keys],
  ['maps for keys of maps', maps],
  ['maps for keys in lists', mixed],
  ['escapes that are none', `a: "${'\\q'.repeat(20_000)}"`],
  ['signs that belong nowhere', `a: 1\n${'}\n'.repeat(20_000)}`],
  ['brackets without number', `a: ${'['.repeat(50_000)}`],
  ['an alias inside what it stands for', 'a: &a [*a]'],
  [
    'aliases without number',
    `a: [${Array.from({ length: 3000 }, (_, at) => `&x${at} 1`).join(', ')}]\nb: [${Array.from({ length: 3000 }, (_, at) => `*x${at}`).join(', ')}]`,
  ],
];

const resolve = (text: string, readLongValues?: ValuesReader['readLongValues']) => {
  const at = { onBehalfOf: { namespace: 'shop', account: '' }, chart: { folder: '/none', path: '.' } };
  const from = [{ kind: 'ConfigMap', name: 'values', namespace: undefined, key: 'values.yaml', optional: false }] as const;
  const nothing = async () => undefined;
  const reader = { readData: async () => ({ 'values.yaml': text }), fetchText: nothing, readChartFile: nothing, readLongValues };
  return resolveValues({ ...at, from, inline: {} } as unknown as Parameters<typeof resolveValues>[0], reader);
};
const live = new LiveObjects({ storage: {} as never, clusterFor: () => ({}) as never, cluster: {} as never, clock: realClock });

async function within<T>(work: () => Promise<T>): Promise<T | Error> {
  const began = process.cpuUsage();
  const answer = await work().catch((error: Error) => error);
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1000).toBeLessThan(LIMIT_MS);
  return answer;
}

it.each(HOSTILE)('[issue 10.4] values of a release with %s are read or refused at once', async (what, text) => {
  const answer = await within(() => resolve(text));
  if (what === 'keys without number') expect(Object.keys(answer)).toHaveLength(25_000);
  else expect(answer).toMatchObject({ code: 'invalid', message: expect.stringContaining('must be a YAML map') });
});

it('[issue 10.4] values mean what they did, and a key that stands twice is still refused with its line', async () => {
  expect(await resolve('a: &a {b: 1}\nc: *a\nd: 012\n3: {e: [yes, ~]}')).toEqual({
    a: { b: 1 },
    c: { b: 1 },
    d: '012',
    3: { e: ['yes', null] },
  });
  expect(await resolve('# nothing\n')).toEqual({});
  await expect(resolve('a: 1\nb: 2\na: 3')).rejects.toThrow('must be a YAML map; line 3 cannot be read');
  await expect(resolve('a: 1\n---\nb: 2')).rejects.toThrow('must be a YAML map');
  await expect(resolve('a: 1\nb: {')).rejects.toThrow('line 2 cannot be read');
});

it('[issue 10.4] values that are long are read on a thread, as they are here, so that nobody waits for them', async () => {
  await using thread = openChartValuesReader(realClock);
  const long = Array.from({ length: 2000 }, (_, at) => `key${at}: 012`).join('\n');
  const asked: number[] = [];
  const readLongValues = (text: string) => {
    asked.push(text.length);
    return thread.chartValues(text);
  };
  const texts = [long, `${long}\nkey1: again`, `${long}\n---\nb: 2`, `[${'1,'.repeat(20_000)}1]`, 'a: 1'];
  const here = await Promise.all(texts.map((text) => resolve(text).catch((error: Error) => error.message)));
  const there = await Promise.all(texts.map((text) => resolve(text, readLongValues).catch((error: Error) => error.message)));
  expect(there).toEqual(here);
  expect(here[0]).toMatchObject({ key0: '012', key1999: '012' });
  expect(here[1]).toContain('must be a YAML map; line 2001 cannot be read');
  expect(asked).toEqual(texts.slice(0, -1).map((text) => text.length));
});

it.each(HOSTILE)('[issue 10.4] a chart, an entry of an index and a stored manifest with %s keep nobody waiting', async (what, text) => {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'Chart.yaml'), `${text.slice(0, MAX_CHART_FILE - 1)}\n`); // a larger one is not read
  expect(await within(() => readDependencies({ folder, path: '.', revision: '' }))).toEqual([]);
  const item = text.replaceAll('\n', '\n      ');
  const index = `entries:\n  web:\n    - version: 1.0.0\n      ${item}\n`;
  expect(await within(async () => findInIndex(index, { name: 'web', range: '1.0.0' }))).toBeInstanceOf(Error);
  const parsed = await within(() => live.parse(text));
  if (what.startsWith('maps for keys')) expect(parsed).toMatchObject({ code: 'invalid' });
});

it('[issue 10.4] lines of an object with keys without number are found at once', async () => {
  const text = Array.from({ length: 30_000 }, (_, at) => `k${at}: "1"`).join('\n');
  expect(await within(async () => createLineFinder(`data:\n  ${text.replaceAll('\n', '\n  ')}`)(['data', 'k29999']))).toBe(30_001);
});

it('[issue 10.4] a long value is masked in a long text that is all but the same', async () => {
  const told = await within(async () => maskValues(`${'a'.repeat(200_000)}!`, { value: 'a'.repeat(200_001), other: 'b'.repeat(100_000) }));
  expect(told).toBe('[masked]!');
});
