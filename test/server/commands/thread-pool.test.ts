import { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { ThreadPool } from '@/server/commands/editor/thread-pool';
import { ManualClock } from '@/test/support/manual-clock';

const LIMIT_MS = 10_000;
const IDLE_MS = 30_000;

/** Waits, as long as it is told to, in the way that parsing does: nothing else happens on its thread. */
const PROGRAM = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ name, gate, fate }) => {
  if (gate !== undefined) {
    Atomics.store(gate, 1, 1);
    Atomics.notify(gate, 1);
    Atomics.wait(gate, 0, 0);
  }
  if (fate === 'exit') process.exit(3);
  if (fate === 'throw') throw new Error('it broke');
  parentPort.postMessage(name);
});
parentPort.postMessage('ready');
`;

interface Task {
  readonly name: string;
  /** Holds the thread until it is opened; its second cell tells that the thread is there. */
  readonly gate?: Int32Array;
  readonly fate?: 'exit' | 'throw';
}

const aGate = () => new Int32Array(new SharedArrayBuffer(8));
const open = (gate: Int32Array) => {
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
};
const atGate = async (gate: Int32Array) => {
  while (Atomics.load(gate, 1) === 0) await new Promise<void>((resolve) => setImmediate(resolve));
};

const pools: AsyncDisposable[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool[Symbol.asyncDispose]()));
});

function aPool({ program = PROGRAM, mostThreads = 1, mostWaiting = 3, mostOfOne = 9 } = {}) {
  const clock = new ManualClock();
  let started = 0;
  const start = () => {
    started++;
    return new Worker(program, { eval: true, execArgv: [] });
  };
  const limits = { startLimitMs: 60_000, limitMs: LIMIT_MS, idleMs: IDLE_MS };
  const pool = new ThreadPool<Task, string>({ start, clock, mostThreads, mostWaiting, mostOfOne, ...limits });
  pools.push(pool);
  return { pool, clock, started: () => started };
}

describe('a pool of threads', () => {
  it('[decision 0017] starts no thread before there is a task', () => {
    const { pool, started } = aPool();
    expect([pool.size, started()]).toEqual([0, 0]);
  });

  it('[decision 0017] leaves the main thread to others while a task holds its thread', async () => {
    const { pool } = aPool();
    const gate = aGate();
    const order: string[] = [];
    const held = pool.run('ada', { name: 'held', gate }).then(() => order.push('the task'));
    await atGate(gate);
    await Promise.resolve().then(() => order.push('another request'));
    open(gate);
    await held;
    expect(order).toEqual(['another request', 'the task']);
  });

  it('[decision 0017] ends a task at its limit, and does the next on another thread', async () => {
    const { pool, clock, started } = aPool();
    const gate = aGate();
    const endless = pool.run('ada', { name: 'endless', gate });
    const next = pool.run('ben', { name: 'next' });
    await atGate(gate);
    await clock.advance(LIMIT_MS);
    expect(await endless).toEqual({ kind: 'too-long' });
    expect(await next).toEqual({ kind: 'answered', answer: 'next' });
    expect(started()).toBe(2);
  });

  it.each([
    ['exit', 'its thread ended'],
    ['throw', 'it broke'],
  ] as const)('[decision 0017] fails only the task whose thread ends by %s', async (fate, why) => {
    const { pool } = aPool();
    const broken = pool.run('ada', { name: 'broken', fate });
    const next = pool.run('ada', { name: 'next' });
    expect(await broken).toEqual({ kind: 'ended', why });
    expect(await next).toEqual({ kind: 'answered', answer: 'next' });
  });

  it('[decision 0017] says why when a thread cannot be started, or is not ready in time', async () => {
    expect(await aPool({ program: 'throw new Error("no program")' }).pool.run('ada', { name: 'any' })).toEqual({
      kind: 'ended',
      why: 'no program',
    });
    const { pool, clock } = aPool({ program: 'setInterval(() => undefined, 1000)' });
    const late = pool.run('ada', { name: 'any' });
    await clock.advance(60_000);
    expect(await late).toEqual({ kind: 'ended', why: 'its thread did not start in time' });
  });

  it('[decision 0017] refuses at once what it cannot take on, of one owner and of all', async () => {
    const { pool } = aPool({ mostWaiting: 2, mostOfOne: 2 });
    const gate = aGate();
    const running = pool.run('ada', { name: 'a1', gate });
    const waiting = [pool.run('ada', { name: 'a2' }), pool.run('ben', { name: 'b1' })];
    expect(await pool.run('ada', { name: 'a3' })).toEqual({ kind: 'too-many-of-one' });
    expect(await pool.run('eve', { name: 'e1' })).toEqual({ kind: 'too-many' });
    open(gate);
    expect(await Promise.all([running, ...waiting])).toEqual(['a1', 'a2', 'b1'].map((answer) => ({ kind: 'answered', answer })));
  });

  it('[decision 0017] lets who has nothing running go before who has', async () => {
    const { pool } = aPool({ mostThreads: 2 });
    const [first, second] = [aGate(), aGate()];
    const order: string[] = [];
    const run = (owner: string, name: string, gate?: Int32Array) =>
      pool.run(owner, { name, ...(gate === undefined ? {} : { gate }) }).then(() => order.push(name));
    const all = [run('ada', 'a1', first), run('ada', 'a2', second), run('ada', 'a3'), run('ben', 'b1')];
    await Promise.all([atGate(first), atGate(second)]);
    open(first);
    await all[3];
    open(second);
    await Promise.all(all);
    expect(order.indexOf('b1')).toBeLessThan(order.indexOf('a3'));
  });

  it('[decision 0017] ends a thread that has nothing to do, and starts another when there is', async () => {
    const { pool, clock, started } = aPool();
    await pool.run('ada', { name: 'first' });
    await clock.advance(IDLE_MS - 1);
    expect(pool.size).toBe(1);
    await clock.advance(1);
    expect(pool.size).toBe(0);
    expect(await pool.run('ada', { name: 'second' })).toEqual({ kind: 'answered', answer: 'second' });
    expect(started()).toBe(2);
  });

  it.each<readonly [string, unknown, object]>([
    [
      'too little memory',
      Object.assign(new Error('reached heap limit'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }),
      { kind: 'too-much-memory' },
    ],
    ['another fault that has a code', Object.assign(new Error('it broke'), { code: 'ERR_OTHER' }), { kind: 'ended', why: 'it broke' }],
    ['a fault without a code', new Error('it broke'), { kind: 'ended', why: 'it broke' }],
    ['what is no error', { code: 'ERR_WORKER_OUT_OF_MEMORY' }, { kind: 'ended', why: expect.any(String) }],
  ])('[decision 0017] answers a task whose thread ends for %s', async (_why, fault, answer) => {
    const worker = Object.assign(new EventEmitter(), { ref() {}, unref() {}, postMessage() {}, terminate: async () => 0 });
    const limits = { startLimitMs: 60_000, limitMs: LIMIT_MS, idleMs: IDLE_MS, mostThreads: 1, mostWaiting: 3, mostOfOne: 9 };
    const pool = new ThreadPool<Task, string>({ start: () => worker as unknown as Worker, clock: new ManualClock(), ...limits });
    pools.push(pool);
    const answered = pool.run('ada', { name: 'large' });
    worker.emit('message', 'ready');
    worker.emit('error', fault);
    worker.emit('message', 'too late');
    expect([await answered, pool.size]).toEqual([answer, 0]);
  });

  it('[issue 10.7] hears nothing more of a thread that was given up, nor what one says unasked', async () => {
    const sent: unknown[] = [];
    const aWorker = () =>
      Object.assign(new EventEmitter(), {
        ref() {},
        unref() {},
        postMessage: (task: Task) => sent.push(task.name),
        terminate: async () => 0,
      });
    const workers: ReturnType<typeof aWorker>[] = [];
    const start = () => workers[workers.push(aWorker()) - 1] as unknown as Worker;
    const clock = new ManualClock();
    const limits = { startLimitMs: 60_000, limitMs: LIMIT_MS, idleMs: IDLE_MS, mostThreads: 1, mostWaiting: 3, mostOfOne: 9 };
    const pool = new ThreadPool<Task, string>({ start, clock, ...limits });
    pools.push(pool);
    const [late, next] = [pool.run('ada', { name: 'late' }), pool.run('ada', { name: 'next' })];
    await clock.advance(60_000);
    expect(await late).toMatchObject({ kind: 'ended' });
    workers[0]?.emit('message', 'ready');
    expect([sent, clock.waiting()]).toEqual([[], 1]);
    workers[1]?.emit('message', 'ready');
    workers[1]?.emit('message', 'done');
    expect([await next, sent]).toEqual([{ kind: 'answered', answer: 'done' }, ['next']]);
    workers[1]?.emit('message', 'and more');
    expect([pool.size, clock.waiting()]).toEqual([1, 1]);
  });

  it('[decision 0017] answers whatever waits when it ends, and takes on nothing more', async () => {
    const { pool } = aPool();
    const gate = aGate();
    const all = [pool.run('ada', { name: 'a1', gate }), pool.run('ben', { name: 'b1' })];
    await atGate(gate);
    await pool[Symbol.asyncDispose]();
    const ended = { kind: 'ended', why: 'the server is ending' };
    expect(await Promise.all([...all, pool.run('ada', { name: 'late' })])).toEqual([ended, ended, ended]);
    expect(pool.size).toBe(0);
  });
});
