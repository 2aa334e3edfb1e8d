import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from '@testing-library/react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { assigneesQuery } from '@/components/live/inbox/assignee-queries';
import { useAssignees } from '@/components/live/inbox/use-assignees';
import { answerFetch } from '@/test/support/screen';

const Part = () => <p>{useAssignees(true)?.assignees.i1?.waitsFor ?? 'unknown'}</p>;
const partWith = (queries: QueryClient) => (
  <QueryClientProvider client={queries}>
    <Part />
  </QueryClientProvider>
);

it('[issue 14.3] a part of the page that is taken over late says what the server said, and then whose turn it is', async () => {
  using _log = answerFetch({});
  const place = document.createElement('div');
  place.innerHTML = renderToString(partWith(new QueryClient()));
  expect(place).toHaveTextContent('unknown');
  const queries = new QueryClient();
  queries.setQueryData(assigneesQuery('', '').queryKey, {
    assignees: { i1: { mine: true, waitsFor: 'you', what: 'web', sentence: 'Waits.' } },
  });
  const faults: unknown[] = [];
  const root = await act(async () => hydrateRoot(place, partWith(queries), { onRecoverableError: (error) => faults.push(error) }));
  expect(faults).toEqual([]);
  expect(place).toHaveTextContent('you');
  act(() => root.unmount());
});
