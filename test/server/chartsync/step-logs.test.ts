import { appendFileSync, chmodSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { toInstant } from '@/lib/std/instant';
import { HelmOperations } from '@/server/chartsync/describe/helm-operations';
import { OrphanedLogs } from '@/server/chartsync/helm/log/orphaned-logs';
import { StepLogs } from '@/server/chartsync/helm/log/step-logs';
import { followFile } from '@/server/chartsync/process/follow-file';
import { Lines } from '@/server/chartsync/process/lines';
import { runProcess } from '@/server/chartsync/process/run-process';
import { realClock } from '@/server/platform';
import { ManualClock } from '../../support/manual-clock';
import { temporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';

const CANARY = 'canary-log-5b1c';
const release = { namespace: 'pay', name: 'books' };
const step = (more: object = {}) => ({ command: 'upgrade', release, since: toInstant(1_000_000), after: 1, ...more });

describe('a log that outlives its server', () => {
  it('[issue 12, 4] is told line by line while the program runs, its last line too where it has no end', async () => {
    const file = path.join(temporaryFolder(), 'log');
    writeFileSync(file, 'head\n');
    const go = path.join(path.dirname(file), 'go');
    const lines: string[] = [];
    const running = runProcess({
      command: '/bin/sh',
      args: ['-c', `echo out; echo one >&2; while [ ! -e ${go} ]; do sleep 0.02; done; printf 'two\\nthr\\303\\244e' >&2; exit 3`],
      env: { PATH: process.env.PATH ?? '' },
      cwd: '/',
      signal: new AbortController().signal,
      maxBytes: 1000,
      graceMs: 200,
      clock: realClock,
      log: { file, from: 5 },
      onLine: (line) => lines.push(line),
    });
    await until('the first line is told', () => lines.length === 1);
    writeFileSync(go, '');
    expect(await running).toEqual({ code: 3, stdout: '', stderr: 'one\ntwo\nthräe' });
    expect(lines).toEqual(['one', 'two', 'thräe']);
  });

  it('[issue 12, 4] never grows beyond 8 MiB, and is read on after it was cut', async () => {
    const file = path.join(temporaryFolder(), 'log');
    writeFileSync(file, 'head\n');
    const clock = new ManualClock();
    let characters = 0;
    let end = '';
    const onText = (text: string) => {
      characters += text.length;
      end = text.slice(-4);
    };
    const followed = followFile({ file, from: 5, clock, onText });
    appendFileSync(file, 'x'.repeat(8 * 1024 * 1024));
    await clock.advance(200);
    await until('it is cut short', () => statSync(file).size === 5);
    expect(readFileSync(file, 'utf8')).toBe('head\n');
    appendFileSync(file, 'more');
    await followed.end();
    expect([characters, end]).toEqual([8 * 1024 * 1024 + 4, '']);
  });

  it('[chartsync 14.23] leaves out a line so long that the end of a value may lie beyond what is read of it', () => {
    const lines: string[] = [];
    const told = new Lines((line) => lines.push(line));
    told.take(`${'x'.repeat(40_000)}`);
    told.take(`${'x'.repeat(40_000)}\nshort\n\nlast`);
    told.end();
    expect(lines).toEqual(['(a line of more than 64 KiB is left out)', 'short', 'last']);
  });
});

describe('the log of a step that a killed server left', () => {
  function rig(stored: { readonly revision: number; readonly values: object } | undefined) {
    const folder = path.join(temporaryFolder(), 'logs');
    const steps = new StepLogs(folder);
    const works = new HelmOperations(realClock);
    const storage = { readLatest: async () => stored && ({ chart: {}, ...stored } as never) }; // no more of it is asked for
    const clock = new ManualClock();
    return { folder, steps, works, clock, left: new OrphanedLogs({ steps, storage, works, clock }) };
  }

  it('[issue 12, 3] is told by the next one with its last line, values masked, and its file goes', async () => {
    const { folder, steps, works, left } = rig({ revision: 2, values: { password: CANARY } });
    const { file } = await steps.begin(step());
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    appendFileSync(file, `level=DEBUG msg="waits for ${CANARY}"\nlevel=WARN msg=last`);
    await left.take(new Set());
    const log = works.logOf(release);
    expect(log?.lines.map(({ text }) => text)).toEqual(['waits for [masked]', 'WARN: last']);
    expect([log?.command, log?.since, typeof log?.until]).toEqual(['upgrade', 1_000_000, 'number']);
    expect(works.of(release)).toMatchObject({ line: 'WARN: last', isInherited: true, killedBy: null });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['it stored nothing that tells its values', { revision: 1, values: {} }, {}],
    ['nobody knows what was stored before it', { revision: 9, values: {} }, { after: null }],
    ['nothing is stored any more', undefined, { command: 'uninstall' }],
  ])('[chartsync 14.23] is not told where %s', async (_why, stored, more) => {
    const { folder, steps, works, left } = rig(stored);
    appendFileSync((await steps.begin(step(more))).file, `${CANARY}\n`);
    await left.take(new Set());
    expect(works.logOf(release)?.lines.map(({ text }) => text)).toEqual([
      'The Helm output is not shown: it is unknown which parts of it are values.',
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('[issue 12, 3] of a Helm that still runs is left to whoever waits for it, and a file that is no log goes', async () => {
    const { folder, steps, works, left } = rig({ revision: 2, values: {} });
    const { file } = await steps.begin(step());
    for (const [name, text] of [
      ['empty.log', ''],
      ['other.log', 'no head\n'],
    ] as const)
      writeFileSync(path.join(folder, name), text);
    await left.take(new Set(['pay/books']));
    expect(readdirSync(folder)).toEqual([path.basename(file)]);
    expect(works.logOf(release)).toBeUndefined();
  });

  it('[issue 12.1] says what the step is made from, but for that of a server which wrote the commit alone', async () => {
    const { steps } = rig(undefined);
    const madeFrom = { revision: 'c0ffee', chart: 'chart-tree 1', generation: 4 };
    const { file } = await steps.begin(step({ madeFrom }));
    expect((await steps.left()).map((log) => log.madeFrom)).toEqual([madeFrom]);
    writeFileSync(file, readFileSync(file, 'utf8').replace(JSON.stringify(madeFrom), '"c0ffee"'));
    expect((await steps.left()).map(({ command, madeFrom: left }) => [command, left])).toEqual([['upgrade', undefined]]);
  });

  it('[issue 12, 4] that still runs is told from the moment that its revision is stored, and to its end', async () => {
    const stored = { revision: 1, values: {} as object };
    const { folder, steps, works, clock, left } = rig(stored);
    const { file } = await steps.begin(step());
    appendFileSync(file, `early ${CANARY}\n`);
    const log = await left.of(release);
    works.begin(release, { command: 'upgrade', purpose: 'change', since: toInstant(1_000_000) });
    const following = left.follow(log ?? (undefined as never)); // it is there
    await clock.advance(2000);
    expect(works.logOf(release)?.lines).toEqual([]);
    Object.assign(stored, { revision: 2, values: { password: CANARY } });
    // What the disk takes is no time of this clock.
    const told = async (lines: number) => {
      await clock.advance(1000);
      return works.logOf(release)?.lines.length === lines;
    };
    await until('it is told', () => told(1));
    appendFileSync(file, 'late\n');
    await until('it is told on', () => told(2));
    appendFileSync(file, 'last');
    await following.end();
    expect(works.logOf(release)?.lines.map(({ text }) => text)).toEqual(['early [masked]', 'late', 'last']);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('[issue 12, 5] is one file for each release, which the next step of it begins anew, whoever made it meanwhile', async () => {
    const { folder, steps } = rig(undefined);
    const { file } = await steps.begin(step());
    appendFileSync(file, 'old\n');
    chmodSync(file, 0o644);
    const again = await steps.begin(step({ command: 'rollback' }));
    expect(again.file).toBe(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('"rollback"');
    expect(readFileSync(file, 'utf8')).not.toContain('old');
    truncateSync(file, 0);
    expect(await steps.left()).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
