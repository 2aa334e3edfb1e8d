import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const PROGRAM = `
  import { countUnhandled, createMetrics, realClock } from '@/server/platform';
  import { silentLog } from '@/test/support/silent-log';
  const metrics = createMetrics({});
  countUnhandled(process, silentLog, metrics);
  const fail = () => { throw new Error('a row that cannot be computed'); };
  realClock.schedule(0, fail);
  realClock.schedule(1, fail);
  await realClock.sleep(50);
  console.log(/slipway_unhandled_errors_total (\\d+)/.exec(await metrics.metrics())[1]);
`;

it('[house 3.4] a task of the clock that fails is counted, and ends neither the process nor what else is due', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', PROGRAM], {
    timeout: 60_000,
  });
  expect(stdout).toBe('2\n');
}, 60_000);

const ENDING = `
  import { endOnUncaught } from '@/server/platform';
  endOnUncaught(process);
  setTimeout(() => { throw Object.assign(new Error('a socket broke'), { parameters: ['s3cr3t'] }); }, 0);
  setTimeout(() => console.log('goes on'), 60_000);
`;

it('[issue 10.5] an error that comes to nobody ends the process with its message and stack, and prints none of what the error carries', async () => {
  const ended = promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', ENDING], { timeout: 50_000 });
  const { code, stdout, stderr } = (await ended.then(
    () => undefined,
    (error: { readonly code: number; readonly stdout: string; readonly stderr: string }) => error,
  )) ?? { code: 0, stdout: '', stderr: '' };
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^slipway: ended by an error that was not handled, .*: Error: a socket broke\n +at /);
  expect(stderr).not.toContain('s3cr3t');
}, 60_000);
