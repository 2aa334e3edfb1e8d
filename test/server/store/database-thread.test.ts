import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseThread } from '@/server/store/database-thread';
import { ThreadSocket } from '@/server/store/thread-socket';

// Making a database takes seconds of computing, and more on a busy machine: these tests share one.
const SLOW_MS = 90_000;

describe('the embedded database in its thread', () => {
  let thread: DatabaseThread;
  const sockets: ThreadSocket[] = [];
  beforeAll(async () => {
    thread = await DatabaseThread.open({ settings: [] });
  }, SLOW_MS);
  afterAll(() => thread[Symbol.asyncDispose](), SLOW_MS);

  async function connect(): Promise<pg.Client> {
    const stream = () => {
      const socket = new ThreadSocket(thread);
      sockets.push(socket);
      return socket;
    };
    const client = new pg.Client({ ssl: false, user: 'postgres', database: 'postgres', stream });
    client.on('error', () => undefined); // every query tells it again
    await client.connect();
    return client;
  }

  it('[design 14] leaves the event loop to others while a query computes', async () => {
    const client = await connect();
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await client.query('select count(*) from generate_series(1, 300000)');
    isOver = true;
    expect(turns).toBeGreaterThan(50);
    await client.end();
  });

  it('goes on after a query that is refused, also one with parameters', async () => {
    const client = await connect();
    await expect(client.query('select $1::int', ['x'])).rejects.toMatchObject({ code: '22P02' });
    await expect(client.query('select nothing from nowhere')).rejects.toMatchObject({ code: '42P01' });
    expect((await client.query('select $1 as word', ['left'])).rows).toEqual([{ word: 'left' }]);
    await client.end();
  });

  it('undoes the transaction of a connection that broke, as a server does, and takes another connection', async () => {
    const first = await connect();
    await first.query('create table entries (id int)');
    await first.query('begin');
    await first.query('insert into entries values (1)');
    const gone = new Promise((resolve) => first.once('end', resolve));
    sockets.at(-1)?.destroy(new Error('cut'));
    await gone;
    const second = await connect();
    expect((await second.query('select * from entries')).rows).toEqual([]);
    await second.end();
  });

  it('answers what was asked before its end, and fails what is asked after', async () => {
    const client = await connect();
    const last = client.query('select 1 as one');
    const ended = thread[Symbol.asyncDispose]();
    expect((await last).rows).toEqual([{ one: 1 }]);
    await ended;
    await expect(client.query('select 1')).rejects.toThrow();
    await expect(connect()).rejects.toThrow('the thread of the embedded store ended');
  });

  it('says why a folder cannot be opened', async () => {
    await expect(DatabaseThread.open({ folder: '/dev/null/nowhere', settings: [] })).rejects.toThrow(/not a directory|ENOTDIR/);
  });
});
