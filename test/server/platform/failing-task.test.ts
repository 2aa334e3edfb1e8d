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
