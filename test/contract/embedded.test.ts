import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EmbeddedCluster } from '@/server/embedded';
import { startEmbedded } from '@/server/embedded';
import { createRandom } from '@/server/platform';
import { createQuickClock } from '@/test/support/quick-clock';
import { until } from '@/test/support/until';
import { createSeededIds } from '../support/seeded-ids';
import { silentLog } from '../support/silent-log';
import { defineContract } from './contract';
import { connectReal } from './real-subject';
import type { Subject } from './scene';

/** Controllers that look every 15 s look every 3 s here. */
const LIMIT_MS = 90_000;

function start(): Promise<EmbeddedCluster> {
  const random = createRandom(11);
  return startEmbedded({ clock: createQuickClock(5), random, ids: createSeededIds(random), log: silentLog, nodes: 3 });
}

defineContract('the embedded cluster, in process', async (): Promise<Subject> => {
  const embedded = await start();
  return {
    cluster: embedded.cluster,
    until: (what, holds) => until(what, holds, LIMIT_MS),
    [Symbol.asyncDispose]: () => embedded[Symbol.asyncDispose](),
  };
});

defineContract('the embedded cluster, over HTTP', async (): Promise<Subject> => {
  const embedded = await start();
  const { kubeconfig } = await embedded.serve();
  const folder = await mkdtemp(path.join(tmpdir(), 'embedded-'));
  const file = path.join(folder, 'kubeconfig');
  await writeFile(file, kubeconfig, { mode: 0o600 });
  const remote = connectReal(file);
  return {
    ...remote,
    async [Symbol.asyncDispose]() {
      await remote[Symbol.asyncDispose]();
      await embedded[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
});
