import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
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
async function lockStoreFolder(dataDir: string, ids: Ids): Promise<AsyncDisposable> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await chmod(dataDir, 0o700);
  return lockFolder(path.join(dataDir, 'store.lock'), ids);
}

/** Opens the database in a folder, and makes it on first use; a folder that another process uses is refused with a sentence. */
export async function openFolder(dataDir: string, ids: Ids): Promise<OpenDatabase> {
  const lock = await lockStoreFolder(dataDir, ids);
  const folder = path.join(dataDir, 'postgres');
  try {
    const thread = existsSync(path.join(folder, 'PG_VERSION'))
      ? await DatabaseThread.open({ folder, settings: SMALL })
      : await openNew(folder).catch((error: unknown) => {
          throw new Error(`the store in ${folder} could not be made`, { cause: error });
        });
    return await prepare(thread, lock);
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

/** A database that ends with the process, for tests. */
export async function openMemory(): Promise<OpenDatabase> {
  return prepare(await DatabaseThread.open({ settings: SMALL }), undefined);
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

/**
 * Makes a database beside its place and moves it there whole, so that an end on the way leaves no half of one. The thread copies what the build
 * left: a thousand files are as many turns of an event loop that is busy with its start.
 */
async function openNew(folder: string): Promise<DatabaseThread> {
  const [parent, draftName] = [path.dirname(folder), `${path.basename(folder)}-draft-`];
  for (const left of await readdir(parent))
    if (left.startsWith(draftName)) await rm(path.join(parent, left), { recursive: true, force: true });
  const draft = { path: await mkdtemp(path.join(parent, draftName)), ...(existsSync(TEMPLATE) && { template: fileURLToPath(TEMPLATE) }) };
  if (draft.template === undefined) await promisify(execFile)(process.execPath, [fileURLToPath(MAKER), draft.path, JSON.stringify(SMALL)]);
  return DatabaseThread.open({ folder, draft, settings: SMALL });
}
