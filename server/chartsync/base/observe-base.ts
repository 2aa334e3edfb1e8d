import { messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import type { BaseRelease } from '../model/declared';
import { releaseKey } from '../model/release';
import type { WorkingCopy } from '../ports';
import type { BaseDeps } from './base-deps';
import type { BaseCause, BaseObservation, BaseObstacle, ObservedBase } from './decide-base';

/** What one look at a release begins with. */
interface Observing {
  readonly cause: BaseCause;
  /** The copy of the repository that it is looked at with; undefined where a gate leaves it none. */
  readonly copy: WorkingCopy | undefined;
  /** The commit that this process last released to it. */
  readonly released: string | undefined;
}

/** Observes a release of the base kind: what keeps it from being looked at, else what Helm stores of it. */
export async function observeBase(resource: BaseRelease, { cause, copy, released }: Observing, deps: BaseDeps): Promise<BaseObservation> {
  const obstacle = await findObstacle(resource, deps);
  if (obstacle !== undefined) return { resource, obstacle };
  if (copy === undefined) return { resource, obstacle: { kind: 'gated' } };
  const newest = cause === 'commit' && released !== copy.revision ? 'not asked' : await readNewest(resource, cause, deps);
  return { resource, cause, copy, newest, isApprovalDue: isApprovalDue(resource, copy, deps) };
}

/** The release is another resource's, a person holds it, or its namespace is not granted. */
async function findObstacle(resource: BaseRelease, deps: BaseDeps): Promise<BaseObstacle | undefined> {
  const { refusalOf, isHeld, grants, gate, signal, log } = deps;
  const refusal = await refusalOf(resource);
  if (refusal !== undefined) {
    log.warn({ resource: resource.key, error: refusal }, 'Release belongs to another resource');
    return { kind: 'refused', error: refusal };
  }
  try {
    if (isHeld(resource)) return { kind: 'held', lostCommit: await gate.lostWhileHeld(resource, signal) };
    const ungranted = await grants.why(resource);
    return ungranted === undefined ? undefined : { kind: 'refused', error: ungranted };
  } catch (error) {
    return { kind: 'refused', error: messageOf(error) };
  }
}

async function readNewest({ release }: BaseRelease, cause: BaseCause, { helm, log }: BaseDeps): Promise<ObservedBase['newest']> {
  if (cause === 'approval') return helm.readNewest(release); // nothing is installed over what cannot be read
  return helm.readNewest(release).catch((error: unknown) => {
    log.debug({ release: releaseKey(release), error: messageOf(error) }, 'could not read the release');
    return 'unreadable' as const;
  });
}

function isApprovalDue(resource: BaseRelease, { revision }: WorkingCopy, { gate }: BaseDeps): boolean {
  const { status } = resource;
  // An older server told of no attempt by itself, but of failures.
  const attempted = readString(status, 'lastAttempt', 'revision') ?? readString(status, 'failure', 'revision');
  return gate.isGated(resource) && attempted !== revision && readString(status, 'lastAct', 'revision') !== revision;
}
