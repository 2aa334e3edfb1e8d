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

/** By which somebody sees the table of releases: as before the older kind came to it, so that no role gives less than it did. */
export const LISTED_RELEASES: readonly Right[] = [RESOURCES.baseReleases, RESOURCES.laterReleases].map((of) => ({ verb: 'list', ...of }));

/** The right by which they see those of the older kind in it. */
export const LISTED_OLDER_RELEASES: Right = { verb: 'list', ...RESOURCES.olderReleases };
