import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { decideDeletion } from '../loops/decide';
import { readDeclared } from '../model/declared';
import { HELM_STATUSES } from '../model/release';

/** Why Helm would not uninstall a release when its resource is deleted, so that its objects would stay; null where it would, or has nothing to. */
export function notUninstalledReason(object: KubeObject): string | null {
  const resource = readDeclared(object);
  const word = readString(resource.status, 'releaseStatus')?.toLowerCase().replaceAll('_', '-');
  const stored = HELM_STATUSES.find((known) => known === word);
  if (resource.profile === 'extended' || stored === undefined) return null; // that kind is uninstalled in whatever state it is (X-DEL-1)
  const decision = decideDeletion(resource.release.name, stored);
  return decision.kind === 'refuse' ? decision.sentence : null;
}
