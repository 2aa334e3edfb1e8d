import { formatList } from '../figures';

/** The resources whose `list` right it takes to see the rows of a list, by group; a test ties them to what the server asks for. */
export const LISTED_RESOURCES = {
  applications: { 'core.oam.dev': ['applications'] },
  rollouts: { 'serving.knative.dev': ['rolloutorchestrators'] },
  trackers: { 'core.oam.dev': ['resourcetrackers'] },
  releases: {
    'helm.integrations.flux.weave.works': ['fluxhelmreleases'],
    'helm.fluxcd.io': ['helmreleases'],
    'flux.weave.works': ['helmreleases'],
  },
  'slipway-releases': { 'helm.integrations.flux.weave.works': ['fluxhelmreleases'], 'helm.fluxcd.io': ['helmreleases'] },
  'older-releases': { 'flux.weave.works': ['helmreleases'] },
  'flux-releases': { 'helm.toolkit.fluxcd.io': ['helmreleases'] },
  sources: { 'source.toolkit.fluxcd.io': ['gitrepositories', 'helmrepositories', 'ocirepositories', 'helmcharts'] },
} as const satisfies Record<string, Readonly<Record<string, readonly string[]>>>;

export type Listed = keyof typeof LISTED_RESOURCES;

/** Those of a list as a sentence names them: `applications.core.oam.dev`. */
export function nameListed(list: Listed): string {
  return formatList(Object.entries(LISTED_RESOURCES[list]).map(([group, resources]) => `${formatList(resources)}.${group}`));
}
