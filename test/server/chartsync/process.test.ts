import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Semaphore } from '@/lib/std/semaphore';
import { runProcess } from '@/server/chartsync/process/run-process';
import { childEnvironment, realClock } from '@/server/platform';
import { temporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';

const call = (script: string, more: Partial<Parameters<typeof runProcess>[0]> = {}) => ({
  command: '/bin/sh',
  args: ['-c', script],
  env: { PATH: process.env.PATH ?? '' },
  cwd: '/',
  signal: new AbortController().signal,
  maxBytes: 1000,
  graceMs: 200,
  clock: realClock,
  ...more,
});

/** One that has ended counts as ended before whoever took it over takes note of that. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('a child process', () => {
  it('[issue 12, 5] reads what is given on standard input, and sees no environment but its own', async () => {
    process.env.SLIPWAY_CANARY = 'planted';
    const { code, stdout, stderr } = await runProcess(call('cat; echo "[$SLIPWAY_CANARY]"; echo oops >&2; exit 3', { input: 'secret' }));
    delete process.env.SLIPWAY_CANARY;
    expect({ code, stdout, stderr }).toEqual({ code: 3, stdout: 'secret[]\n', stderr: 'oops\n' });
  });

  it('[issue 12, 1] ends with the whole of its group, also what takes no notice of being asked', async () => {
    const ending = new AbortController();
    const file = path.join(temporaryFolder(), 'pids');
    const deaf = `trap '' TERM; echo $$ >> ${file}; while :; do sleep 0.05; done`;
    const running = runProcess(call(`sh -c "${deaf.replaceAll('$', '\\$')}" & ${deaf}`, { signal: ending.signal }));
    const pids = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []);
    await until('both run', () => pids().length === 2);
    ending.abort(new Error('the lease is lost'));
    await expect(running).rejects.toThrow('the lease is lost');
    await until('nothing of it runs', () => !pids().some(isAlive));
  });

  it('[issue 12, 5] is ended when it writes more than it may', async () => {
    await expect(runProcess(call('yes'))).rejects.toThrow('/bin/sh wrote more than 1000 bytes');
  });

  it('[issue 12, 5] is ended with what it started when they hold more memory than it may together, and not before', async () => {
    const hold = (mib: number) =>
      `exec "$NODE" -e 'globalThis.held = Buffer.alloc(${mib} * 1048576, 1); console.log(process.pid); setTimeout(() => {}, 1500)'`;
    const env = { PATH: process.env.PATH ?? '', NODE: process.execPath };
    const both = `sh -c ${JSON.stringify(hold(150)).replaceAll('$', '\\$')} & ${hold(150)}`;
    const limits = { env, maxMemory: 300 * 1024 * 1024, graceMs: 5000 };
    await expect(runProcess(call(both, limits))).rejects.toThrow('it took more than 300 MiB of memory and was stopped');
    expect((await runProcess(call(hold(50), limits))).code).toBe(0);
  });

  it('[issue 12, 1] that cannot be run says why, and so does one that nobody can hear any more, which is ended', async () => {
    await expect(runProcess(call('', { command: '/nonexistent' }))).rejects.toThrow(/\/nonexistent.*ENOENT/);
    const file = path.join(temporaryFolder(), 'pids');
    const running = runProcess(call(`echo $$ $PPID > ${file}; while :; do sleep 0.05; done`));
    const pids = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').map(Number) : []);
    await until('it runs', () => pids().length === 2);
    const [program = 0, launcher = 0] = pids();
    expect(launcher).not.toBe(process.pid);
    await runProcess(call('true')); // by now it has said of the first, too, that it started
    process.kill(launcher, 'SIGKILL');
    await expect(running).rejects.toThrow('the process that starts programs has ended');
    await until('the program has ended', () => !isAlive(program));
    expect((await runProcess(call('echo again'))).stdout).toBe('again\n');
  });

  it('[issue 12, 5] says whole what is larger than one piece, both ways', async () => {
    const input = 'a line of values\n'.repeat(100_000);
    const { code, stdout } = await runProcess(call('cat', { input, maxBytes: 2 * input.length }));
    expect({ code, isWhole: stdout === input }).toEqual({ code: 0, isWhole: true });
  });

  it('[issue 12, 5] has each character of its errors whole that comes in two pieces, so that a value with one is known', async () => {
    const program = "process.stderr.write('p' + 'ä'.repeat(1_100_000))";
    const { stderr } = await runProcess({ ...call(''), command: process.execPath, args: ['-e', program] });
    expect(stderr).toBe('ä'.repeat(stderr.length));
    expect(stderr.length).toBeGreaterThan(1_000_000);
  });

  it('[issue 12, 5] inherits where programs are, and no credential', () => {
    expect(childEnvironment({ PATH: '/bin', AWS_SECRET_ACCESS_KEY: 'x', HTTPS_PROXY: 'http://proxy' })).toEqual({
      PATH: '/bin',
      HTTPS_PROXY: 'http://proxy',
    });
  });
});

describe('turns', () => {
  it('[issue 12, 1] lets so many run at once and the others in the order of asking', async () => {
    const turns = new Semaphore(2);
    const order: number[] = [];
    const ends: (() => void)[] = [];
    const run = (id: number) =>
      turns.run(async () => {
        order.push(id);
        await new Promise<void>((resolve) => void ends.push(resolve));
      });
    const all = [1, 2, 3, 4].map(run);
    await until('two run', () => ends.length === 2);
    expect(order).toEqual([1, 2]);
    ends.shift()?.();
    await until('the third runs', () => order.length === 3);
    for (let at = 0; at < 4; at++) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(all);
    expect(order).toEqual([1, 2, 3, 4]);
  });

  it('[issue 12.1] are not waited for by whoever was told to stop, and lose no place by that', async () => {
    const told: number[] = [];
    const turns = new Semaphore(1, (tasks) => told.push(tasks));
    let end: () => void = () => undefined;
    const first = turns.run(() => new Promise<void>((resolve) => (end = resolve)));
    const stopping = new AbortController();
    const second = turns.run(async () => 'ran', stopping.signal).catch((error: unknown) => error);
    const third = turns.run(async () => 'ran');
    stopping.abort('cancelled');
    expect(await second).toBe('cancelled');
    expect(await turns.run(async () => 'ran', stopping.signal).catch((error: unknown) => error)).toBe('cancelled');
    end();
    expect([await first, await third, await turns.run(async () => 'free')]).toEqual([undefined, 'ran', 'free']);
    expect(told).toEqual([1, 2, 1, 0, 0, 0]);
  });
});
