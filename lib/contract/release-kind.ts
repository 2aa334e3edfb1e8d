/** The kinds of resources that declare releases, as they stand in addresses. */
export const RELEASE_KIND_NAMES = ['fluxhelmrelease', 'helmrelease'] as const;
export type ReleaseKindName = (typeof RELEASE_KIND_NAMES)[number];
