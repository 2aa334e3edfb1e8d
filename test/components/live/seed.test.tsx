import { QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { EngineScreen } from '@/components/engine/engine-screen';
import { liveKey } from '@/components/live/live-query';
import { Seed } from '@/components/live/seed';
import { answerFetch, showScreen } from '@/test/support/screen';

function Probe({ onSeen }: { readonly onSeen: (data: unknown) => void }) {
  onSeen(useQueryClient().getQueryData(liveKey('trackers')));
  return null;
}

const refused = [{ topic: 'engine', code: 'forbidden', message: 'mara may not see the engine.' }];

describe('a page that comes with a refusal', () => {
  it('[design 8] says so at once, and asks no second time for what it may not see', async () => {
    using log = answerFetch({});
    await showScreen(
      <Seed windows={[]} refused={refused} rights={[]}>
        <EngineScreen />
      </Seed>,
    );
    expect(screen.getByRole('alert')).toHaveTextContent('Access denied');
    expect(screen.getByRole('alert')).toHaveTextContent('mara may not see the engine.');
    expect(screen.getByRole('heading', { level: 1, name: 'Engine' })).toBeInTheDocument();
    expect(log.sent).toEqual([]);
  });
});

describe('a page that comes with rows', () => {
  const windowAt = (seq: number, key: string) => ({
    seq: { bootId: 'b', seq },
    freshness: { observedAt: '2026-11-20T09:30:00.000Z', source: 'watch' as const, stale: null },
    total: 1,
    order: [key],
    rows: [{ key }],
  });

  it('[design 8] keeps what the socket brought later, and knows at the first render what was not there before', async () => {
    const seen: unknown[] = [];
    const { queries, close } = await showScreen(<Probe onSeen={(data) => seen.push(data)} />, { topics: ['inbox'] });
    close();
    queries.setQueryData(liveKey('inbox'), windowAt(7, 'later'));
    const windows = [
      { topic: 'inbox', window: windowAt(6, 'earlier') },
      { topic: 'trackers', window: windowAt(3, 'fresh') },
    ];
    render(
      <QueryClientProvider client={queries}>
        <Seed windows={windows} refused={[]} rights={[]}>
          <Probe onSeen={(data) => seen.push(data)} />
        </Seed>
      </QueryClientProvider>,
    );
    expect(seen).toEqual([undefined, windowAt(3, 'fresh')]);
    expect(queries.getQueryData(liveKey('inbox'))).toEqual(windowAt(7, 'later'));
  });
});
