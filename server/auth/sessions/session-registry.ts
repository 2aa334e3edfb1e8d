import { AppError, messageOf } from '@/lib/contract/app-error';
import type { PublicSession, Store } from '@/server/store';
import type { SessionKeeper } from '../session-keeper';

/** The sessions of everybody, over all replicas. Who may look into it is asked by whoever tells of it. */
export interface SessionRegistry {
  list: Store['sessions']['list'];
  find: Store['sessions']['find'];
  ofUser: Store['sessions']['ofUser'];
  /** Ends them here at once, and on other replicas within seconds. */
  end(sessions: readonly PublicSession[], reason: string): Promise<void>;
}

/** The book over a store that may still be opening. */
export function createSessionRegistry(openStore: () => Promise<Store>, keeper: SessionKeeper): SessionRegistry {
  const store = async () => {
    const open = await openStore().catch((error: unknown) => {
      throw new AppError('unavailable', `sessions cannot be read: the store is not open: ${messageOf(error)}`, { cause: error });
    });
    return open.sessions;
  };
  return {
    list: async (query) => (await store()).list(query),
    find: async (handle) => (await store()).find(handle),
    ofUser: async (user) => (await store()).ofUser(user),
    end: (sessions, reason) =>
      keeper.endAll(
        sessions.map(({ cookieHash }) => cookieHash),
        reason,
      ),
  };
}
