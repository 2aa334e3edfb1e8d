import type { IncomingMessage } from 'node:http';
import { isAppError } from '@/lib/contract/app-error';
import type { Auth, ClientAddresses } from '@/server/auth';
import type { Clock } from '@/server/platform';
import { waitAtMost } from '@/server/platform';
import { createRequestQueue } from '../per-person-limits';

/** Whoever reads an answer slowly keeps their own next page waiting for so long, and nobody behind the same proxy for longer. */
const LIMIT_MS = 2000;

interface PageQueueDeps {
  readonly auth: Pick<Auth, 'readSession'>;
  readonly peers: Pick<ClientAddresses, 'sourceOf'>;
  readonly clock: Clock;
}

/** Computes a page when it is the turn of whoever asks; answers the sentence of a refusal, undefined once it is computed. */
type PageQueue = (request: IncomingMessage, compute: () => Promise<void>) => Promise<string | undefined>;

/**
 * A page computes for as long as a hundred answers of the API, in the thread that gives them all. So each person computes two at once, over
 * however many sessions, and strangers by where they come from; the others wait in the order of asking.
 */
export function createPageQueue({ auth, peers, clock }: PageQueueDeps): PageQueue {
  const enqueue = createRequestQueue('pages');
  return async (request, compute) => {
    // Who cannot be told is served as a stranger: the page says what is wrong.
    const session = await auth.readSession(request.headers.cookie).catch(() => undefined);
    const owner = { user: session?.user ?? peers.sourceOf(request) };
    let computed: Promise<void> | undefined;
    try {
      await enqueue(owner, async () => {
        computed = compute();
        await waitAtMost({ clock, ms: LIMIT_MS, late: () => undefined }, computed);
      });
    } catch (error) {
      if (isAppError(error) && error.code === 'too-many' && computed === undefined) return error.message;
      throw error;
    }
    await computed;
    return undefined;
  };
}
