import type { ReleaseKindName } from '@/lib/contract/release-kind';
import type { Right } from '../act';
import { RESOURCES } from '../act';

/** What no resource declares is decided by whoever may write Helm's storage. */
export const uninstallRights = (namespace: string): readonly Right[] => [
  { verb: 'create', ...RESOURCES.releaseDecisions, namespace },
  { verb: 'update', group: '', resource: 'secrets', namespace },
];

/** The resource of each kind that declares releases. */
const OF_KIND = {
  fluxhelmrelease: RESOURCES.baseReleases,
  helmrelease: RESOURCES.laterReleases,
  'helmrelease-v1beta1': RESOURCES.olderReleases,
} as const satisfies Readonly<Record<ReleaseKindName, unknown>>;

export const releasesOf = (kind: ReleaseKindName) => OF_KIND[kind];

/** The rights to list all of them. */
export const LISTED_RELEASES: readonly Right[] = Object.values(OF_KIND).map((resource) => ({ verb: 'list', ...resource }));
