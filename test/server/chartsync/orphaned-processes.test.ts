import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { awaitGroup, endGroup, findOrphanedProcesses, HELM_RUN_VARIABLE } from '@/server/chartsync/process/orphaned-processes';
import { runProcess } from '@/server/chartsync/process/run-process';
import { realClock } from '@/server/platform';
import { temporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';

const clock = realClock;

/** A group whose first process has ended, as that of a server that was killed; and one that this process leads still. */
async function start(folder: string, script: string, env: Readonly<Record<string, string>> = {}): Promise<number> {
  const ready = path.join(folder, 'ready');
  const text = `sh -c '${script.replaceAll("'", "'\\''")}' &\necho $$ > ${ready}`;
  const all = { PATH: process.env.PATH ?? '', HOME: path.join(folder, 'helm'), ...env };
  spawn('/bin/sh', ['-c', text], { env: all as unknown as NodeJS.ProcessEnv, detached: true, stdio: 'ignore' });
  await until('it runs', () => existsSync(ready) && readFileSync(ready, 'utf8').endsWith('\n'));
  return Number(readFileSync(ready, 'utf8'));
}

const left = async (folder: string) =>
  (await findOrphanedProcesses({ folder, own: process.pid })).map(({ group, work }) => ({ group, work }));

it('[issue 12, 1] what a killed server left running is found by what it was started with, and what it does told', async () => {
  const [folder, other] = [temporaryFolder(), temporaryFolder()];
  const group = await start(folder, 'while :; do sleep 0.1; done', { [HELM_RUN_VARIABLE]: 'upgrade pay ledger' });
  const git = await start(other, 'while :; do sleep 0.1; done');
  try {
    await until('both are found', async () => (await left(folder)).length === 1 && (await left(other)).length === 1);
    expect(await left(folder)).toEqual([{ group, work: { command: 'upgrade', namespace: 'pay', name: 'ledger' } }]);
    expect(await left(other)).toEqual([{ group: git, work: undefined }]);
    // A folder whose name begins alike is another server's.
    expect(await left(folder.slice(0, -1))).toEqual([]);
  } finally {
    for (const each of [group, git]) await endGroup(each, { clock, graceMs: 1000 });
  }
  expect([...(await left(folder)), ...(await left(other))]).toEqual([]);
});

it('[issue 12, 1] what this process runs itself is no leftover', async () => {
  const folder = temporaryFolder();
  const ready = path.join(folder, 'ready');
  const ending = new AbortController();
  const env = { PATH: process.env.PATH ?? '', HOME: path.join(folder, 'helm') };
  const limits = { maxBytes: 1000, graceMs: 1000, signal: ending.signal, clock };
  const running = runProcess({
    command: '/bin/sh',
    args: ['-c', `touch ${ready}; while :; do sleep 0.1; done`],
    env,
    cwd: folder,
    ...limits,
  });
  await until('it runs', () => existsSync(ready));
  expect(await left(folder)).toEqual([]);
  ending.abort(new Error('it has run'));
  await expect(running).rejects.toThrow('it has run');
});

it('[issue 12, 1] is let finish, asked to end when that is wanted, and killed when it takes no notice', async () => {
  const folder = temporaryFolder();
  const done = path.join(folder, 'done');
  const finishing = await start(folder, `sleep 0.3; touch ${done}`);
  await awaitGroup(finishing, { clock, graceMs: 1000, signal: new AbortController().signal });
  expect(existsSync(done)).toBe(true);
  const deaf = await start(temporaryFolder(), `trap "" TERM; while :; do sleep 0.05; done`);
  await endGroup(deaf, { clock, graceMs: 200 });
  expect(() => process.kill(-deaf, 0)).toThrow('ESRCH');
});
