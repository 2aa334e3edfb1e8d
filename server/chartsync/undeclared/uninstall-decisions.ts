import { DECISION_PHASES } from '@/lib/contract/stage-decision';
import type { UndeclaredReleases } from '@/lib/contract/undeclared-releases';
import { readString } from '@/lib/kube/fields';
import type { Store } from '@/server/kube';
import type { NewestRevision } from '../helm/storage';
import { releaseKey } from '../model/release';
import { readUninstall } from './uninstalls';

const BY_STORED = 'uninstalls';

/** Declares how decisions to uninstall are found by the release that they are about. */
export function indexUninstalls(decisions: Store): void {
  decisions.addIndex(BY_STORED, (object) => {
    const uninstall = readUninstall(object);
    return uninstall === undefined ? [] : [releaseKey(uninstall.release)];
  });
}

/** The newest decision to uninstall a release, as it is told; null where there is none since its newest revision was stored. */
export function uninstallOf(
  decisions: Store,
  { release, entry }: Pick<NewestRevision, 'release' | 'entry'>,
): UndeclaredReleases['releases'][number]['uninstall'] {
  const made = (one: { readonly metadata: { readonly creationTimestamp?: string } }) => one.metadata.creationTimestamp ?? '';
  const about = decisions.byIndex(BY_STORED, releaseKey(release)).filter((one) => made(one) >= (entry.storedAt ?? ''));
  const newest = [...about].sort((a, b) => (made(a) < made(b) ? -1 : 1)).at(-1);
  const uninstall = newest && readUninstall(newest);
  if (newest === undefined || uninstall === undefined) return null;
  const phase = DECISION_PHASES.find((known) => known === readString(newest, 'status', 'phase')) ?? 'Pending';
  return {
    user: uninstall.spec.actor.user,
    phase,
    message: readString(newest, 'status', 'message') ?? '',
    at: readString(newest, 'status', 'at') ?? made(newest),
    isOver: phase === 'Accepted' ? readString(newest, 'status', 'finishedAt') !== undefined : phase !== 'Pending',
  };
}
