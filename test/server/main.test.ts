import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SETTINGS } from '@/server/platform/config/config';
import { bundle } from '../../scripts/build.mjs';

const SLOW_MS = 60_000;

let folder = '';
const main = () => path.join(folder, 'main.mjs');

// One file starts in a sixth of the time that its sources take.
beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'slipway-main-'));
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  await bundle(['server/main.ts'], folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it(
  'prints every option with its meaning and ends well where it is asked for help',
  async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main(), '--port', '0', '--help']);
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
    const child = spawn(process.execPath, [main(), '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
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

/** What the last line says of a server that does not start, and how it ends. */
async function failureOf(...args: readonly string[]): Promise<readonly unknown[]> {
  const child = spawn(process.execPath, [main(), '--log-level', 'silent', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (text: Buffer) => {
    stderr += text.toString();
  });
  const [code] = await once(child, 'close');
  return [code, stderr];
}

it(
  '[design 13] says in one sentence why the data folder cannot be used',
  async () => {
    const file = path.join(folder, 'taken');
    writeFileSync(file, '');
    const why = `the data folder cannot be used: ${file}/data is not a folder, or is inside a file; give this server another --data-dir`;
    expect(await failureOf('--data-dir', path.join(file, 'data'))).toEqual([1, `slipway: ${why}\n`]);
  },
  SLOW_MS,
);

it(
  '[design 13] says in one sentence which port of the embedded cluster is in use',
  async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = other.address() as AddressInfo; // it listens on an address
      const why = `port ${port} of 127.0.0.1 is in use by another program; give the embedded cluster another --cluster-port`;
      expect(await failureOf('--data-dir', path.join(folder, 'data'), '--cluster-port', `${port}`)).toEqual([1, `slipway: ${why}\n`]);
    } finally {
      other.close();
    }
  },
  SLOW_MS,
);
