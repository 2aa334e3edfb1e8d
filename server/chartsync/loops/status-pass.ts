import { messageOf } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { readString } from '@/lib/kube/fields';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import type { Clock, Log } from '@/server/platform';
import { releaseStatusWord } from '../base/decide-base';
import type { MirrorView } from '../git/mirror-state';
import type { DeclaredRelease } from '../model/declared';
import type { HelmStatus } from '../model/release';
import type { HelmPort, ResourceEvent, ResourcePort } from '../ports';

interface StatusPassDeps {
  readonly listAll: (signal: AbortSignal) => Promise<readonly DeclaredRelease[]>;
  readonly resources: Pick<ResourcePort, 'writeStatus' | 'recordEvent'>;
  readonly helm: Pick<HelmPort, 'readStates'>;
  /** Of the repository that a resource takes its chart from; undefined where this process does not copy it yet. */
  readonly mirrorLookOf?: ((resource: DeclaredRelease) => MirrorView | undefined) | undefined;
  /** Why the newest commit that a mirror has could not be taken; undefined where it was. */
  readonly notTaken?: ((resource: DeclaredRelease) => string | undefined) | undefined;
  /** Hears when a repository that cannot be fetched is tried again; undefined where it can be, or is being tried. */
  readonly noteNextFetch?: ((resource: DeclaredRelease, next: Instant | undefined) => void) | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/**
 * Writes what Helm stores of every release to its resource, where that differs (R-ST-1, R-ST-2), and why its repository cannot be fetched, which
 * only this process knows. A failed list skips this round only (R-ST-4).
 */
export async function runStatusPass(deps: StatusPassDeps, signal: AbortSignal): Promise<void> {
  const { listAll, resources, helm, mirrorLookOf, notTaken, noteNextFetch, clock, log } = deps;
  try {
    const states = new Map<string, ReadonlyMap<string, HelmStatus>>();
    for (const resource of await listAll(signal)) {
      if (signal.aborted) return;
      const { namespace, name } = resource.release;
      const mirror = mirrorLookOf?.(resource);
      const left = notTaken?.(resource);
      const isBehind = mirror !== undefined && (mirror.failures > 0 || left !== undefined);
      noteNextFetch?.(resource, isBehind ? (mirror.nextAt ?? undefined) : undefined);
      const known = states.get(namespace) ?? (await readStates(namespace, { helm, log }));
      states.set(namespace, known);
      const stored = known.get(name);
      // Absent or unreadable: what was written stays as it was (R-ST-3).
      const releaseStatus = stored === undefined ? undefined : releaseStatusWord(resource.profile, stored);
      const isStored = releaseStatus === undefined || readString(resource.status, 'releaseStatus') === releaseStatus;
      const repository = repositoryOf(resource, unfetchedReason(mirror, left), clock);
      await write(resource, isStored ? {} : { releaseStatus }, { repository, resources, log });
    }
  } catch (error) {
    log.warn({ error: messageOf(error) }, 'could not list the resources, the status is written next time');
  }
}

interface Writing extends Pick<StatusPassDeps, 'resources' | 'log'> {
  readonly repository: Fields;
}

/** Writes what has changed; a resource that cannot be written keeps no other from it. */
async function write(resource: DeclaredRelease, state: Fields, { repository, resources, log }: Writing): Promise<void> {
  const changes = { ...state, ...repository };
  if (Object.keys(changes).length === 0) return;
  try {
    await resources.writeStatus(resource.at, changes);
    const event = eventOf(resource, repository);
    if (event !== undefined) await resources.recordEvent(resource.at, event);
  } catch (error) {
    log.warn({ resource: resource.key, error: messageOf(error) }, 'could not write the status');
  }
}

/** Why a mirror cannot be fetched, or what it fetched could not be taken; null where neither is so, and undefined while this process has not tried: another one may have. */
function unfetchedReason(mirror: MirrorView | undefined, left: string | undefined): string | null | undefined {
  if (mirror === undefined) return undefined;
  if (mirror.state === 'ready' || mirror.state === 'unconfigured') return left ?? null;
  return mirror.failures > 0 ? (mirror.why ?? '') : undefined;
}

/** What changes of what a resource tells about its repository. */
function repositoryOf({ status }: DeclaredRelease, unfetched: string | null | undefined, clock: Pick<Clock, 'now'>): Fields {
  const told = readString(status, 'unfetched', 'message') ?? null;
  if (unfetched === undefined || told === unfetched) return {};
  if (unfetched === null) return { unfetched };
  return { unfetched: { since: readString(status, 'unfetched', 'since') ?? toKubeTime(clock.now()), message: unfetched } };
}

/** What is told when the outage of a repository begins and when it is over; that it goes on for another reason stands in the status. */
function eventOf({ status }: DeclaredRelease, { unfetched }: Fields): ResourceEvent | undefined {
  if (unfetched === null) return { type: 'Normal', reason: 'Fetched', message: 'the chart repository is fetched again' };
  if (unfetched === undefined || readString(status, 'unfetched', 'message') !== undefined) return undefined;
  return {
    type: 'Warning',
    reason: 'FetchFailed',
    message: `the chart repository cannot be fetched: ${readString(unfetched, 'message') ?? ''}`,
  };
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
