import { spawn } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';

describe('the log', () => {
  it('[framework L9] lets the process end when nobody reads its lines any more', async () => {
    const program = `
      import { createLog } from './server/platform/log.ts';
      const log = createLog('info');
      for (const line of ['the start failed', 'what was started ends', 'the end']) log.error({}, line);
      process.exit(7);`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type', 'module', '--eval', program], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL')); // also when it never ends by itself
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.stderr.destroy();
    expect(await ended).toBe(7);
  });
});
