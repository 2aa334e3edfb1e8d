import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { liveKey } from '@/components/live/live-query';
import { ReleasesScreen } from '@/components/releases/releases-screen';
import { releaseRows } from '@/test/support/fixture/releases';
import { backFrom } from '@/test/support/fixture/times';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

it('[issue 12.4] of two HelmReleases of one name the table says which is of flux.weave.works', async () => {
  using _log = answerFetch({});
  const { queries } = await showScreen(<ReleasesScreen />, { topics: ['releases'] });
  const rows = releaseRows(backFrom(SCREEN_NOW)).map((row, at) =>
    at === 0 ? row : { ...row, name: 'ledger', kind: 'helmrelease-v1beta1', key: 'pay/helmrelease-v1beta1/ledger' },
  );
  act(() => queries.setQueryData(liveKey('releases'), (held: object | undefined) => held && { ...held, rows }));
  const told = await screen.findAllByText('flux.weave.works');
  const hrefs = told.map((badge) => badge.closest('a')?.getAttribute('href'));
  expect(new Set(hrefs)).toEqual(new Set(['/releases/pay/helmrelease-v1beta1/ledger']));
});
