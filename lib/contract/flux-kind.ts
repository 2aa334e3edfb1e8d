/** The kind of Flux that declares releases, as it stands in addresses; that of helm-operator has the name without a version. */
export const FLUX_RELEASE = 'helmrelease-v2';

/** The kinds that Flux gets charts from. */
export const FLUX_SOURCE_NAMES = ['gitrepository', 'helmrepository', 'ocirepository', 'helmchart'] as const;
export type FluxSourceName = (typeof FLUX_SOURCE_NAMES)[number];

/** The kinds of Flux that are shown, as they stand in addresses. */
export const FLUX_KIND_NAMES = [FLUX_RELEASE, ...FLUX_SOURCE_NAMES] as const;
export type FluxKindName = (typeof FLUX_KIND_NAMES)[number];

/** What a person may ask of Flux about one of its objects. */
export const FLUX_VERBS = ['reconcile', 'force', 'reset', 'suspend', 'resume'] as const;
export type FluxVerb = (typeof FLUX_VERBS)[number];
