import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { liveKey } from '@/components/live/live-query';
import { StraysScreen } from '@/components/trackers/strays-screen';
import type { WindowSnapshot } from '@/lib/contract/live';
import type { StrayRow } from '@/lib/contract/tracker-rows';
import { answerFetch, showScreen } from '@/test/support/screen';

const LOST = 'The watch of Pod is lost: the API server ended it';
/** Why a list may be out of date, whether strays are held back for it or not. */
const REASONS = [
  ['which right is missing', 'ResourceTrackers cannot be listed: slipway:server requires the right "list" on resourcetrackers'],
  ['which watch is lost', LOST],
];

/** The screen of strays without any, and what makes its list stale. */
async function showStrays(why: string, filter = '') {
  const topic = `strays${filter}`;
  const { queries } = await showScreen(<StraysScreen />, { scene: 'empty', topics: [topic], search: filter });
  const stale = { since: '2026-11-20T09:00:00Z', reason: why };
  return () =>
    act(() =>
      queries.setQueryData<WindowSnapshot<StrayRow>>(
        liveKey(topic),
        (window) => window && { ...window, freshness: { ...window.freshness, stale } },
      ),
    );
}

it.each(REASONS)('[issue 14.1] says of an empty list that it may be out of date, and %s', async (_what, why) => {
  using _log = answerFetch({});
  const age = await showStrays(why);
  expect(screen.getByText('No strays')).toBeInTheDocument();
  age();
  expect((await screen.findByText('No strays are known')).parentElement).toHaveTextContent(
    `No strays are knownThe list may be out of date. ${why}.`,
  );
  expect(screen.queryByText('No strays')).toBeNull();
});

it('[issue 14.1] says that nothing matches a filter, also while the list may be out of date', async () => {
  using _log = answerFetch({});
  const age = await showStrays(LOST, '?q=xyz');
  expect(screen.getByText('No stray matches')).toBeInTheDocument();
  age();
  expect(await screen.findAllByText(/ended it/)).toHaveLength(1); // told above the list
  expect(screen.getByText('No stray matches')).toBeInTheDocument();
});
