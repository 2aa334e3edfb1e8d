import { execFile, spawn } from 'node:child_process';
import { chown, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import pg from 'pg';
import { findPostgres } from '@/scripts/postgres.mjs';

const NOBODY = 65_534;
const READY = 'database system is ready to accept connections';

// Ends Postgres, by its own id, and its folder when the input closes: when the test says so, and also when its process is killed.
const KEEPER = `
exec 3<&0
"$1" -D "$2/data" -k "$2" -c listen_addresses= -c fsync=off -c max_connections=60 & server=$!
{ cat <&3 >/dev/null; kill -INT $server; } 2>/dev/null & keeper=$!
wait $server; code=$?
kill $keeper 2>/dev/null
rm -rf "$2"
exit $code
`;

/** A Postgres of a test's own. */
export interface TestPostgres extends AsyncDisposable {
  /** The address of a new, empty database. */
  addDatabase(): Promise<string>;
}

/** Starts a Postgres in a temporary folder on a socket there, as nobody where we are root, since it refuses root. */
export async function startPostgres(): Promise<TestPostgres> {
  const programs = findPostgres().folder;
  const folder = await mkdtemp('/tmp/slipway-postgres-'); // a socket's path is at most 107 characters long
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(folder, NOBODY, NOBODY);
  const as = { cwd: folder, ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}) };
  await promisify(execFile)(
    path.join(programs, 'initdb'),
    ['-D', path.join(folder, 'data'), '-U', 'slipway', '-A', 'trust', '-N', '-E', 'UTF8', '--locale=C'],
    as,
  );
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', path.join(programs, 'postgres'), folder], {
    ...as,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => keeper.once('exit', () => resolve()));
  await ready(keeper.stderr, ended);
  let databases = 0;
  return {
    async addDatabase() {
      const name = `test_${++databases}`;
      const client = new pg.Client({ host: folder, user: 'slipway', database: 'postgres' });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return `postgres://slipway@${encodeURIComponent(folder)}/${name}`;
    },
    async [Symbol.asyncDispose]() {
      keeper.stdin.end();
      await ended;
    },
  };
}

async function ready(stderr: NodeJS.ReadableStream, ended: Promise<void>): Promise<void> {
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: stderr }).on('line', (line) => {
      if (said.length < 50) said.push(line);
      if (line.includes(READY)) resolve();
    });
    void ended.then(() => reject(new Error(`Postgres did not start:\n${said.join('\n')}`)));
  });
}
