import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { SETTINGS } from '@/server/platform/config/config';

const SLOW_MS = 60_000;

it(
  'prints every option with its meaning and ends well where it is asked for help',
  async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'server/main.ts', '--port', '0', '--help']);
    expect(stderr).toBe('');
    for (const setting of Object.values(SETTINGS)) {
      if ('flag' in setting) expect(stdout).toContain(`\n  --${setting.flag} VALUE, ${setting.env.join(', ')}\n`);
    }
    expect(stdout).toContain('\n  DATABASE_URL\n');
    expect(stdout).toContain('\n      Port to listen on, 0 for any free one. Default: 3000.\n');
    expect(stdout).not.toMatch(/`|\]\(|.{107}/);
  },
  SLOW_MS,
);

it(
  'ends well where nobody reads what it prints',
  async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'server/main.ts', '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (text: Buffer) => {
      stderr += text.toString();
    });
    child.stdout.destroy();
    const [code] = await once(child, 'close');
    expect([code, stderr]).toEqual([0, '']);
  },
  SLOW_MS,
);
