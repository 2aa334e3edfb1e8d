import { formatElapsed } from '@/lib/words/figures';

/** How long something took, in a cell that may have nothing to tell. */
export function formatLatency(ms: number | undefined): string {
  return ms === undefined ? '–' : formatElapsed(ms);
}
