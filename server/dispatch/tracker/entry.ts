import { holdsSecret } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { isSecret } from '../apply/last-applied';
import { LABEL } from '../labels';
import type { TrackerEntry } from './record';

/** How an object is recorded. */
export interface EntryOptions {
  /** It is not to be deleted, whatever becomes of the application. */
  readonly skipGC?: boolean;
  /** Without its manifest. */
  readonly bare?: boolean;
}

/** The line of a record for an object as the server has it, with the manifest it was applied from. */
export function toEntry(object: KubeObject, manifest: KubeObject, { skipGC = false, bare = false }: EntryOptions = {}): TrackerEntry {
  const { name = '', namespace, uid } = object.metadata;
  const trait = manifest.metadata.labels?.[LABEL.traitType];
  return {
    apiVersion: manifest.apiVersion,
    kind: manifest.kind,
    name,
    ...(namespace ? { namespace } : {}),
    ...(uid ? { uid } : {}),
    cluster: 'local',
    component: manifest.metadata.labels?.[LABEL.component] ?? '',
    ...(trait ? { trait } : {}),
    // An application in an application may hold the manifest of a Secret; trackers are read by people who may not read that.
    ...(bare || isSecret(manifest) || holdsSecret(manifest) ? {} : { raw: manifest }),
    deleted: false,
    skipGC,
  };
}
