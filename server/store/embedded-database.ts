import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import type { Ids } from '@/server/platform';
import type { OpenDatabase } from './database';
import { migrationsFolder } from './database';
import { lockFolder } from './folder-lock';

// Postgres plans for a machine of its own; with these it holds half the memory (165 MB instead of 342 MB), and we are its one client.
const SMALL = ['-c', 'shared_buffers=4MB', '-c', 'wal_buffers=256kB', '-c', 'max_connections=5'];
const startParams = () => [...PGlite.defaultStartParams, ...SMALL];

/** Opens the database in a folder, and makes it on first use; a folder that another process uses is refused. */
export async function openFolder(dataDir: string, ids: Ids): Promise<OpenDatabase> {
  const folder = path.join(dataDir, 'postgres');
  // The record says who did what: nobody else on the machine may read it.
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await chmod(dataDir, 0o700);
  const lock = await lockFolder(dataDir, ids);
  try {
    if (!existsSync(path.join(folder, 'PG_VERSION'))) await makeInWorker(folder);
    return await prepare(await PGlite.create({ dataDir: folder, startParams: startParams() }), lock);
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

/** A database that ends with the process, for tests. */
export async function openMemory(): Promise<OpenDatabase> {
  return prepare(await PGlite.create({ startParams: startParams() }), undefined);
}

async function prepare(client: PGlite, lock: AsyncDisposable | undefined): Promise<OpenDatabase> {
  const database = drizzle({ client });
  try {
    await migrate(database, { migrationsFolder: migrationsFolder() });
  } catch (error) {
    await client.close();
    throw error;
  }
  return {
    database,
    async [Symbol.asyncDispose]() {
      await client.close();
      await lock?.[Symbol.asyncDispose]();
    },
  };
}

// Making a database takes seconds of computing, during which this thread would answer nobody.
const MAKE = `
const { workerData } = require('node:worker_threads');
const { PGlite } = require(workerData.library);
PGlite.create({ dataDir: workerData.folder, startParams: workerData.startParams }).then((client) => client.close());
`;

function makeInWorker(folder: string): Promise<void> {
  const library = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  return new Promise((resolve, reject) => {
    const worker = new Worker(MAKE, { eval: true, execArgv: [], workerData: { library, folder, startParams: startParams() } });
    worker.once('error', reject);
    worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`the store in ${folder} could not be made: the worker ended with ${code}`))));
  });
}
