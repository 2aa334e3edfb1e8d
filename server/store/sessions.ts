import { and, desc, eq, lte, notInArray } from 'drizzle-orm';
import { toIso } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import type { Database } from './database';
import { sessions } from './schema';

export type SessionRow = typeof sessions.$inferSelect;

/** Sign-ins that outlive the process, found by the hash of their cookie. */
export interface Sessions {
  add(row: SessionRow): Promise<void>;
  /** The session, unless it is over. */
  read(cookieHash: string): Promise<SessionRow | undefined>;
  remove(cookieHash: string): Promise<void>;
  /** Forgets all of a user but the newest, of those of commands or of the others. */
  keepNewest(of: Pick<SessionRow, 'user' | 'isCommand'>, count: number): Promise<void>;
  /** Forgets sessions that are over. */
  prune(): Promise<void>;
}

/** Sessions over a database. */
export function createSessions(database: Database, clock: Clock): Sessions {
  return {
    async add(row) {
      await database.insert(sessions).values(row).onConflictDoNothing();
    },
    async read(cookieHash) {
      const [row] = await database.select().from(sessions).where(eq(sessions.cookieHash, cookieHash));
      return row !== undefined && row.expiresAt > toIso(clock.now()) ? row : undefined;
    },
    async remove(cookieHash) {
      await database.delete(sessions).where(eq(sessions.cookieHash, cookieHash));
    },
    async keepNewest({ user, isCommand }, count) {
      const own = and(eq(sessions.user, user), eq(sessions.isCommand, isCommand));
      const newest = database
        .select({ cookieHash: sessions.cookieHash })
        .from(sessions)
        .where(own)
        .orderBy(desc(sessions.createdAt), desc(sessions.cookieHash))
        .limit(count);
      await database.delete(sessions).where(and(own, notInArray(sessions.cookieHash, newest)));
    },
    async prune() {
      await database.delete(sessions).where(lte(sessions.expiresAt, toIso(clock.now())));
    },
  };
}
