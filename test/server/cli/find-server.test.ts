import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findServer } from '@/server/cli/find-server';
import { offerCommandAccess } from '@/server/command-access';

const ACCESS = { url: 'http://127.0.0.1:4100', token: 'secret' };

describe('finding the server that a command is for', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'slipway-find-'));
  });
  beforeEach(() => rm(path.join(dataDir, 'command.json'), { force: true }));
  afterAll(() => rm(dataDir, { recursive: true }));

  it('[design 8] finds the one that runs on this machine by its data folder, until that one ends', async () => {
    const access = await offerCommandAccess(dataDir, ACCESS);
    expect(await findServer({ dataDir })).toEqual(ACCESS);
    expect((await stat(path.join(dataDir, 'command.json'))).mode & 0o777).toBe(0o600);
    await access[Symbol.asyncDispose]();
    await expect(findServer({ dataDir })).rejects.toThrow('a token is required: give --token, or --data-dir');
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('[issue 9.6] makes the folder for its owner only', async () => {
    const made = path.join(dataDir, 'made');
    await using _access = await offerCommandAccess(made, ACCESS);
    expect((await stat(made)).mode & 0o777).toBe(0o700);
    await rm(made, { recursive: true });
  });

  it('[design 8] keeps nothing of a file that others could read', async () => {
    await writeFile(path.join(dataDir, 'command.json'), 'stale', { mode: 0o644 });
    await using _access = await offerCommandAccess(dataDir, ACCESS);
    expect((await stat(path.join(dataDir, 'command.json'))).mode & 0o777).toBe(0o600);
  });

  it('[design 8] sends a token that it found to no other address', async () => {
    await using _access = await offerCommandAccess(dataDir, ACCESS);
    expect(await findServer({ dataDir, url: `${ACCESS.url}/` })).toEqual(ACCESS);
    await expect(findServer({ dataDir, url: 'https://slipway.example.com' })).rejects.toThrow(
      'a token is required for https://slipway.example.com',
    );
  });

  it('[design 8] takes the token and address that are given before all else', async () => {
    await using _access = await offerCommandAccess(dataDir, ACCESS);
    expect(await findServer({ dataDir, token: 'mine' })).toEqual({ url: 'http://127.0.0.1:3000', token: 'mine' });
    expect(await findServer({ dataDir, token: 'mine', url: 'http://a' })).toEqual({ url: 'http://a', token: 'mine' });
  });

  it('[design 8] names a file that is none of a server', async () => {
    await writeFile(path.join(dataDir, 'command.json'), '{"url": 1}');
    await expect(findServer({ dataDir })).rejects.toThrow('command.json was not written by a Slipway server');
  });
});
