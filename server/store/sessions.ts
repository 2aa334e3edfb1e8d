import { and, count, desc, eq, getTableColumns, gt, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import type { Instant } from '@/lib/std/instant';
import { toInstant, toIso } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import type { Database } from './database';
import { sessions } from './schema';

export type SessionRow = typeof sessions.$inferSelect;

/** For so long other replicas can hear that a session ended. */
const ENDED_KEPT_MS = 10 * 60_000;

/** Which sessions are wanted: all of them, those of one person, or those with a text in the person's name or the address. */
export interface SessionsQuery {
  readonly user?: string | undefined;
  readonly q?: string | undefined;
  /** One that goes before all others, by the hash of its cookie. */
  readonly first?: string | undefined;
  readonly page: number;
  readonly size: number;
}

/** What is told of a session: nothing that opens it. */
export type PublicSession = Omit<SessionRow, 'sealedToken' | 'groups' | 'uid' | 'mayInvite'>;

/** Sign-ins that outlive the process, found by the hash of their cookie. */
export interface Sessions {
  add(row: SessionRow): Promise<void>;
  /** The session, unless it is over. */
  read(cookieHash: string): Promise<SessionRow | undefined>;
  /** Notes that it was used now; false when it is over. */
  touch(cookieHash: string): Promise<boolean>;
  /** Ends sessions: their credentials are forgotten at once, the rows once every replica has heard of it. */
  end(cookieHashes: readonly string[]): Promise<void>;
  /** Sessions that ended after a moment, of those that are still kept. */
  endedSince(since: Instant): Promise<readonly string[]>;
  /** One page of those that are not over, the last used first. */
  list(query: SessionsQuery): Promise<{ readonly total: number; readonly rows: readonly PublicSession[] }>;
  /** By the name that people know it by. */
  find(handle: string): Promise<PublicSession | undefined>;
  /** All of a person that are not over. */
  ofUser(user: string): Promise<readonly PublicSession[]>;
  /** All of a person that are not over but the newest, of those of commands or of the others, by the hashes of their cookies. */
  beyondNewest(of: Pick<SessionRow, 'user' | 'isCommand'>, count: number): Promise<readonly string[]>;
  /** Forgets sessions that are over. */
  prune(): Promise<void>;
}

const { sealedToken: _sealed, groups: _groups, uid: _uid, mayInvite: _mayInvite, ...TOLD } = getTableColumns(sessions);

/** Sessions over a database. */
export function createSessions(database: Database, clock: Clock): Sessions {
  const now = () => toIso(clock.now());
  const stillHolds = () => isNotOver(clock);
  return {
    ...createTold(database, clock),
    async add(row) {
      await database.insert(sessions).values(row).onConflictDoNothing();
    },
    async read(cookieHash) {
      const [row] = await database
        .select()
        .from(sessions)
        .where(and(eq(sessions.cookieHash, cookieHash), stillHolds()));
      return row;
    },
    async touch(cookieHash) {
      const found = await database
        .update(sessions)
        .set({ lastUsedAt: now() })
        .where(and(eq(sessions.cookieHash, cookieHash), stillHolds()))
        .returning({ handle: sessions.handle });
      return found.length > 0;
    },
    async end(cookieHashes) {
      const heardOf = toIso(toInstant(clock.now() - ENDED_KEPT_MS));
      await database
        .update(sessions)
        .set({ endedAt: now(), expiresAt: now(), sealedToken: null }) // a replica of an older version goes by the expiry alone
        .where(and(inArray(sessions.cookieHash, [...cookieHashes]), isNull(sessions.endedAt)));
      await database.delete(sessions).where(lte(sessions.endedAt, heardOf));
    },
    async endedSince(since) {
      const ended = await database
        .select({ cookieHash: sessions.cookieHash })
        .from(sessions)
        .where(gt(sessions.endedAt, toIso(since)));
      return ended.map(({ cookieHash }) => cookieHash);
    },
    async beyondNewest({ user, isCommand }, most) {
      const beyond = await database
        .select({ cookieHash: sessions.cookieHash })
        .from(sessions)
        .where(and(eq(sessions.user, user), eq(sessions.isCommand, isCommand), stillHolds()))
        .orderBy(desc(sessions.createdAt), desc(sessions.cookieHash))
        .offset(most);
      return beyond.map(({ cookieHash }) => cookieHash);
    },
    async prune() {
      await database.delete(sessions).where(lte(sessions.expiresAt, now()));
    },
  };
}

const isNotOver = (clock: Clock) => and(isNull(sessions.endedAt), gt(sessions.expiresAt, toIso(clock.now())));

/** What is told of sessions that are not over. */
function createTold(database: Database, clock: Clock): Pick<Sessions, 'list' | 'find' | 'ofUser'> {
  const stillHolds = () => isNotOver(clock);
  const lastUsed = desc(sql`coalesce(${sessions.lastUsedAt}, ${sessions.createdAt})`);
  return {
    async list({ user, q, first, page, size }) {
      const contains = (text: string) =>
        or(...[sessions.user, sessions.address].map((column) => sql`position(lower(${text}) in lower(${column})) > 0`));
      const wanted = and(stillHolds(), user === undefined ? undefined : eq(sessions.user, user), q === undefined ? undefined : contains(q));
      const [counted] = await database.select({ total: count() }).from(sessions).where(wanted);
      const rows = await database
        .select(TOLD)
        .from(sessions)
        .where(wanted)
        .orderBy(...(first === undefined ? [] : [desc(eq(sessions.cookieHash, first))]), lastUsed, desc(sessions.handle))
        .limit(size)
        .offset(page * size);
      return { total: counted?.total ?? 0, rows };
    },
    async find(handle) {
      const [row] = await database
        .select(TOLD)
        .from(sessions)
        .where(and(eq(sessions.handle, handle), stillHolds()));
      return row;
    },
    async ofUser(user) {
      return database
        .select(TOLD)
        .from(sessions)
        .where(and(eq(sessions.user, user), stillHolds()));
    },
  };
}
