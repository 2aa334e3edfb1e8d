import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { readJson } from '@/components/live/request';
import type { HistoryQuery } from '@/lib/contract/history/history-rows';
import { rolloutHistory } from '@/lib/contract/history/history-rows';

const AGAIN_MS = 60_000;

/** The text of the address that asks for this part of the history. */
export function formatHistoryQuery(query: HistoryQuery): string {
  const text = new URLSearchParams();
  for (const name of ['ns', 'q', 'week', 'show', 'sort', 'page'] as const) {
    const value = query[name];
    const said = Array.isArray(value) ? value.join(',') : String(value ?? '');
    if (said !== '' && value !== 0) text.set(name, said);
  }
  return text.toString();
}

/** Where this part of the history is shown. */
export function historyHref(query: HistoryQuery): string {
  const text = formatHistoryQuery(query);
  return text === '' ? '/rollouts/history' : `/rollouts/history?${text}`;
}

/** The last weeks of rollouts with a page of them, read again each minute. */
export function historyRead(query: HistoryQuery) {
  const text = formatHistoryQuery(query);
  return queryOptions({
    queryKey: ['history', text],
    queryFn: ({ signal }) => readJson(`/api/v1/rollouts/history?${text}`, rolloutHistory, signal),
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_MS,
    retry: false,
  });
}
