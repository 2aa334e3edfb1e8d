import { messageOf } from '@/lib/contract/app-error';
import type { Clock, Log } from '@/server/platform';
import type { HelmBinary } from '../helm/helm-binary';
import type { HelmStorage } from '../helm/storage';
import type { ChartSync } from '../loops/chart-sync';
import type { DeclaredRelease } from '../model/declared';
import type { ReleaseRef } from '../model/release';
import { releaseKey } from '../model/release';
import type { OrphanedProcessGroup } from '../process/orphaned-processes';
import { endGroup, findOrphanedProcesses } from '../process/orphaned-processes';

interface RecoveryInput {
  /** Where chart sync keeps what is its own. */
  readonly folder: string;
  readonly helm: Pick<HelmBinary, 'adopt' | 'takeLogs'>;
  readonly sync: Pick<ChartSync, 'alone'>;
  readonly storage: Pick<HelmStorage, 'readStates' | 'readHistory'>;
  readonly declared: readonly DeclaredRelease[];
  readonly clock: Clock;
  readonly log: Log;
}

const GIT_GRACE_MS = 5000;

/**
 * What comes before the first act of a session.
 *
 * 1. A git that a killed server left running is ended: two must not write to one mirror.
 * 2. A Helm that it left running is let finish: nothing else is done to its release before, the others do not wait.
 * 3. What a Helm logged that has ended since is told as its log.
 * 4. What Helm's storage has pending is told with its evidence.
 */
export async function recoverFromCrash({ folder, helm, sync, storage, declared, clock, log }: RecoveryInput): Promise<void> {
  const left = await findOrphanedProcesses({ folder, own: process.pid });
  await Promise.all(left.filter(({ work }) => work === undefined).map(({ group }) => endGroup(group, { clock, graceMs: GIT_GRACE_MS })));
  const adopted = new Set<string>();
  for (const one of left) {
    if (one.work === undefined) continue;
    const { namespace, name, command } = one.work;
    const release = { namespace, name };
    adopted.add(releaseKey(release));
    log.warn(
      { release: releaseKey(release), command, group: one.group },
      'a Helm process of an earlier server is still running; its release waits for it',
    );
    void adopt(one, release, { helm, sync, log });
  }
  await helm.takeLogs(adopted);
  const releases = new Map(declared.map(({ release }) => [releaseKey(release), release]));
  for (const { release, ...pending } of await readPending([...releases.values()], storage, log)) {
    const key = releaseKey(release);
    log.warn({ release: key, ...pending, helm: adopted.has(key) ? 'at work' : 'not at work on this machine' }, 'release is pending');
  }
}

async function adopt(
  left: OrphanedProcessGroup,
  release: ReleaseRef,
  { helm, sync, log }: Pick<RecoveryInput, 'helm' | 'sync' | 'log'>,
): Promise<void> {
  try {
    await sync.alone({ release }, () => helm.adopt(release, left));
    log.info({ release: releaseKey(release) }, 'Helm of an earlier server has ended');
  } catch (error) {
    log.warn({ release: releaseKey(release), error: messageOf(error) }, 'Helm of an earlier server could not be waited for');
  }
}

interface Pending {
  readonly release: ReleaseRef;
  readonly stored: string;
  readonly revision: number | undefined;
  readonly since: string | undefined;
}

/** One question per namespace; what cannot be read is told by the look at it. */
async function readPending(releases: readonly ReleaseRef[], storage: RecoveryInput['storage'], log: Log): Promise<readonly Pending[]> {
  const found: Pending[] = [];
  for (const namespace of new Set(releases.map((release) => release.namespace))) {
    try {
      const states = await storage.readStates(namespace);
      for (const release of releases) {
        const stored = states.get(release.name);
        if (release.namespace !== namespace || !stored?.startsWith('pending')) continue;
        const newest = (await storage.readHistory(release)).at(-1);
        found.push({ release, stored, revision: newest?.revision, since: newest?.storedAt });
      }
    } catch (error) {
      log.warn({ namespace, error: messageOf(error) }, 'could not read which releases are pending');
    }
  }
  return found;
}
