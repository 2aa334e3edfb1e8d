import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { prepare, startSimulator } from './ground';

/** What the benchmark is told of the cluster of releases, which is a process of its own: its computing is not chart sync's. */
export interface Serving {
  readonly kubeconfig: string;
}

async function serve(): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'slipway-bench-'));
  const simulator = await startSimulator({ dataDir: folder });
  await prepare(simulator.cluster, []);
  await simulator.serve();
  const serving: Serving = { kubeconfig: path.join(folder, 'kubeconfig') };
  process.send?.(serving);
  process.on('disconnect', async () => {
    await simulator[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
    process.exit();
  });
}

await serve();
