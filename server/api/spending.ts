import { AppError } from '@/lib/contract/app-error';
import type { Session } from '@/server/auth';
import type { Clock } from '@/server/platform';
import { steadyMsOf } from '@/server/platform';

const WINDOW_MS = 10_000;
const MOST_BYTES = 4_000_000;

/** Counts the bytes of manifests that a session sends; throws too-many when it is more than one person writes. */
export type Spend = (session: Session, bytes: number) => void;

/** Reading a manifest takes a thread that everybody shares, so each session may have so much read within ten seconds. */
export function createSpending(clock: Clock): Spend {
  const spent = new Map<string, number>();
  let since = steadyMsOf(clock);
  return ({ id, user }, bytes) => {
    if (steadyMsOf(clock) - since >= WINDOW_MS) {
      spent.clear();
      since = steadyMsOf(clock);
    }
    const total = (spent.get(id) ?? 0) + bytes;
    if (total > MOST_BYTES)
      throw new AppError('too-many', `${user} sent manifests of more than ${MOST_BYTES} bytes within ten seconds; wait a moment and try again`);
    spent.set(id, total);
  };
}
