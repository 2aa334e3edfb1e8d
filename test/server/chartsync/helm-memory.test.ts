import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Decoder } from '@/server/chartsync/helm/decoder';
import { HelmBinary } from '@/server/chartsync/helm/helm-binary';
import type { HelmStorage } from '@/server/chartsync/helm/storage';
import { Turns } from '@/server/chartsync/process/turns';
import { realClock } from '@/server/platform';
import { temporaryFolder } from '../../support/temporary-folder';

describe('a Helm that holds too much memory', () => {
  it('[issue 12, 5] is ended, has been told its limit before, and the release that it leaves is named', async () => {
    const folder = temporaryFolder();
    const command = path.join(folder, 'helm');
    const hold = `console.error(process.env.GOMEMLIMIT); globalThis.held = Buffer.alloc(200 * 1048576, 1); setTimeout(() => {}, 30000)`;
    writeFileSync(command, `#!/bin/sh\nexec ${process.execPath} -e '${hold}'\n`);
    chmodSync(command, 0o755);
    const history = [
      { revision: 1, status: 'deployed' },
      { revision: 2, status: 'pending-rollback' },
    ];
    const helm = new HelmBinary({
      found: { kind: 'found', command, version: 'v4.3.1', major: 4 },
      storage: { readHistory: async () => history } as unknown as HelmStorage, // no more of it is asked for
      decoder: new Decoder(),
      folder,
      kubeconfigFor: async () => '/nonexistent',
      turns: new Turns(1),
      maxMemory: 150 * 1024 * 1024,
      dependencies: { build: async (chart) => chart },
      signal: new AbortController().signal,
      clock: realClock,
    });
    const release = { namespace: 'pay', name: 'books' };
    const policy = { enable: true, retry: false, maxRetries: 5, force: false, disableHooks: false, timeoutSeconds: 60, wait: false };
    await expect(helm.rollback({ release, onBehalfOf: 'pay' }, 1, policy)).rejects.toThrow(
      'helm rollback: it took more than 150 MiB of memory and was ended (--helm-memory); release books is left pending-rollback at revision 2',
    );
  });
});
