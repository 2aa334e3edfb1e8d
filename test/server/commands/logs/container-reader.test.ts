import { describe, expect, it } from 'vitest';
import { MAX_FOLLOWED } from '@/lib/contract/log-stream';
import { Channel } from '@/lib/std/channel';
import type { LogBuffer } from '@/server/commands/logs/log-buffer';
import { readLog } from '@/server/commands/logs/open-log';
import type { Cluster } from '@/server/kube';
import { aPod, readContainer } from './played-logs';

const stamp = (second: number, text: string) => `2026-01-01T09:00:0${second}Z ${text}\n`;
const RUNNING = { state: { running: { startedAt: '2026-01-01T09:00:00Z' } } };
const ENDED = { terminated: { exitCode: 3, startedAt: '2026-01-01T09:00:00Z', finishedAt: '2026-01-01T09:00:05Z' } };
const refused = (status: number, message: string) => ({ status, body: JSON.stringify({ message }) });

describe('[issue 14.1] the log of one container', () => {
  it('is read once to its end where it is not followed, with what was wished of it', async () => {
    const { asked, told, states, end, held, clock } = readContainer(aPod('web', RUNNING), [stamp(1, 'a')], {
      wish: { follow: false, since: '2026-01-01T08:00:00Z' },
    });
    await clock.settle();
    expect(asked.map(({ pod, query }) => [pod, query])).toEqual([
      [
        '/api/v1/namespaces/shop/pods/web/log',
        { container: 'app', timestamps: 'true', tailLines: '10', sinceTime: '2026-01-01T08:00:00Z' },
      ],
    ]);
    expect([told(), states, end.isOver, held.places]).toEqual([
      ['a'],
      [
        ['opening', null],
        ['reading', null],
        ['ended', null],
      ],
      true,
      1,
    ]);
  });

  it('that ended is told with how, and not asked for again', async () => {
    const pod = aPod('web', { state: ENDED });
    const failed = { ...pod, status: { ...(pod.status as object), phase: 'Failed' } };
    const { asked, told, states, end, clock } = readContainer(failed, [stamp(1, 'a')]);
    await clock.advance(60_000);
    expect([asked.length, asked[0]?.query.follow, told(), states.at(-1), end.isOver]).toEqual([
      1,
      undefined,
      ['a', '[exited] ended: exit code 3'],
      ['ended', 'exit code 3'],
      true,
    ]);
  });

  it('goes on where it broke, more slowly each time, and tells nothing twice', async () => {
    const { asked, told, states, clock } = readContainer(aPod('web', RUNNING), [
      stamp(1, 'a'),
      stamp(1, 'a') + stamp(2, 'b'),
      new Error('the connection broke'),
      stamp(3, 'c'),
    ]);
    await clock.settle();
    expect([asked.length, told()]).toEqual([1, ['a']]);
    await clock.advance(999);
    expect(asked.length).toBe(1);
    await clock.advance(1);
    expect([asked.length, told(), asked[1]?.query]).toEqual([
      2,
      ['b'],
      { container: 'app', timestamps: 'true', follow: 'true', sinceTime: '2026-01-01T09:00:01Z' },
    ]);
    await clock.advance(1000);
    expect([told(), states.at(-1)]).toEqual([
      ['[broken] the connection to the log broke: the connection broke'],
      ['broken', 'the connection broke'],
    ]);
    await clock.advance(1999);
    expect(asked.length).toBe(3);
    await clock.advance(1);
    expect([asked.length, told()]).toEqual([4, ['c']]);
  });

  it('tells what repeats once, and everything from the first line on that was not told', async () => {
    const { told, clock } = readContainer(aPod('web', RUNNING), [
      `${stamp(1, 'a')}${stamp(2, 'b')}`,
      `${stamp(2, 'b')}no time\n${stamp(1, 'late')}without an end`,
    ]);
    await clock.settle();
    expect(told()).toEqual(['a', 'b']);
    await clock.advance(1000);
    expect(told()).toEqual(['no time', 'late', 'without an end']);
  });

  it.each<readonly [string, string]>([
    [`{"message":"${'x'.repeat(50)}"}`, 'x'.repeat(50)],
    ['{}', 'the cluster answered 500'],
    ['<html>', 'the cluster answered 500'],
    [`{"message":"${'x'.repeat(5000)}"}`, 'the cluster answered 500'],
  ])('says why it cannot be read, in a few words: %s', async (body, sentence) => {
    const { states, clock } = readContainer(aPod('web', RUNNING), [{ status: 500, body }], { wish: { follow: false } });
    await clock.settle();
    expect(states.at(-1)).toEqual(['refused', sentence]);
  });

  it.each<readonly [string, readonly string[], string, number]>([
    ['in two pieces', ['{"message":"no', ' place"}'], 'no place', 2],
    ['whose first piece is as long as is read', [`{"message":"${'x'.repeat(3988)}`, '"}'], 'x'.repeat(3988), 2],
    ['that is longer', [`{"message":"${'x'.repeat(3989)}`, '"}'], 'the cluster answered 500', 1],
  ])(
    '[issue 10.7] reads why it cannot be read to the end, and no further than 4000 signs: an answer %s',
    async (_what, pieces, told, taken) => {
      const count = { taken: 0 };
      const body = (async function* () {
        for (const piece of pieces) {
          count.taken++;
          yield Buffer.from(piece);
        }
      })();
      const request = async () => ({ status: 500, headers: {}, body });
      const into = {
        cluster: { request } as unknown as Cluster,
        feed: {} as LogBuffer,
        from: 1,
        signal: new AbortController().signal,
        after: 0,
      };
      const part = { ns: 'shop', pod: 'web', container: 'app', previous: false, follow: false, tail: undefined, since: undefined };
      const outcome = await readLog(part, { ...into, onOpen: () => undefined });
      expect([outcome, count.taken]).toEqual([{ kind: 'refused', status: 500, sentence: told }, taken]);
    },
  );

  it('is tried again at most every half minute', async () => {
    const { asked, clock } = readContainer(aPod('web', RUNNING), [refused(500, 'no')]);
    await clock.advance(1000 + 2000 + 4000 + 8000 + 16_000 + 30_000);
    expect(asked.length).toBe(7);
    await clock.advance(29_999);
    expect(asked.length).toBe(7);
    await clock.advance(1);
    expect(asked.length).toBe(8);
  });

  it.each<readonly [number, boolean, string, boolean]>([
    [403, true, 'refused', true],
    [401, true, 'refused', true],
    [400, true, 'waiting', false],
    [404, true, 'waiting', false],
    [500, true, 'broken', false],
    [400, false, 'waiting', true],
    [404, false, 'refused', true],
    [500, false, 'refused', true],
  ])('that is refused with %i, followed %s, is %s', async (status, follow, state, isOver) => {
    const { states, end, told, held, clock } = readContainer(aPod('web', RUNNING), [refused(status, 'no such log')], { wish: { follow } });
    await clock.settle();
    expect([states.at(-1), end.isOver ?? false, told(), held.places]).toEqual([[state, 'no such log'], isOver, [], isOver ? 1 : 0]);
  });

  it('waits until it has run, where it is followed, and ends with why where it is not', async () => {
    const waiting = aPod('web', { state: { waiting: { reason: 'ErrImagePull' } } });
    const { reader, asked, states, clock } = readContainer(waiting, [stamp(1, 'a')]);
    await clock.advance(60_000);
    expect([states.at(-1), asked.length]).toEqual([['waiting', 'ErrImagePull'], 0]);
    reader.update(waiting);
    reader.update(aPod('web', RUNNING));
    await clock.settle();
    expect(asked.length).toBe(1);
    const once = readContainer(waiting, [stamp(1, 'a')], { wish: { follow: false } });
    await once.clock.settle();
    expect([once.states, once.asked.length, once.end.isOver]).toEqual([[['waiting', 'ErrImagePull']], 0, true]);
  });

  it('of a run after another is read from its beginning, with how the other ended', async () => {
    const pod = (status: object) => aPod('web', status);
    const { reader, asked, told, states, clock } = readContainer(pod(RUNNING), [stamp(1, 'a'), stamp(7, 'b')]);
    await clock.settle();
    reader.update(pod({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ENDED, restartCount: 1 }));
    await clock.settle();
    expect([told(), states.at(-1)]).toEqual([
      ['a', '[exited] ended: exit code 3'],
      ['waiting', 'CrashLoopBackOff'],
    ]);
    reader.update(pod({ state: { running: { startedAt: '2026-01-01T09:00:06Z' } }, lastState: ENDED, restartCount: 1 }));
    await clock.settle();
    expect([told(), asked.length, asked[1]?.query]).toEqual([
      ['[restarted] started again, restart 1', 'b'],
      2,
      { container: 'app', timestamps: 'true', follow: 'true' },
    ]);
  });

  it('of the run before is read once, with how that ended', async () => {
    const before = { state: { running: { startedAt: '2026-01-01T09:00:06Z' } }, lastState: ENDED, restartCount: 1 };
    const { asked, told, states, end, clock } = readContainer(aPod('web', before), [stamp(1, 'a')], { wish: { previous: true } });
    await clock.settle();
    expect([asked.map(({ query }) => [query.previous, query.follow, query.tailLines]), told(), states.at(-1), end.isOver]).toEqual([
      [['true', undefined, '10']],
      ['a', '[exited] ended: exit code 3'],
      ['ended', 'the previous run'],
      true,
    ]);
    for (const [status, state] of [
      [400, 'ended'],
      [403, 'refused'],
    ] as const) {
      const none = readContainer(aPod('web', RUNNING), [refused(status, 'none')], { wish: { previous: true } });
      await none.clock.settle();
      expect([none.states.at(-1), none.told(), none.end.isOver]).toEqual([[state, 'none'], [], true]);
    }
    const first = readContainer(aPod('web', RUNNING), [stamp(1, 'a')], { wish: { previous: true } });
    await first.clock.settle();
    expect(first.told()).toEqual(['a']);
  });

  it('holds a place of the person until nothing more comes, and waits for one where there is none', async () => {
    const { reader, asked, states, held, end, leaving, clock } = readContainer(aPod('web', RUNNING), [new Channel<Uint8Array>(1)], {
      places: 0,
    });
    await clock.advance(60_000);
    expect([states, asked.length]).toEqual([[['left', `not read: at most ${MAX_FOLLOWED} containers are read at once for one person`]], 0]);
    held.places = 1;
    reader.wake();
    await clock.settle();
    expect([asked.length, held.places]).toEqual([1, 0]);
    leaving.abort();
    await clock.settle();
    expect(asked[0]?.signal?.aborted).toBe(true);
    expect(end.isOver ?? false).toBe(false); // its body goes on in this test
  });

  it('of a pod that is gone is read for five seconds more, and told to be gone where it was read', async () => {
    const body = new Channel<Uint8Array>(5);
    const { reader, asked, told, states, end, clock } = readContainer(aPod('web', RUNNING), [body]);
    await clock.settle();
    reader.update(undefined);
    await body.send(Buffer.from(stamp(1, 'last words')));
    await clock.advance(4999);
    expect([asked[0]?.signal?.aborted, told()]).toEqual([false, ['last words']]);
    await clock.advance(1);
    expect(asked[0]?.signal?.aborted).toBe(true);
    body.close();
    await clock.settle();
    expect([told(), states.at(-1), end.isOver, clock.waiting()]).toEqual([['[gone] pod web is gone'], ['gone', null], true, 0]);
    const unread = readContainer(aPod('web', { state: { waiting: { reason: 'x' } } }), []);
    await unread.clock.settle();
    unread.reader.update(undefined);
    await unread.clock.settle();
    expect([unread.told(), unread.states.at(-1), unread.end.isOver]).toEqual([[], ['gone', null], true]);
  });

  it('is told no further once nobody reads it', async () => {
    const body = new Channel<Uint8Array>(5);
    const { told, end, leaving, clock } = readContainer(aPod('web', RUNNING), [body]);
    await clock.settle();
    leaving.abort();
    await body.send(Buffer.from(`${stamp(1, 'a')}${stamp(2, 'b')}`));
    await clock.settle();
    expect([told().length, end.isOver]).toEqual([1, true]);
  });
});
