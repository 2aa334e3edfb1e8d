import { eq } from 'drizzle-orm';
import type { Ids } from '@/server/platform';
import type { Database } from './database';
import { serverKeys } from './schema';

/** Keys of the server that replicas share and that outlive the process. */
export interface ServerKeys {
  /** The key for a purpose, made on first use. */
  keyFor(purpose: string): Promise<string>;
}

/** Keys over a database. Of replicas that make one at once the first one's counts. */
export function createServerKeys(database: Database, ids: Ids): ServerKeys {
  return {
    async keyFor(purpose) {
      await database.insert(serverKeys).values({ purpose, key: ids.secret() }).onConflictDoNothing();
      const [found] = await database.select().from(serverKeys).where(eq(serverKeys.purpose, purpose)).limit(1);
      if (found === undefined) throw new Error(`the store has no key for ${purpose}`);
      return found.key;
    },
  };
}
