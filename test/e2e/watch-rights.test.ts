import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startEmbedded } from '@/server/embedded';
import { installMissing, readManifests } from '@/server/installation';
import { createRandom, realClock, systemIds } from '@/server/platform';
import { defineWatchRights } from '../support/define-watch-rights';
import { silentLog } from '../support/silent-log';

defineWatchRights('through a proxy to the embedded cluster', async () => {
  const embedded = await startEmbedded({ clock: realClock, random: createRandom(3), ids: systemIds, log: silentLog });
  const roles = await readManifests('deploy/rbac/people.yaml');
  await installMissing(roles, { cluster: embedded.cluster, clock: realClock, log: silentLog });
  const folder = await mkdtemp(path.join(os.tmpdir(), 'watch-rights-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  await writeFile(kubeconfig, (await embedded.serve()).kubeconfig, { mode: 0o600 });
  return {
    options: { namespace: 'rights', kubeconfig, admin: kubeconfig },
    takeAway:
      ({ proxy }) =>
      async (right) => {
        const give = proxy.refuse(right, right.verb === 'watch' ? 405 : 403);
        return async () => give();
      },
    async [Symbol.asyncDispose]() {
      await embedded[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
});
