import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { liveQuery } from '@/components/live/live-query';
import { LiveView, StaleNotice } from '@/components/live/live-view';
import { statusRow } from '@/lib/contract/system-rows';
import { showScreen } from '@/test/support/screen';

const LOST = Date.parse('2026-11-20T09:31:00Z');
const offline = { connection: { kind: 'offline', since: LOST, reason: 'The server does not answer.' } } as const;
const status = liveQuery({ kind: 'status' }, statusRow);
const asOf = () => screen.getAllByText(/^As of /).map(({ textContent }) => textContent);

describe('what is shown while it may be out of date', () => {
  it('[design 7] says once as of when, however many live parts a page has', async () => {
    await showScreen(
      <LiveView query={status} awaits="" pending={null} isPage>
        {() => (
          <LiveView query={status} awaits="" pending={null}>
            {() => <p>A part</p>}
          </LiveView>
        )}
      </LiveView>,
      offline,
    );
    expect(screen.getByText('A part').closest('[data-stale]')).not.toBeNull();
    expect(asOf()).toEqual(['As of 20 Nov 2026, 09:31:00 UTC.']);
  });

  it('[design 7] says it of each part where nothing around it does', async () => {
    const part = (
      <LiveView query={status} awaits="" pending={null}>
        {() => <p>A part</p>}
      </LiveView>
    );
    await showScreen(
      <>
        {part}
        {part}
      </>,
      offline,
    );
    expect(asOf()).toHaveLength(2);
  });

  it.each([
    ['watch', '2026-11-20T01:00:00Z', '09:31:00'],
    ['watch', '2026-11-20T09:31:30Z', '09:31:30'],
    ['poll', '2026-11-20T09:20:00Z', '09:20:00'],
  ] as const)('[design 7] what came by %s and was computed at %s was so until %s', async (source, observedAt, said) => {
    const staleness = { since: new Date(LOST).toISOString(), reason: '', isShownAbove: true };
    await showScreen(<StaleNotice staleness={staleness} freshness={{ observedAt, source, stale: null }} />);
    expect(asOf()).toEqual([`As of 20 Nov 2026, ${said} UTC.`]);
  });
});
