import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import type { Ids } from '@/server/platform';
import { lockFolder } from '@/server/platform';
import type { OpenDatabase } from './database';
import { migrationsFolder } from './database';
import { DatabaseThread } from './database-thread';
import { ThreadSocket } from './thread-socket';

// Postgres plans for a machine of its own; with these it holds half the memory (165 MB instead of 342 MB), and we are its one client.
const SMALL = ['-c', 'shared_buffers=4MB', '-c', 'wal_buffers=256kB', '-c', 'max_connections=5'];

/** Makes a folder ours alone: nobody else on the machine may read the record of who did what, and no second process may write it. */
export async function holdFolder(dataDir: string, ids: Ids): Promise<AsyncDisposable> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await chmod(dataDir, 0o700);
  return lockFolder(path.join(dataDir, 'store.lock'), ids);
}

/** Opens the database in a folder that is held, and makes it on first use; its end is the end of the hold. */
export async function openFolder(dataDir: string, lock: AsyncDisposable): Promise<OpenDatabase> {
  const folder = path.join(dataDir, 'postgres');
  try {
    if (!existsSync(path.join(folder, 'PG_VERSION'))) await makeApart(folder);
    return await prepare(await DatabaseThread.open(folder, SMALL), lock);
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

/** A database that ends with the process, for tests. */
export async function openMemory(): Promise<OpenDatabase> {
  return prepare(await DatabaseThread.open(undefined, SMALL), undefined);
}

async function prepare(thread: DatabaseThread, lock: AsyncDisposable | undefined): Promise<OpenDatabase> {
  // One session is all there is; a connection that broke is made anew on it.
  const pool = new pg.Pool({
    max: 1,
    idleTimeoutMillis: 0,
    ssl: false,
    user: 'postgres',
    database: 'postgres',
    stream: () => new ThreadSocket(thread),
  });
  pool.on('error', () => undefined); // of a thread that ended; every query from then on says so
  const database = drizzle({ client: pool });
  const end = async () => {
    await pool.end();
    await thread[Symbol.asyncDispose]();
  };
  try {
    await migrate(database, { migrationsFolder: migrationsFolder() });
  } catch (error) {
    await end();
    throw error;
  }
  return {
    database,
    async [Symbol.asyncDispose]() {
      await end();
      await lock?.[Symbol.asyncDispose]();
    },
  };
}

const MAKER = new URL('./postgres-thread.mjs', import.meta.url);
/** Where the build leaves an empty database; there is none beside the sources. */
const TEMPLATE = new URL('./postgres-template/', import.meta.url);

/** Makes it beside its place and moves it there whole, so that an end on the way leaves no half of one. */
async function makeApart(folder: string): Promise<void> {
  const [parent, draftName] = [path.dirname(folder), `${path.basename(folder)}-draft-`];
  for (const left of await readdir(parent))
    if (left.startsWith(draftName)) await rm(path.join(parent, left), { recursive: true, force: true });
  const draft = await mkdtemp(path.join(parent, draftName));
  try {
    if (existsSync(TEMPLATE)) await cp(TEMPLATE, draft, { recursive: true });
    else await promisify(execFile)(process.execPath, [fileURLToPath(MAKER), draft, JSON.stringify(SMALL)]);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw new Error(`the store in ${folder} could not be made`, { cause: error });
  }
}
