import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createPageQueue } from '@/server/api';
import type { Session } from '@/server/auth';
import { ManualClock } from '@/test/support/manual-clock';

const asked = (cookie: string | undefined, remoteAddress = '10.0.0.1') =>
  ({ headers: { cookie }, socket: { remoteAddress } }) as unknown as IncomingMessage;

/** Pages that end when they are told to, in the order in which they began. */
function openTurns() {
  const clock = new ManualClock();
  const readSession = async (cookie: string | null | undefined) => {
    if (cookie === 'broken') throw new Error('the store is not open');
    return cookie ? ({ user: cookie.split(' ')[0] } as Session) : undefined;
  };
  const queue = createPageQueue({ auth: { readSession }, peers: { sourceOf: ({ socket }) => socket.remoteAddress ?? '' }, clock });
  const begun: string[] = [];
  const ends = new Map<string, { readonly done: () => void; readonly fail: (error: Error) => void }>();
  const load = (page: string, request: IncomingMessage) =>
    queue(request, () => {
      begun.push(page);
      return new Promise<void>((done, fail) => ends.set(page, { done, fail }));
    });
  return {
    clock,
    begun,
    load,
    end: (page: string) => ends.get(page)?.done(),
    fail: (page: string, error: Error) => ends.get(page)?.fail(error),
  };
}

describe('pages', () => {
  it('[issue 10.4] of a person are computed two at once, over however many sessions, and nobody else waits for them', async () => {
    const { clock, begun, load, end } = openTurns();
    const all = ['one', 'two', 'three', 'four'].map((page, at) => load(page, asked(`ada session-${at}`)));
    const bobs = load('bob’s', asked('bob'));
    await clock.settle();
    expect(begun).toEqual(['one', 'two', 'bob’s']);
    end('two');
    await clock.settle();
    expect(begun).toEqual(['one', 'two', 'bob’s', 'three']);
    for (const page of ['one', 'three', 'bob’s']) end(page);
    await clock.settle();
    end('four');
    expect(await Promise.all([...all, bobs])).toEqual(Array.from({ length: 5 }, () => undefined));
  });

  it('[issue 10.4] of strangers, and of who cannot be told, count by where they come from', async () => {
    const { clock, begun, load } = openTurns();
    for (const page of ['one', 'two', 'three']) void load(page, asked(undefined));
    void load('broken', asked('broken'));
    void load('elsewhere', asked(undefined, '10.0.0.2'));
    await clock.settle();
    expect(begun.sort()).toEqual(['elsewhere', 'one', 'two']);
  });

  it('[issue 10.4] that are read slowly keep the next one for two seconds', async () => {
    const { clock, begun, load, end } = openTurns();
    const first = load('one', asked('ada'));
    void load('two', asked('ada'));
    const third = load('three', asked('ada'));
    await clock.advance(1999);
    expect(begun).toEqual(['one', 'two']);
    await clock.advance(1);
    expect(begun).toEqual(['one', 'two', 'three']);
    end('one');
    end('three');
    expect(await Promise.all([first, third])).toEqual([undefined, undefined]);
  });

  it('[issue 10.4] beyond those that wait are refused with a sentence, and computed again once others are done', async () => {
    const { clock, begun, load, end } = openTurns();
    for (let at = 0; at < 52; at++) void load(String(at), asked('ada'));
    expect(await load('too many', asked('ada'))).toBe('ada has 52 pages running or waiting, which is the limit; try again in a second');
    expect(begun).toEqual(['0', '1']);
    end('0');
    await clock.settle();
    void load('last', asked('ada'));
    for (let at = 1; at < 52; at++) {
      end(String(at));
      await clock.settle();
    }
    expect(begun.at(-1)).toBe('last');
  });

  it('[issue 10.4] that fail say so, and give their turn to the next', async () => {
    const { clock, begun, load, fail } = openTurns();
    const loads = ['one', 'two', 'three'].map((page) => load(page, asked('ada')));
    await clock.settle();
    fail('one', new Error('no such page'));
    await expect(loads[0]).rejects.toThrow('no such page');
    await clock.settle();
    expect(begun).toEqual(['one', 'two', 'three']);
  });
});
