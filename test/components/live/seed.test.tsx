import { QueryClient, QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EngineScreen } from '@/components/engine/engine-screen';
import { Seed } from '@/components/live/hydration/seed';
import { liveKey, liveQuery } from '@/components/live/live-query';
import { rightsKey, useRights } from '@/components/live/rights';
import { useLiveWindow } from '@/components/live/use-live-topic';
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

const STOREFRONT = { kind: 'rollout', ns: 'shop', name: 'storefront' } as const;
const keyed = z.object({ key: z.string() });

function Words() {
  const sent = useLiveWindow(liveQuery({ kind: 'inbox' }, keyed)).data?.rows[0]?.key;
  const unsent = useLiveWindow(liveQuery({ kind: 'status' }, keyed)).data?.rows[0]?.key ?? 'Loading';
  const rights = useRights(STOREFRONT, z.object({ pause: z.string() }));
  return <p>{`${sent}, ${unsent}, ${typeof rights === 'string' ? rights : rights.pause}`}</p>;
}

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

  it('[design 3] is taken over as the server painted it, also where the socket and other parts of the page were faster', async () => {
    const page = (queries: QueryClient) => (
      <QueryClientProvider client={queries}>
        <Seed
          windows={[{ topic: 'inbox', window: windowAt(6, 'earlier') }]}
          refused={[]}
          rights={[{ of: STOREFRONT, refusals: { pause: 'no' } }]}
        >
          <Words />
        </Seed>
      </QueryClientProvider>
    );
    using _ = answerFetch({});
    const container = document.createElement('div');
    document.body.append(container);
    container.innerHTML = renderToString(page(new QueryClient()));
    expect(container).toHaveTextContent('earlier, Loading, no');
    const queries = new QueryClient();
    for (const topic of ['inbox', 'status']) queries.setQueryData(liveKey(topic), windowAt(7, 'later'));
    queries.setQueryData(rightsKey(STOREFRONT), { pause: 'yes' });
    const differences: unknown[] = [];
    const root = await act(async () => hydrateRoot(container, page(queries), { onRecoverableError: (error) => differences.push(error) }));
    expect(differences).toEqual([]);
    expect(container).toHaveTextContent('later, later, yes');
    act(() => root.unmount());
    container.remove();
  });
});
