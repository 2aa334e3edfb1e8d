import type { ReleaseState } from '@/lib/contract/release-state';
import { readString } from '@/lib/kube/fields';
import { HELM_FINALIZER } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { ReleaseMessage } from '@/lib/words/release-message';
import { decideDeletion } from '../base/decide-base';
import { awaitsUninstall, readDeclared } from '../model/declared';
import { HELM_STATUSES } from '../model/release';
import type { ReleaseObservation } from './description';
import { queuedMessage } from './helm-progress';

/** Why Helm would not uninstall a release when its resource is deleted, so that its objects would stay; null where it would, or has nothing to. */
export function notUninstalledReason(object: KubeObject): string | null {
  const resource = readDeclared(object);
  const word = readString(resource.status, 'releaseStatus')?.toLowerCase().replaceAll('_', '-');
  const stored = HELM_STATUSES.find((known) => known === word);
  if (resource.profile === 'extended' || stored === undefined) return null; // that kind is uninstalled in whatever state it is (X-DEL-1)
  const decision = decideDeletion(resource.release.name, stored);
  return decision.kind === 'refuse' ? decision.sentence : null;
}

/** How a release stands whose resource is deleted and waits for the uninstall; undefined where it is not. */
export function passOutcomeOf(
  seen: ReleaseObservation,
  failure: string | undefined,
  waits: ReleaseMessage | null,
): readonly [ReleaseState, ReleaseMessage] | undefined {
  const { resource, work } = seen;
  if (!awaitsUninstall(resource)) return undefined;
  if (failure !== undefined) return ['failed', { id: 'state.uninstall-failed', why: failure, finalizer: HELM_FINALIZER }];
  const runs = work?.command === 'uninstall' && work.until === null;
  const turn = waits === null ? queuedMessage(seen) : undefined;
  return [
    'changing',
    turn ?? (waits === null && runs ? { id: 'state.uninstalling' } : { id: 'state.uninstall-waits', finalizer: HELM_FINALIZER }),
  ];
}
