import { describe, expect, it } from 'vitest';
import type { LogStreamEvent } from '@/lib/contract/log-stream';
import type { KubeObject } from '@/lib/kube/object';
import { Channel } from '@/lib/std/channel';
import { LogBuffer } from '@/server/commands/logs/log-buffer';
import { LogStream } from '@/server/commands/logs/log-stream';
import { OnePod } from '@/server/commands/logs/pod-source';
import type { ReaderSet } from '@/server/commands/logs/reader-set';
import type { Cluster, WatchEvent } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';
import { refusalOf } from '../objects/rig';
import { aPod } from './played-logs';

/** A stream over readers that are played, and all that it told; `undefined` is a sign of life. */
async function open() {
  const clock = new ManualClock();
  const listeners = new Set<() => void>();
  const wake = () => {
    for (const listener of listeners) listener();
  };
  const feed = new LogBuffer(() => clock.now(), wake);
  const held = { news: true, isOver: false, released: 0 };
  const readers = {
    onNews: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    hasNews: () => held.news,
    takeChanged: () => {
      if (!held.news) return undefined;
      held.news = false;
      return { sources: [], unlisted: 0 };
    },
    feeds: () => new Set([feed]),
    isOver: () => held.isOver,
    formatOver: () => 'everything was read',
    release: () => void held.released++,
  } as unknown as ReaderSet;
  const stream = new LogStream(readers, clock);
  const told: (LogStreamEvent | undefined)[] = [];
  const end: { isOver?: boolean } = {};
  const all = async () => {
    for await (const event of stream.events()) told.push(event);
  };
  void all().then(() => {
    end.isOver = true;
  });
  await clock.settle();
  const say = (text: string) => feed.push({ order: 1, line: { from: 0, at: null, text } });
  const texts = () => told.flatMap((event) => (event?.event === 'lines' ? [event.data.lines.map(({ text }) => text)] : []));
  return { clock, feed, held, stream, told, end, say, texts, wake, listeners };
}

describe('[issue 14.1] a stream of logs', () => {
  it('tells what stands otherwise, and lines that come one by one together', async () => {
    const { clock, told, texts, say, held, wake } = await open();
    expect(told).toEqual([{ event: 'sources', data: { sources: [], unlisted: 0 } }]);
    say('a');
    await clock.settle();
    say('b');
    say('c');
    await clock.advance(39);
    expect(texts()).toEqual([['a']]);
    await clock.advance(1);
    expect(texts()).toEqual([['a'], ['b', 'c']]);
    await clock.advance(40);
    held.news = true;
    wake();
    await clock.settle();
    expect(told.filter((event) => event?.event === 'sources')).toHaveLength(2);
  });

  it('[issue 10.7] keeps nothing of the signs of life that it gave', async () => {
    const { clock, stream } = await open();
    const schedule = clock.schedule.bind(clock);
    let cancelled = 0;
    clock.schedule = (delayMs, task) => {
      const cancel = schedule(delayMs, task);
      return () => {
        cancelled++;
        cancel();
      };
    };
    await clock.advance(60 * 60_000);
    stream.release();
    expect([cancelled, clock.waiting()]).toEqual([1, 0]);
  });

  it('gives a sign of life every 15 s, whatever else it tells', async () => {
    const { clock, told, say } = await open();
    const signs = () => told.filter((event) => event === undefined).length;
    await clock.advance(14_999);
    expect(signs()).toBe(0);
    await clock.advance(1);
    expect(signs()).toBe(1);
    say('a');
    await clock.advance(15_000);
    expect(signs()).toBe(2);
  });

  it('ends once everything was read and told, and lets go', async () => {
    const { clock, told, texts, say, held, end, wake, listeners } = await open();
    say('a');
    held.isOver = true;
    await clock.advance(100);
    wake();
    await clock.settle();
    expect([texts(), told.at(-1), end.isOver, held.released, clock.waiting(), listeners.size]).toEqual([
      [['a']],
      { event: 'end', data: { outcome: 'over', sentence: 'everything was read' } },
      true,
      1,
      0,
      0,
    ]);
  });

  it('ends with why nobody may read it any more, once, and tells nothing of what waited', async () => {
    const { clock, stream, told, texts, say, held, end } = await open();
    say('a');
    await clock.settle();
    say('secret');
    stream.withdraw('ann may not');
    stream.withdraw('again');
    await clock.advance(20_000);
    expect([texts(), told.at(-1), end.isOver, held.released]).toEqual([
      [['a']],
      { event: 'end', data: { outcome: 'withdrawn', sentence: 'ann may not' } },
      true,
      1,
    ]);
  });

  it('tells no line once it is withdrawn, also while what stands otherwise is being told', async () => {
    const { feed, held, stream } = await open();
    stream.release();
    held.news = true;
    const readers = {
      onNews: () => () => undefined,
      hasNews: () => held.news,
      takeChanged: () => ({ sources: [], unlisted: 0 }),
      feeds: () => new Set([feed]),
      isOver: () => false,
      release: () => undefined,
    };
    const other = new LogStream(readers as unknown as ReaderSet, new ManualClock());
    const events = other.events();
    expect((await events.next()).value).toMatchObject({ event: 'sources' });
    feed.push({ order: 1, line: { from: 0, at: null, text: 'secret' } });
    other.withdraw('ann may not');
    expect([(await events.next()).value, (await events.next()).done]).toEqual([
      { event: 'end', data: { outcome: 'withdrawn', sentence: 'ann may not' } },
      true,
    ]);
  });

  it('ends without a word when whoever reads it leaves, also while lines rest', async () => {
    for (const isResting of [true, false]) {
      const { clock, stream, told, say, held, end } = await open();
      if (isResting) say('a');
      await clock.settle();
      const before = told.length;
      stream.release();
      await clock.settle();
      expect([told.length, end.isOver, held.released, clock.waiting()]).toEqual([before, true, 1, 0]);
    }
  });
});

describe('[issue 14.1] one pod whose logs are read', () => {
  const pod = aPod('web', undefined, { resourceVersion: '1' });
  const open = async (get: () => Promise<KubeObject>) => {
    const clock = new ManualClock();
    const leaving = new AbortController();
    const asked = { gets: 0, watches: 0 };
    const events = new Channel<WatchEvent | Error>(10);
    const cluster = {
      get: () => {
        asked.gets++;
        return get();
      },
      async *watch() {
        asked.watches++;
        for await (const event of events) {
          if (event instanceof Error) throw event;
          yield event;
        }
      },
    } as unknown as Cluster;
    const source = await OnePod.open(cluster, { ns: 'shop', pod: 'web' }, { clock, signal: leaving.signal });
    let heard = 0;
    const unlisten = source.onChange(() => heard++);
    await clock.settle();
    return { clock, leaving, asked, events, source, unlisten, heard: () => heard };
  };

  it('is followed, and read again every two seconds where it may not be', async () => {
    const { clock, asked, events, source, heard, unlisten, leaving } = await open(async () => pod);
    expect([source.pods(), source.isOver(), heard(), asked]).toEqual([
      [{ pod, revision: null, component: null }],
      false,
      0,
      { gets: 2, watches: 1 },
    ]);
    await events.send({ type: 'MODIFIED', object: aPod('web', undefined, { resourceVersion: '2' }) });
    await clock.settle();
    expect([source.pods()[0]?.pod.metadata.resourceVersion, heard()]).toEqual(['2', 1]);
    await events.send(refusalOf(403, 'Forbidden'));
    await clock.advance(1999);
    expect(asked.gets).toBe(2);
    await clock.advance(1);
    expect([asked.gets, heard()]).toEqual([3, 2]);
    unlisten();
    leaving.abort();
    await clock.advance(10_000);
    expect([asked.gets, heard(), clock.waiting()]).toEqual([3, 2, 0]);
  });

  it('is gone with another of its name, whose log nobody asked for', async () => {
    for (const event of [
      { type: 'MODIFIED', object: aPod('web', undefined, { uid: 'another' }) },
      { type: 'DELETED', object: pod },
    ] as const) {
      const { clock, asked, events, source, heard } = await open(async () => pod);
      await events.send(event);
      await clock.advance(10_000);
      expect([source.pods(), source.isOver(), heard(), asked.gets, clock.waiting()]).toEqual([[], true, 1, 2, 0]);
    }
  });

  it('is read once where nobody follows it, and is not found where there is none', async () => {
    let gets = 0;
    const get = async () => {
      gets++;
      return pod;
    };
    const cluster = { get } as unknown as Cluster;
    const source = await OnePod.open(cluster, { ns: 'shop', pod: 'web' });
    expect([source.pods().length, gets]).toEqual([1, 1]);
    await expect(open(() => Promise.reject(refusalOf(404, 'NotFound')))).rejects.toMatchObject({ code: 'not-found' });
  });
});
