import { useEffect, useRef } from 'react';

/** Between two reads that changes ask for. */
const GAP_MS = 1000;

/** What of a query this needs. */
interface ReadAgain {
  readonly refetch: () => unknown;
  readonly dataUpdatedAt: number;
}

/** Reads a query again when what a live view tells changes, at most once a second, so that both tell of one page the same. */
export function useReadAgain({ refetch, dataUpdatedAt }: ReadAgain, changed: unknown): void {
  const readFor = useRef(changed);
  useEffect(() => {
    if (readFor.current === changed) return;
    const timer = setTimeout(
      () => {
        readFor.current = changed;
        refetch();
      },
      Math.max(0, dataUpdatedAt + GAP_MS - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [changed, dataUpdatedAt, refetch]);
}
