import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { liveKey } from '@/components/live/live-query';
import { StraysScreen } from '@/components/trackers/strays-screen';
import type { WindowSnapshot } from '@/lib/contract/live';
import type { StrayRow } from '@/lib/contract/tracker-rows';
import { answerFetch, showScreen } from '@/test/support/screen';

const WHY = 'ResourceTrackers cannot be listed: slipway:server requires the right "list" on resourcetrackers';

it('[issue 14.1] says that strays are not known, and which right is missing, where nobody knows what trackers list', async () => {
  using _log = answerFetch({});
  const { queries } = await showScreen(<StraysScreen />, { scene: 'empty', topics: ['strays'] });
  expect(screen.getByText('No strays')).toBeInTheDocument();
  const stale = { since: '2026-11-20T09:00:00Z', reason: WHY };
  act(() =>
    queries.setQueryData<WindowSnapshot<StrayRow>>(
      liveKey('strays'),
      (window) => window && { ...window, freshness: { ...window.freshness, stale } },
    ),
  );
  expect((await screen.findByText('Strays are not known')).parentElement).toHaveTextContent(`must be listed whole to tell strays. ${WHY}.`);
  expect(screen.queryByText('No strays')).toBeNull();
});
