import type { ReleaseKindName } from '@/lib/contract/release-kind';
import type { Right } from '../act';
import { RESOURCES } from '../act';

/** What no resource declares is decided by whoever may write Helm's storage. */
export const uninstallRights = (namespace: string): readonly Right[] => [
  { verb: 'create', ...RESOURCES.releaseDecisions, namespace },
  { verb: 'update', group: '', resource: 'secrets', namespace },
];

/** The resource of a kind that declares releases. */
export const releasesOf = (kind: ReleaseKindName) => (kind === 'helmrelease' ? RESOURCES.laterReleases : RESOURCES.baseReleases);
