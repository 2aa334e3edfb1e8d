import { expect, it } from 'vitest';
import { maskForReading } from '@/lib/kube/mask';
import { parseExact } from '@/lib/std/exact-json';
import { missingRightCommand } from '@/server/chartsync/cluster/missing-right';
import { watchedPath } from '@/server/chartsync/model/chart-path';
import type { Deviation, DriftTarget } from '@/server/chartsync/model/drift-policy';
import { readDriftPolicy, withoutIgnored } from '@/server/chartsync/model/drift-policy';
import { readPattern } from '@/server/chartsync/model/linear-pattern';
import { Registries } from '@/server/chartsync/sources/registry';
import { parseVersion, readRange } from '@/server/chartsync/sources/version-range';
import { parseValues } from '@/server/commands/manifest-text';
import { wordsOf } from '@/server/status/health/state-words';
import { compileMessage } from '@/server/status/rules/message';

const MANY = 300_000;
/** What takes minutes one way takes milliseconds the other; a loaded machine changes nothing about that. */
const LIMIT_MS = 2000;

const deviation = (name: string): Deviation => ({
  path: '/data/x',
  object: { group: '', version: 'v1', kind: 'ConfigMap', name, namespace: 'shop', labels: { app: 'web' }, annotations: {} },
});
const heeded = (deviations: readonly Deviation[], target: Partial<DriftTarget['patterns']> & Record<string, string>) =>
  withoutIgnored(deviations, readDriftPolicy({ mode: 'enabled', ignore: [{ paths: ['/data'], target }] })).length;

it.each<readonly [string, () => unknown]>([
  ['a pattern of names that can be read in many ways', () => heeded([deviation(`${'a'.repeat(60)}!`)], { name: '(a+)+' })],
  [
    'the same many times over',
    () =>
      heeded(
        Array.from({ length: 2000 }, () => deviation(`${'a'.repeat(250)}!`)),
        { name: '((((a*)*)*)*)*b' },
      ),
  ],
  ['a selector of commas', () => heeded([deviation('web')], { labelSelector: `a=b${','.repeat(MANY)}` })],
  ['a selector of spaces', () => heeded([deviation('web')], { labelSelector: `${' '.repeat(MANY)}=` })],
  ['a range of versions of one word', () => readRange('a'.repeat(MANY))],
  ['a path of slashes', () => watchedPath(`a${'/'.repeat(MANY)}b`, 'charts')],
  ['a state of capitals', () => wordsOf('A'.repeat(MANY))],
  ['a message of spaces', () => compileMessage('{.a}: {.b}{.none}')({ a: 'x', b: `${' '.repeat(MANY)}x` } as never, {} as never)],
  ['an address after a text of dots', () => maskForReading({ a: `${'a.'.repeat(MANY)}://b` })],
  ['addresses without an end', () => maskForReading({ a: 'a://b:c'.repeat(MANY), b: `https://b:${'@'.repeat(MANY)}` })],
  ['a text of kinds', () => maskForReading({ a: `data: ${'kind'.repeat(MANY)}`, b: `kind${' '.repeat(MANY)}`, c: 'kind"'.repeat(MANY) })],
  ['a text in quotes without an end', () => expect(() => parseExact(`[1234567890123456,"${'\\"'.repeat(MANY)}\\`)).toThrow('JSON')],
  [
    'an error of Helm that begins in the same way again and again',
    () => missingRightCommand(`${'unable to continue with a: '.repeat(70)}!`, { namespace: 'pay', name: 'slipway-charts' }),
  ],
  ['a row of number signs for values', () => expect(() => parseValues(`${'#'.repeat(100)}\nx`)).toThrow('values must be a map')],
])('[issue 10.4] %s takes no time', (_what, read) => {
  const began = performance.now();
  read();
  expect(performance.now() - began).toBeLessThan(LIMIT_MS);
});

const registry = (link: string) =>
  new Registries({ get: async (url) => ({ status: 200, url, headers: { link }, body: Buffer.from('{"tags":[]}') }) });
const access = (repository: string) => ({ repository, key: '', credentials: undefined, signal: new AbortController().signal });

it.each([
  ['an address of a registry of slashes', '', `oci://charts.test/${'/'.repeat(MANY)}x`, 'needs oci://HOST/PATH'],
  ['what a registry says comes next', '<?'.repeat(16_000), 'oci://charts.test/team', 'has no version of chart ledger'],
])('[issue 10.4] %s takes no time', async (_what, link, repository, says) => {
  const began = performance.now();
  const asked = async () => registry(link).locate(access(repository), { name: 'ledger', range: '*' });
  await expect(asked()).rejects.toThrow(says);
  expect(performance.now() - began).toBeLessThan(LIMIT_MS);
});

it('[issue 10.4] patterns, ranges, paths, states, messages and values mean what they did', () => {
  const matches = (pattern: string, text: string) => readPattern(pattern)(text, { left: 100_000 });
  const fits = [
    'web-.*',
    'web-[a-z0-9]+',
    '(web|api)-\\d{2,3}x?',
    '^web-(?:1|12)x$',
    '(?P<app>web)-.+?',
    'web-1.{1,}',
    'web\\-[^b]*',
    'web-12{1}x',
    '[\\w-]+',
    '(web-)*12x',
  ];
  for (const pattern of fits) expect([pattern, matches(pattern, 'web-12x')]).toEqual([pattern, true]);
  const fitsNot = ['web', '.*-1', 'web-\\d+', '(web|api)', 'web-12x{2,}', '[^w].*', '', 'eb-12x', 'web-12x$x', 'web-.{4}'];
  for (const pattern of fitsNot) expect([pattern, matches(pattern, 'web-12x')]).toEqual([pattern, false]);
  expect(matches('', '')).toBe(true);
  for (const none of ['(', ')', 'a**b|(', '*', '(?=a)', '(?i)a', '[a', 'a{3,2}', '\\1(a)', 'a'.repeat(1001)]) {
    expect(() => matches(none, 'a'), none).toThrow(SyntaxError);
  }
  expect(heeded([deviation('web-1'), deviation('api-1')], { name: 'web-.*' })).toBe(1);
  expect(heeded([deviation('web-1')], { name: '(' })).toBe(1);
  expect(heeded([deviation('web-1')], { labelSelector: 'app in (web, api), app' })).toBe(0);
  const version = parseVersion('1.5.0');
  expect(version && readRange('1.0.0 - 2.0.0')?.(version)).toBe(true);
  expect(watchedPath('//a//b//', 'charts')).toBe('charts/a/b');
  expect(wordsOf('HTTPRouteNotReady in2Parts')).toEqual(['http', 'route', 'not', 'ready', 'in2', 'parts']);
  expect(compileMessage('{.a}: {.none}')({ a: 'x' } as never, {} as never)).toBe('x');
  expect(parseValues('# nothing\n\n  # said\n')).toEqual({});
  expect(parseValues('# said\na: 1')).toEqual({ a: 1 });
});
