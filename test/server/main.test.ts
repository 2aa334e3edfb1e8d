import { execFile } from 'node:child_process';
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
