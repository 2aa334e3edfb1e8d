import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Opens the rules and ends them, in a process that does nothing else: what nothing waits for lets it end before it was there. */
const PROGRAM = `
  import { realClock } from '@/server/platform';
  import { StatusRules } from '@/server/status';
  const rules = await StatusRules.open({ healthLua: process.argv[1] }, realClock);
  console.log('open');
  await rules[Symbol.asyncDispose]();
`;

describe('a server that starts with health checks in Lua', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slipway-lua-'));
    await mkdir(path.join(folder, 'example.com/Widget'), { recursive: true });
    await writeFile(path.join(folder, 'example.com/Widget/health.lua'), "return { status = 'Healthy' }");
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('[issue 9, 2] looks at them before anything else keeps the process alive, and ends', async () => {
    const args = ['--import', 'tsx', '--input-type=module', '-e', PROGRAM, folder];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
    expect(stdout).toBe('open\n');
  }, 60_000);
});
