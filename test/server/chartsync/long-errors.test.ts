import { expect, it } from 'vitest';
import { sentenceOf } from '@/server/chartsync/helm/log/log-line';
import { VALUES_UNKNOWN } from '@/server/chartsync/helm/masking/hidden-values';
import { maskerOf } from '@/server/chartsync/helm/masking/mask-values';
import { Tail } from '@/server/chartsync/process/tail';

const KIB = 1024;

it('[issue 12.3] keeps the end of what comes in small pieces, without going through all of it for each', () => {
  const tail = new Tail(1024 * KIB);
  for (let at = 0; at < 160_000; at++) tail.add(`${String(at).padStart(49, '.')}\n`);
  const lines = tail.text().split('\n');
  expect([lines.length, lines[0], lines.at(-2)]).toEqual([20_972, '139029'.padStart(49, '.'), '159999'.padStart(49, '.')]);
  const short = new Tail(5);
  short.add('ab');
  short.add('cde');
  expect(short.text()).toBe('abcde');
  short.add('\nfg');
  expect(short.text()).toBe('fg');
});

it('[issue 12.3] masks of a long error what is told, also values that it is cut through', () => {
  let most = 0;
  const lettersOf = (length: number) => Array.from({ length }, (_, at) => String.fromCharCode(97 + ((at * at) % 23))).join('');
  const told = (stderr: string, values: unknown = []) => {
    const masker = maskerOf(values);
    const mask = (text: string) => {
      most = Math.max(most, text.length);
      return masker(text);
    };
    return sentenceOf(stderr, { command: 'upgrade', isKilled: false, mask });
  };
  for (const [secret, shift] of [
    ['hunter2-hunter2', 1],
    ['hunter2-hunter2', 14],
    [`k${lettersOf(300)}`, 63],
    [`k${lettersOf(300)}`, 200],
    ['hunter2A-prod-9xyzABC', 15], // another value stands in it
  ] as const) {
    const [before, after] = [lettersOf(32 * KIB - 7 - shift), lettersOf(32 * KIB - 6 - shift)];
    const text = `begin ${before} ${secret}${'z'.repeat(100_000)}${secret} ${after}: end`;
    expect(told(`Error: ${text}`, [secret, before, after, 'prod'])).toMatch(
      /^begin \[masked\](?: \[masked\])? … (?:\[masked\] )?\[masked\]: end$/,
    );
  }
  expect(most).toBe(32 * KIB + 128);
  const many = Array.from({ length: 50_000 }, (_, at) => `line ${at}`).join('\n');
  expect(told(`Error: ${many}`)).toMatch(/^line 0; .*line 7; and 49992 more lines$/);
  const secretLines = Array.from({ length: 100 }, (_, at) => `of a secret ${at}`).join('\n');
  expect(told(`Error: ${secretLines}\n${many}`, [secretLines])).toMatch(/^\[masked\]; line 0; .*line 6; and 49993 more lines$/);
  const nothing = sentenceOf(`Error: ${many}`, { command: 'upgrade', isKilled: false, mask: () => VALUES_UNKNOWN });
  expect(nothing).toBe(VALUES_UNKNOWN);
  const full = `${'x'.repeat(9000)} Request entity too large: limit is 3145728 ${'y'.repeat(500_000)}`;
  expect(told(`Error: ${full}`)).toMatch(/^Helm stores a release with all files/);
  const within = (text: string) => told(`Error: ${many}\n${'x'.repeat(40_000)} ${text} ${'y'.repeat(40_000)}\n${many}`, ['ENOSPC']);
  expect(within('Request entity too large: limit is 3145728')).toMatch(/^Helm stores a release with all files/);
  expect(within('write /data/log: no space left on device')).toMatch(/^the disk of the server is full/);
  expect(within('ENOSPC')).toMatch(/^line 0/); // a value, which says nothing of the disk
});

it('[issue 12.3] says why Helm could not delete a release, which stands in its log alone, without the values in it', () => {
  const told = (log: string) =>
    sentenceOf(`${log}\nError: failed to delete release: w1\n`, { command: 'uninstall', isKilled: false, mask: maskerOf(['hunter2']) });
  const why = '[resource mapping not found for "w" hunter2: no matches for kind "Widget"]';
  const wanted = 'failed to delete release: w1: [resource mapping not found for "w" [masked]: no matches for kind "Widget"]';
  const of4 = `level=DEBUG msg="uninstall: Failed to delete release" error=${JSON.stringify(why)}`;
  expect(told(`level=DEBUG msg="uninstall: Deleting w1"\n${of4}\nlevel=DEBUG msg=other`)).toBe(wanted);
  expect(told(`uninstall.go:119: 2026-11-30 12:00:00.1 +0000 UTC m=+0.1 [debug] uninstall: Failed to delete release: ${why}`)).toBe(wanted);
  expect(told('level=DEBUG msg="uninstall: Deleting w1"')).toBe('failed to delete release: w1');
});
