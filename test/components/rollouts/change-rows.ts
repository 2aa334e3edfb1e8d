import type { QueryClient } from '@tanstack/react-query';
import { act } from '@testing-library/react';
import { liveKey } from '@/components/live/live-query';
import type { WindowSnapshot } from '@/lib/contract/live';

/** Changes the rows of a topic as a push does; what is shown follows with the next turn of the event loop. */
export async function changeRows<Row>(queries: QueryClient, topic: string, over: Partial<Row>): Promise<void> {
  await act(async () => {
    queries.setQueriesData<WindowSnapshot<Row>>(
      { queryKey: liveKey(topic) },
      (window) => window && { ...window, rows: window.rows.map((row) => ({ ...row, ...over })) },
    );
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve));
  });
}
