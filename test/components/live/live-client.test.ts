import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { describe, expect, it, vi } from 'vitest';
import type { SocketLike } from '@/components/live/live-client';
import { createLiveClient } from '@/components/live/live-client';
import { liveKey } from '@/components/live/live-query';
import { RequestError } from '@/components/live/request';
import type { Keyed, Seq, SubscribeAnswer, WindowSnapshot } from '@/lib/contract/live';

const freshness = { observedAt: '2026-11-20T09:00:00.000Z', source: 'watch', stale: null } as const;
const windowAt = (seq: number, keys: readonly string[], bootId = 'a'): WindowSnapshot<Keyed> => ({
  seq: { bootId, seq },
  freshness,
  total: keys.length,
  order: keys,
  rows: keys.map((key) => ({ key })),
});

interface Subscription {
  readonly topic: string;
  readonly since: Seq | undefined;
  readonly answer: (reply: SubscribeAnswer) => void;
}

/** A socket without a wire: the test is the server. */
function startClient() {
  const handlers = new Map<string, (...args: never[]) => void>();
  const subscriptions: Subscription[] = [];
  const left: string[] = [];
  let dialled = 0;
  const socket = {
    connected: false,
    on: (event: string, handler: (...args: never[]) => void) => void handlers.set(event, handler),
    emit: (event: string, request: string | { topic: string; since?: Seq }, answer?: (reply: SubscribeAnswer) => void) => {
      if (typeof request === 'string') left.push(request);
      else if (event === 'subscribe' && answer) subscriptions.push({ topic: request.topic, since: request.since, answer });
    },
    connect: () => void dialled++,
    disconnect: () => {},
    io: { on: (event: string, handler: () => void) => void handlers.set(event, handler) },
  };
  const session: { answer: 'lasts' | 'ended' | 'no-answer' } = { answer: 'no-answer' };
  const clock = { now: 1000 };
  const queries = new QueryClient();
  const client = createLiveClient({
    queries,
    socket: socket as unknown as SocketLike,
    now: () => clock.now,
    askSession: async () => session.answer,
  });
  return {
    client,
    clock,
    queries,
    subscriptions,
    left,
    session,
    dialled: () => dialled,
    hear: (event: string, ...args: unknown[]) => {
      if (event === 'connect') socket.connected = true;
      if (event === 'disconnect') socket.connected = false;
      handlers.get(event)?.(...(args as never[]));
    },
    held: (topic: string) => queries.getQueryData<WindowSnapshot<Keyed>>(liveKey(topic)),
  };
}

describe('the one socket', () => {
  it('[style 1.4] subscribes a topic once, however many components watch it, and leaves with the last', () => {
    const { client, subscriptions, left, hear } = startClient();
    hear('connect');
    const first = client.watch('inbox');
    const second = client.watch('inbox');
    first();
    expect(subscriptions.map(({ topic }) => topic)).toEqual(['inbox']);
    expect(left).toEqual([]);
    second();
    expect(left).toEqual(['inbox']);
  });

  it('[style 1.4] asks from the position it holds after a reconnect, and is catching up until every topic has answered', () => {
    const { client, queries, subscriptions, hear } = startClient();
    queries.setQueryData(liveKey('inbox'), windowAt(7, ['x']));
    client.watch('inbox');
    client.watch('rollouts');
    hear('connect');
    expect(client.connection()).toEqual({ kind: 'catching-up', since: 1000 });
    expect(subscriptions.map(({ topic, since }) => [topic, since?.seq])).toEqual([
      ['inbox', 7],
      ['rollouts', undefined],
    ]);
    subscriptions[0]?.answer({ kind: 'resumed', delta: null });
    expect(client.connection().kind).toBe('catching-up');
    subscriptions[1]?.answer({ kind: 'snapshot', snapshot: windowAt(3, []) });
    expect(client.connection()).toEqual({ kind: 'live' });
  });

  it('[design 7] folds what is pushed, and reads again after a reset', () => {
    const { client, subscriptions, hear, held } = startClient();
    client.watch('inbox');
    hear('connect');
    subscriptions[0]?.answer({ kind: 'snapshot', snapshot: windowAt(3, ['x']) });
    hear('rows', 'inbox', windowAt(4, ['x', 'y']));
    expect(held('inbox')?.order).toEqual(['x', 'y']);
    hear('reset', 'inbox');
    expect(subscriptions.at(-1)).toMatchObject({ topic: 'inbox', since: undefined });
    subscriptions.at(-1)?.answer({ kind: 'snapshot', snapshot: windowAt(1, ['z'], 'b') });
    expect(held('inbox')?.order).toEqual(['z']);
  });

  it('[design 8] forgets rows one may no longer see', () => {
    const { client, subscriptions, hear, held, queries } = startClient();
    queries.setQueryData(liveKey('inbox'), windowAt(3, ['secret']));
    client.watch('inbox');
    hear('connect');
    subscriptions[0]?.answer({ kind: 'refused', code: 'forbidden', message: 'You may not see the inbox.' });
    expect(held('inbox')).toBeUndefined();
    // The refusal is the answer: to read once more would only be refused once more, in the console too.
    expect(queries.getQueryState(liveKey('inbox'))).toMatchObject({
      status: 'error',
      fetchStatus: 'idle',
      error: { code: 'forbidden', message: 'You may not see the inbox.' },
    });
  });

  it('[design 9] says since when it is offline, and keeps the moment through failed attempts', () => {
    const { client, hear } = startClient();
    hear('connect');
    expect(client.connection()).toEqual({ kind: 'live' });
    hear('disconnect', 'transport close');
    expect(client.connection()).toMatchObject({ kind: 'offline', since: 1000 });
    hear('connect_error', new Error('refused'));
    expect(client.connection()).toMatchObject({ kind: 'offline', since: 1000, reason: 'The server does not answer.' });
    hear('ended', 'Your session was ended.');
    hear('connect');
    expect(client.connection()).toEqual({ kind: 'ended', reason: 'Your session was ended.' });
  });

  it.each([
    ['a sign of life', (hear: (event: string, ...args: unknown[]) => void) => hear('ping')],
    ['a row', (hear: (event: string, ...args: unknown[]) => void) => hear('rows', 'inbox', windowAt(4, []))],
  ])('[issue 14.2] is offline since the last time that anything was heard, here %s, and not since that is noticed', (_what, say) => {
    const { client, clock, hear } = startClient();
    hear('connect');
    clock.now = 4000;
    say(hear);
    clock.now = 14_000;
    hear('disconnect', 'ping timeout');
    expect(client.connection()).toMatchObject({ kind: 'offline', since: 4000 });
  });

  it('[issue 14.2] is offline within ten seconds of silence, keeps the connection, and is live again with the next sign of life', () => {
    vi.useFakeTimers();
    try {
      const { client, clock, hear, subscriptions } = startClient();
      const stop = client.start();
      hear('connect');
      expect(client.connection()).toEqual({ kind: 'live' });
      const pass = (ms: number) => {
        clock.now += ms;
        vi.advanceTimersByTime(ms);
      };
      pass(5000);
      hear('ping');
      pass(7000);
      expect(client.connection()).toEqual({ kind: 'live' });
      pass(3000);
      expect(client.connection()).toMatchObject({ kind: 'offline', since: 6000 });
      hear('ping');
      expect([client.connection(), subscriptions]).toEqual([{ kind: 'live' }, []]);
      stop();
      pass(60_000);
      expect(client.connection()).toEqual({ kind: 'live' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('[issue 14.3] keeps what helps where the server ended a connection that the session outlasts', () => {
    const { client, hear } = startClient();
    hear('connect');
    hear('ended', 'mara has 20 live connections', 'reload');
    expect(client.connection()).toEqual({ kind: 'ended', reason: 'mara has 20 live connections', remedy: 'reload' });
  });

  it('[design 4] comes back to a server that said goodbye, and not to one that ended the session', () => {
    const { client, hear, dialled } = startClient();
    hear('connect');
    hear('disconnect', 'io server disconnect');
    expect(dialled()).toBe(1);
    hear('connect');
    hear('ended', 'You were signed out.');
    hear('disconnect', 'io server disconnect');
    expect(dialled()).toBe(1);
    expect(client.connection().kind).toBe('ended');
  });

  it('[design 8] tells a session that ended from a server that is away', async () => {
    const { client, hear, session } = startClient();
    hear('connect_error', new Error('websocket error'));
    await Promise.resolve();
    expect(client.connection().kind).toBe('offline');
    session.answer = 'ended';
    hear('connect_error', new Error('websocket error'));
    await Promise.resolve();
    expect(client.connection()).toEqual({ kind: 'ended', reason: 'Your session has ended.' });
  });

  it('[issue 14.3] tells a server that is away from one that only its socket does not reach', async () => {
    const { client, hear, session } = startClient();
    hear('connect_error', new Error('websocket error'));
    await Promise.resolve();
    expect(client.connection()).toMatchObject({ kind: 'offline', reason: 'The server does not answer.', answers: false });
    session.answer = 'lasts';
    hear('connect_error', new Error('websocket error'));
    await Promise.resolve();
    const reached = { kind: 'offline', reason: 'The server answers, but its live connection to this page fails.', answers: true };
    expect(client.connection()).toMatchObject(reached);
    session.answer = 'no-answer';
    hear('connect_error', new Error('websocket error'));
    // It answered a moment ago; the banner does not flicker with every attempt.
    expect(client.connection()).toMatchObject(reached);
    await Promise.resolve();
    expect(client.connection()).toMatchObject({ kind: 'offline', since: 1000, answers: false });
  });

  it('[design 9] reads again what nobody answered, once it is live again, and not what was refused', async () => {
    const { client, queries, hear } = startClient();
    client.start();
    const asked = { unreachable: 0, forbidden: 0 };
    for (const code of ['unreachable', 'forbidden'] as const) {
      const queryFn = () => (++asked[code] === 1 ? Promise.reject(new RequestError(code, 'no')) : Promise.resolve('read'));
      new QueryObserver(queries, { queryKey: [code], queryFn, retry: false }).subscribe(() => {});
    }
    await vi.waitFor(() => expect(queries.isFetching()).toBe(0));
    hear('disconnect', 'transport close');
    expect(asked).toEqual({ unreachable: 1, forbidden: 1 });
    hear('connect');
    await vi.waitFor(() => expect(queries.getQueryData(['unreachable'])).toBe('read'));
    expect(asked).toEqual({ unreachable: 2, forbidden: 1 });
  });

  it('[issue 14.3] takes nothing of another cluster that the server comes back with, and ends', () => {
    const of = (id: string | null, bootId: string) =>
      ({ ...windowAt(1, ['status'], bootId), rows: [{ key: 'status', cluster: { id } }] }) as never;
    const { client, queries, subscriptions, hear } = startClient();
    queries.setQueryData(liveKey('status'), of('aaaaaaaa', 'a'));
    for (const topic of ['applications', 'status']) client.watch(topic);
    hear('connect');
    expect(subscriptions.map(({ topic }) => topic)).toEqual(['status']);
    subscriptions[0]?.answer({ kind: 'snapshot', snapshot: of('aaaaaaaa', 'b') });
    expect(subscriptions.map(({ topic }) => topic)).toEqual(['status', 'applications']);
    subscriptions[1]?.answer({ kind: 'snapshot', snapshot: windowAt(1, ['one'], 'b') });
    expect(client.connection().kind).toBe('live');
    hear('disconnect', 'transport close');
    hear('connect');
    subscriptions[2]?.answer({ kind: 'snapshot', snapshot: of('bbbbbbbb', 'c') });
    expect(client.connection()).toEqual({ kind: 'ended', reason: 'The server now shows another cluster.', remedy: 'reload' });
    expect(subscriptions).toHaveLength(3);
    expect(queries.getQueryData(liveKey('status'))).toMatchObject({ rows: [{ cluster: { id: 'aaaaaaaa' } }] });
    client.watch('trackers');
    subscriptions[3]?.answer({ kind: 'snapshot', snapshot: windowAt(1, ['theirs'], 'c') });
    expect(queries.getQueryData(liveKey('trackers'))).toBeUndefined();
  });
});
