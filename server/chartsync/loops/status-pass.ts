import { messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import type { Log } from '@/server/platform';
import type { DeclaredRelease } from '../model/declared';
import type { HelmStatus } from '../model/release';
import type { HelmPort, ResourcePort } from '../ports';
import { releaseStatusWord } from './decide';

interface StatusPassDeps {
  readonly listAll: (signal: AbortSignal) => Promise<readonly DeclaredRelease[]>;
  readonly resources: Pick<ResourcePort, 'writeStatus'>;
  readonly helm: Pick<HelmPort, 'readStates'>;
  readonly log: Log;
}

/** Writes what Helm stores of every release to its resource, where that differs (R-ST-1, R-ST-2). A failed list skips this round only (R-ST-4). */
export async function runStatusPass({ listAll, resources, helm, log }: StatusPassDeps, signal: AbortSignal): Promise<void> {
  try {
    const states = new Map<string, ReadonlyMap<string, HelmStatus>>();
    for (const resource of await listAll(signal)) {
      if (signal.aborted) return;
      const { namespace, name } = resource.release;
      const known = states.get(namespace) ?? (await readStates(namespace, { helm, log }));
      states.set(namespace, known);
      const stored = known.get(name);
      if (stored === undefined) continue; // absent or unreadable: the status stays as it was (R-ST-3)
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

/** One question per namespace, however many releases it has. */
async function readStates(
  namespace: string,
  { helm, log }: Pick<StatusPassDeps, 'helm' | 'log'>,
): Promise<ReadonlyMap<string, HelmStatus>> {
  return helm.readStates(namespace).catch((error: unknown) => {
    log.debug({ namespace, error: messageOf(error) }, 'could not read the states of releases');
    return new Map();
  });
}
