import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { messageOf } from '@/lib/contract/app-error';
import type { Log } from '@/server/platform';
import type { OpenDatabase } from './database';
import { LOCKS, migrationsFolder } from './database';

const CONNECTIONS = 10;
const CONNECT_LIMIT_MS = 10_000;

/** Opens a Postgres that may be shared with other replicas; one of them migrates at a time. */
export async function openPostgres(url: string, log: Log): Promise<OpenDatabase> {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    application_name: 'slipway',
  });
  // A connection that dies is replaced by the pool; unheard it would end the process. The pool tells of idle ones only, so each tells by itself,
  // also in the middle of a transaction.
  pool.on('connect', (client) =>
    client.on('error', (error) => log.warn({ error: messageOf(error) }, 'a connection to the store was lost')),
  );
  pool.on('error', () => undefined); // told by the connection itself
  try {
    const client = await pool.connect();
    try {
      const session = drizzle({ client });
      await session.execute(sql`select pg_advisory_lock(${LOCKS.migrate})`);
      await migrate(session, { migrationsFolder: migrationsFolder() });
      await session.execute(sql`select pg_advisory_unlock(${LOCKS.migrate})`);
    } finally {
      client.release();
    }
  } catch (error) {
    await pool.end();
    throw error;
  }
  return { database: drizzle({ client: pool }), [Symbol.asyncDispose]: () => pool.end() };
}
