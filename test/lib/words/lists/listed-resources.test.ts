import { expect, it } from 'vitest';
import { FLUX_SOURCE_NAMES } from '@/lib/contract/flux-kind';
import type { Listed } from '@/lib/words/lists/listed-resources';
import { LISTED_RESOURCES, nameListed } from '@/lib/words/lists/listed-resources';
import { FLUX_RESOURCES, RESOURCES } from '@/server/auth/act';

type Resource = { readonly group: string; readonly resource: string };

it.each<[Listed, readonly Resource[], string]>([
  ['applications', [RESOURCES.applications], 'applications.core.oam.dev'],
  ['rollouts', [RESOURCES.rollouts], 'rolloutorchestrators.serving.knative.dev'],
  ['trackers', [RESOURCES.trackers], 'resourcetrackers.core.oam.dev'],
  [
    'releases',
    [RESOURCES.baseReleases, RESOURCES.laterReleases, RESOURCES.olderReleases],
    'fluxhelmreleases.helm.integrations.flux.weave.works, helmreleases.helm.fluxcd.io and helmreleases.flux.weave.works',
  ],
  [
    'slipway-releases',
    [RESOURCES.baseReleases, RESOURCES.laterReleases],
    'fluxhelmreleases.helm.integrations.flux.weave.works and helmreleases.helm.fluxcd.io',
  ],
  ['older-releases', [RESOURCES.olderReleases], 'helmreleases.flux.weave.works'],
  ['flux-releases', [FLUX_RESOURCES['helmrelease-v2']], 'helmreleases.helm.toolkit.fluxcd.io'],
  [
    'sources',
    FLUX_SOURCE_NAMES.map((name) => FLUX_RESOURCES[name]),
    'gitrepositories, helmrepositories, ocirepositories and helmcharts.source.toolkit.fluxcd.io',
  ],
])('[issue 14] the screen of %s names those resources whose "list" right the server asks for', (list, asked, said) => {
  const named = Object.entries(LISTED_RESOURCES[list]).flatMap(([group, resources]) =>
    (resources as readonly string[]).map((resource) => ({ group, resource })),
  );
  expect(named).toEqual(asked.map(({ group, resource }) => ({ group, resource })));
  expect(nameListed(list)).toBe(said);
});
