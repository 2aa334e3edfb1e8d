import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { liveKey } from '@/components/live/live-query';
import { ReleasesScreen } from '@/components/releases/releases-screen';
import type { Within } from '@/lib/contract/lists/within';
import { answerFetch, showScreen } from '@/test/support/screen';

it.each<[Within, string]>([
  [
    { count: 0, names: [] },
    'Releases that Flux drives are not listed: they require the right "list" on helmreleases.helm.toolkit.fluxcd.io.',
  ],
  [
    { count: 1, names: ['shop'] },
    'You may see releases that Flux drives only in namespace shop. Other namespaces require the right "list" on helmreleases.helm.toolkit.fluxcd.io.',
  ],
])('[issue 14] the list of releases names the right that those of Flux require: %j', async (fluxWithin, said) => {
  using _log = answerFetch({});
  const { queries } = await showScreen(<ReleasesScreen />, { topics: ['releases'] });
  expect(screen.queryByRole('note')).toBeNull();
  act(() => queries.setQueryData(liveKey('releases'), (held: object | undefined) => held && { ...held, fluxWithin }));
  expect(await screen.findByRole('note')).toHaveTextContent(said);
});
