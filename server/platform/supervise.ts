import { messageOf } from '@/lib/contract/app-error';
import { backOffMs } from '@/lib/std/back-off';
import type { Clock } from './clock';
import type { Log } from './log';

const PACE = { firstMs: 200, longestMs: 30_000 };

/**
 * Runs a background task until the signal aborts; a failure is logged and the task starts again after a growing
 * wait. Never rejects, so nothing of it can float.
 */
export async function supervise(
  name: string,
  task: (signal: AbortSignal) => Promise<void>,
  deps: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  const { clock, log, signal } = deps;
  for (let failures = 0; !signal.aborted; failures++) {
    const waitMs = backOffMs(PACE, failures);
    try {
      await task(signal);
      return;
    } catch (error) {
      if (signal.aborted) return;
      log.error({ task: name, error: messageOf(error), waitMs }, 'background task failed, restarting');
    }
    try {
      await clock.sleep(waitMs, signal);
    } catch {
      return; // aborted while waiting: the end that was asked for
    }
  }
}
