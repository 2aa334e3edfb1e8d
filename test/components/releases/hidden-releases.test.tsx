import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { liveKey } from '@/components/live/live-query';
import { ReleasesScreen } from '@/components/releases/releases-screen';
import type { Within } from '@/lib/contract/lists/within';
import { answerFetch, showScreen } from '@/test/support/screen';

const NONE = { count: 0, names: [] };

it.each<[string, Within, string]>([
  ['fluxWithin', NONE, 'Releases that Flux drives are not listed: they require the right "list" on helmreleases.helm.toolkit.fluxcd.io.'],
  [
    'fluxWithin',
    { count: 1, names: ['shop'] },
    'You may see releases that Flux drives only in namespace shop. Other namespaces require the right "list" on helmreleases.helm.toolkit.fluxcd.io.',
  ],
  [
    'olderWithin',
    NONE,
    'Releases that HelmReleases.flux.weave.works declare are not listed: they require the right "list" on helmreleases.flux.weave.works.',
  ],
  [
    'olderWithin',
    { count: 1, names: ['shop'] },
    'You may see releases that HelmReleases.flux.weave.works declare only in namespace shop. Other namespaces require the right "list" on helmreleases.flux.weave.works.',
  ],
  [
    'slipwayWithin',
    NONE,
    'Releases that Slipway drives are not listed: they require the right "list" on fluxhelmreleases.helm.integrations.flux.weave.works and helmreleases.helm.fluxcd.io.',
  ],
])('[issue 12.4] the list of releases names the right that those of a sort require, in %s: %j', async (name, within, said) => {
  using _log = answerFetch({});
  const { queries } = await showScreen(<ReleasesScreen />, { topics: ['releases'] });
  expect(screen.queryByRole('note')).toBeNull();
  act(() => queries.setQueryData(liveKey('releases'), (held: object | undefined) => held && { ...held, [name]: within }));
  expect(await screen.findByRole('note')).toHaveTextContent(said);
});
