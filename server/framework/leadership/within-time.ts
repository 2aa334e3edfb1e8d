import { KubeTransportError } from '@/server/kube';
import type { Clock } from '@/server/platform';

/** Awaits work for so long and no longer: then it is aborted, and what still comes of it is ignored. */
export async function withinTime<Answer>(clock: Clock, limitMs: number, work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const limit = new AbortController();
  let cancel: () => void = () => undefined;
  const late = new Promise<never>((_, reject) => {
    cancel = clock.schedule(limitMs, () => {
      const error = new KubeTransportError(`no answer within ${limitMs} ms`);
      reject(error);
      limit.abort(error);
    });
  });
  try {
    return await Promise.race([work(limit.signal), late]);
  } finally {
    cancel();
  }
}
