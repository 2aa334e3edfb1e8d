import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isNotFound } from '@/server/kube';
import { at, configMap, startQuiet } from '../cluster';

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'embedded-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const version = (object: { metadata: { resourceVersion?: string } }) => Number(object.metadata.resourceVersion);

describe('the data folder', () => {
  it('[cluster T2] objects survive a restart, and the version never goes back', async () => {
    const first = await startQuiet({ dataDir });
    const kept = await first.cluster.create(configMap('kept', { x: '1' }));
    const gone = await first.cluster.create(configMap('gone'));
    await first.cluster.delete(at('gone'));
    await first[Symbol.asyncDispose]();
    await using second = await startQuiet({ dataDir });
    expect(await second.cluster.get(at('kept'))).toEqual(kept);
    await expect(second.cluster.get(at('gone'))).rejects.toSatisfy(isNotFound);
    expect(version(await second.cluster.create(configMap('new')))).toBeGreaterThan(version(gone) + 1);
  });

  it('[cluster T2] the version of a last deletion is not given again after two restarts', async () => {
    const first = await startQuiet({ dataDir });
    const last = await first.cluster.create(configMap('gone'));
    await first.cluster.delete(at('gone'));
    await first[Symbol.asyncDispose]();
    await (await startQuiet({ dataDir }))[Symbol.asyncDispose]();
    await using third = await startQuiet({ dataDir });
    expect(version(await third.cluster.create(configMap('new')))).toBeGreaterThan(version(last) + 1);
  });

  it('[cluster T2] a torn write is detected, and what came before it holds', async () => {
    const first = await startQuiet({ dataDir });
    await first.cluster.create(configMap('whole'));
    await first[Symbol.asyncDispose]();
    const journal = path.join(dataDir, 'objects.journal');
    const whole = statSync(journal).size;
    appendFileSync(journal, readFileSync(journal, 'utf8').slice(0, 60).replace('whole', 'broken'));
    await using second = await startQuiet({ dataDir });
    expect((await second.cluster.get(at('whole'))).metadata.name).toBe('whole');
    expect(statSync(journal).size).toBeLessThanOrEqual(whole);
    await second.cluster.create(configMap('after'));
  });

  it('[cluster T2] a second cluster on the same folder is refused with a sentence', async () => {
    await using _first = await startQuiet({ dataDir });
    await expect(startQuiet({ dataDir })).rejects.toThrow(/is in use by process \d+; stop it, or give this one another --data-dir/);
  });

  it('[cluster T2] the lock of a process that is gone is taken over', async () => {
    const leave = (holder: object) =>
      writeFileSync(path.join(dataDir, 'lock'), JSON.stringify({ started: '1', nonce: 'theirs', ...holder }));
    const boot = existsSync('/proc/sys/kernel/random/boot_id') ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : '';
    leave({ pid: 999999999, boot });
    await (await startQuiet({ dataDir }))[Symbol.asyncDispose]();
    leave({ pid: process.pid, boot: 'another-boot' });
    await (await startQuiet({ dataDir }))[Symbol.asyncDispose]();
    expect(existsSync(path.join(dataDir, 'lock'))).toBe(false);
  });

  it('[issue 9.6] the folder and what it holds are there for their owner only, for Secrets lie in it as they are', async () => {
    const folder = path.join(dataDir, 'made');
    await using _embedded = await startQuiet({ dataDir: folder });
    const modes = ['.', 'objects.snapshot', 'objects.journal'].map((name) => (statSync(path.join(folder, name)).mode & 0o777).toString(8));
    expect(modes).toEqual(['700', '600', '600']);
  });

  it('[cluster H1] the kubeconfig is there for its owner only', async () => {
    await using embedded = await startQuiet({ dataDir });
    const { kubeconfig } = await embedded.serve();
    const file = path.join(dataDir, 'kubeconfig');
    expect(readFileSync(file, 'utf8')).toBe(kubeconfig);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
