import path from 'node:path';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/** Both drivers as queries see them. */
export type Database = PgDatabase<PgQueryResultHKT>;

/** An open database and its end. */
export interface OpenDatabase extends AsyncDisposable {
  readonly database: Database;
}

/** Migrations lie beside the sources; the bundled server starts in the project's folder. */
export function migrationsFolder(): string {
  const here = import.meta.dirname;
  return path.basename(here) === 'store' ? path.join(here, 'migrations') : path.join(here, '..', 'server', 'store', 'migrations');
}

/** Every advisory lock of ours on a shared Postgres, so that no two mean different things by one number. */
export const LOCKS = { migrate: 727_301, audit: 727_302 } as const;
