import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { signIn } from '../support/api-person';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { until } from '../support/until';

const LIMIT_MS = 60_000;
const CRATES = 300;

const QUIET = ['--demonstration', 'off'] as const;

/** Names of crates that are on disk, in whatever file the embedded cluster keeps them, `null` lines of deletions aside. */
function cratesOnDisk({ dataDir }: ServerProcess): number {
  const folder = path.join(dataDir, 'cluster');
  const files = readdirSync(folder).filter((name) => name.startsWith('objects.'));
  return new Set(files.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').match(/"k":"default\/crate-\d+","o":\{/g) ?? []))
    .size;
}

async function applyCrates(server: ServerProcess): Promise<void> {
  const operator = await signIn(server, server.address);
  const objects = Array.from({ length: CRATES }, (_, at) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `crate-${at}` },
    data: { at: `${at}` },
  }));
  const components = [{ name: 'crates', type: 'k8s-objects', properties: { objects } }];
  const manifest = JSON.stringify({ ...KINDS.application, metadata: { name: 'depot', namespace: 'default' }, spec: { components } });
  const { status, text } = await operator.post('/api/v1/applications', { manifest });
  expect(status, text).toBe(202);
}

describe('the life of the process', () => {
  it('[framework L9] is ready once its stores are listed and its engines run, and says until then what is missing', async () => {
    await using server = await startServerProcess(QUIET);
    const seen = new Set<string>();
    await until(
      'the server is ready',
      async () => {
        const answer = await fetch(`${server.origin}/readyz`);
        const text = await answer.text();
        for (const missing of answer.status === 503 ? text.trim().split('\n') : []) seen.add(missing);
        return answer.status === 200;
      },
      LIMIT_MS,
    );
    expect(['store', 'views', 'engines']).toEqual(expect.arrayContaining([...seen]));
    const operator = await signIn(server, server.address);
    const engine = await operator.row<{ watches: readonly { state: string; kind: string }[] }>('engine');
    expect(engine?.watches.filter(({ state }) => state === 'listing')).toEqual([]);
    expect(engine?.watches.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['Application', 'ResourceTracker', 'RolloutOrchestrator']),
    );
  });

  it('[framework L9] the first signal lets the pass under way end, then the process; the next start finds nothing half done', async () => {
    await using server = await startServerProcess(QUIET);
    await applyCrates(server);
    await until('the dispatch is under way', () => cratesOnDisk(server) > 0, LIMIT_MS);
    const ended = server.ended();
    process.kill(server.pid, 'SIGTERM');
    expect(await ended).toBe(0);
    expect(server.stderr()).not.toContain('did not end cleanly');
    expect(cratesOnDisk(server)).toBe(CRATES);
    await expect(fetch(`${server.origin}/healthz`)).rejects.toThrow();
    await server.restart();
    const operator = await signIn(server, server.address);
    const message = async () => (await operator.row<{ message: string }>('application/default/depot'))?.message ?? '';
    await expect.poll(message, { timeout: LIMIT_MS }).toMatch(/^everything is ready/i);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    '[framework L9] a second signal, %s after another, ends it at once and says so by its code',
    async (second) => {
      await using server = await startServerProcess(QUIET);
      const ended = server.ended();
      // Stopped meanwhile, so that both have come before it acts on either, however slow the machine is.
      process.kill(server.pid, 'SIGSTOP');
      process.kill(server.pid, second === 'SIGTERM' ? 'SIGINT' : 'SIGTERM');
      process.kill(server.pid, second);
      process.kill(server.pid, 'SIGCONT');
      expect(await ended).toBe(1);
    },
  );
});
