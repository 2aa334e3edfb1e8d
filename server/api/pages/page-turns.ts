import type { IncomingMessage } from 'node:http';
import type { Auth, Peers } from '@/server/auth';
import { createTurns } from '../one-at-a-time';

/** Computes a page when it is the turn of whoever asks; throws too-many while many of theirs wait already. */
export type PageInTurn = (request: IncomingMessage, compute: () => Promise<void>) => Promise<void>;

/** What pages are made of: files that stand ready, so that nothing is computed for them. */
const FILES = /^\/_next\/static\//;

interface PageTurnsDeps {
  readonly auth: Pick<Auth, 'readSession'>;
  readonly peers: Pick<Peers, 'sourceOf'>;
}

/** Turns at pages, of each person over however many sessions, and of each address that nobody signed in from. */
export function createPageTurns({ auth, peers }: PageTurnsDeps): PageInTurn {
  const [ofPeople, ofStrangers] = [createTurns('pages'), createTurns('pages')];
  return async (request, compute) => {
    const { url = '', headers } = request;
    if (FILES.test(url)) return compute();
    // Whoever went away meanwhile is computed nothing for.
    const computeIfAwaited = async () => {
      if (!request.socket.destroyed) await compute();
    };
    const session = await auth.readSession(headers.cookie);
    return session ? ofPeople(session, computeIfAwaited) : ofStrangers({ user: peers.sourceOf(request) }, computeIfAwaited);
  };
}
