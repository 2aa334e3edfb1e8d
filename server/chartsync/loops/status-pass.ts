import { messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import type { Log } from '@/server/platform';
import type { DeclaredRelease } from '../model/declared';
import { releaseKey } from '../model/release';
import type { HelmPort, ResourcePort } from '../ports';
import { releaseStatusWord } from './decide';

interface StatusPassDeps {
  readonly listAll: (signal: AbortSignal) => Promise<readonly DeclaredRelease[]>;
  readonly resources: Pick<ResourcePort, 'writeStatus'>;
  readonly helm: Pick<HelmPort, 'readStatus'>;
  readonly log: Log;
}

/** Writes what Helm stores of every release to its resource, where that differs (R-ST-1, R-ST-2). A failed list skips this round only (R-ST-4). */
export async function runStatusPass({ listAll, resources, helm, log }: StatusPassDeps, signal: AbortSignal): Promise<void> {
  try {
    for (const resource of await listAll(signal)) {
      if (signal.aborted) return;
      // A release that is absent, or cannot be read, leaves the status as it was (R-ST-3).
      const stored = await helm.readStatus(resource.release).catch((error: unknown) => {
        log.debug({ release: releaseKey(resource.release), error: messageOf(error) }, 'could not read the state of the release');
        return undefined;
      });
      if (stored === undefined) continue;
      const releaseStatus = releaseStatusWord(resource.profile, stored);
      if (readString(resource.status, 'releaseStatus') === releaseStatus) continue;
      await resources
        .writeStatus(resource.at, { releaseStatus })
        .catch((error: unknown) => log.warn({ resource: resource.key, error: messageOf(error) }, 'could not write the status'));
    }
  } catch (error) {
    log.warn({ error: messageOf(error) }, 'could not list the resources, the status is written next time');
  }
}
