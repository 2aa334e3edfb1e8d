import { describe, expect, it } from 'vitest';
import { MAX_LINE_BYTES } from '@/lib/contract/log-stream';
import { LogBuffer } from '@/server/commands/logs/log-buffer';
import { takeMerged } from '@/server/commands/logs/merge';
import { createLineReader } from '@/server/commands/logs/read-line';
import { LineSplitter } from '@/server/commands/logs/split-lines';

/** What the node puts before a line does not count: so much is held of each. */
const HELD = MAX_LINE_BYTES + 40;

describe('[issue 14.1] the lines of a log, as its bytes come', () => {
  const cut = (...pieces: readonly (string | Uint8Array)[]) => {
    const cutter = new LineSplitter();
    const lines = pieces.flatMap((piece) => [...cutter.take(typeof piece === 'string' ? Buffer.from(piece) : piece)]);
    const rest = cutter.rest();
    return [...lines, ...(rest === undefined ? [] : [rest])].map(({ text, cut: bytes }) => [
      text.length > 40 ? `${text.length} signs` : text,
      bytes,
    ]);
  };

  it.each<readonly [string, readonly (string | Uint8Array)[], readonly (readonly [string, number])[]]>([
    ['one in a piece', ['a\n'], [['a', 0]]],
    [
      'several in a piece',
      ['a\nb\n\nc\n'],
      [
        ['a', 0],
        ['b', 0],
        ['', 0],
        ['c', 0],
      ],
    ],
    [
      'one in several pieces',
      ['a', 'b', 'c\nd\n'],
      [
        ['abc', 0],
        ['d', 0],
      ],
    ],
    [
      'one whose end comes first in a piece',
      ['a', '\nb\n'],
      [
        ['a', 0],
        ['b', 0],
      ],
    ],
    [
      'one without an end',
      ['a\nb'],
      [
        ['a', 0],
        ['b', 0],
      ],
    ],
    ['none', ['', ''], []],
    ['one whose last sign came by half, of which nothing is left out', [Buffer.from('a'), Buffer.from([0xe2, 0x82, 10])], [['a\ufffd', 0]]],
    ['one as long as is shown, in two pieces', ['x', `${'x'.repeat(HELD - 1)}\n`], [[`${HELD} signs`, 0]]],
    ['one as long as is shown', [`${'x'.repeat(HELD)}\n`], [[`${HELD} signs`, 0]]],
    [
      'one that is longer',
      [`${'x'.repeat(HELD + 1)}\ny\n`],
      [
        [`${HELD} signs`, 1],
        ['y', 0],
      ],
    ],
    [
      'one that is longer, in pieces',
      ['x'.repeat(HELD - 1), 'xx', 'xxx\ny'],
      [
        [`${HELD} signs`, 4],
        ['y', 0],
      ],
    ],
    ['one that never ends', ['x'.repeat(HELD * 3)], [[`${HELD} signs`, HELD * 2]]],
  ])('%s', (_what, pieces, lines) => {
    expect(cut(...pieces)).toEqual(lines);
  });

  it('leave out a sign that is cut in two, and count it', () => {
    const [line] = [...new LineSplitter().take(Buffer.from(`${'x'.repeat(HELD - 1)}€\n`))];
    expect([line?.text.length, line?.cut]).toEqual([HELD - 1, 3]);
  });

  it('hold no piece for the few bytes at its end, and read it where it stands', () => {
    const whole = Buffer.from('??a\nb?');
    const cutter = new LineSplitter();
    const piece = whole.subarray(2, 5);
    expect([...cutter.take(piece)]).toEqual([{ text: 'a', cut: 0 }]);
    whole.fill('!');
    expect(cutter.rest()).toEqual({ text: 'b', cut: 0 });
  });
});

describe('[issue 14.1] a line of a log', () => {
  const read = (text: string, more: object = {}) => createLineReader(3)({ text, cut: 0, ...more });
  const AT = Date.UTC(2026, 0, 1, 9, 0, 0);

  it.each<readonly [string, string, number | undefined, string | null]>([
    ['2026-01-01T09:00:00Z hello', 'hello', AT, '2026-01-01T09:00:00Z'],
    ['2026-01-01T09:00:00.250000000Z hello', 'hello', AT + 250, '2026-01-01T09:00:00.250000000Z'],
    ['2026-01-01T11:00:00.5+02:00 hello', 'hello', AT + 500, '2026-01-01T11:00:00.5+02:00'],
    ['2026-01-01T09:00:00Z ', '', AT, '2026-01-01T09:00:00Z'],
    ['2026-01-01T09:00:00Zhello', '2026-01-01T09:00:00Zhello', undefined, null],
    ['at 2026-01-01T09:00:00Z hello', 'at 2026-01-01T09:00:00Z hello', undefined, null],
    ['2026-99-99T09:00:00Z hello', 'hello', undefined, '2026-99-99T09:00:00Z'],
    ['hello', 'hello', undefined, null],
    ['hello\r', 'hello', undefined, null],
    ['hel\rlo\r', 'hel\\u000dlo', undefined, null],
  ])('%j', (text, told, order, at) => {
    const placed = read(text);
    expect([placed.line.text, placed.order, placed.line.at ?? null, placed.line.from]).toEqual([told, order, at, 3]);
  });

  it('says how much of it was cut, and nothing where nothing was', () => {
    expect([read('a', { cut: 5 }).line, 'cut' in read('a').line]).toEqual([expect.objectContaining({ cut: 5 }), false]);
  });

  it('is placed by its own second, whichever second came before it', () => {
    const reader = createLineReader(1);
    const orderOf = (text: string) => reader({ text, cut: 0 }).order;
    expect([
      orderOf('2026-01-01T09:00:00Z a'),
      orderOf('2026-01-01T09:00:00.1Z b'),
      orderOf('2026-01-01T09:00:01Z c'),
      orderOf('2026-01-01T09:00:00+01:00 d'),
    ]).toEqual([AT, AT + 100, AT + 1000, AT - 3_600_000]);
  });
});

const line = (text: string) => ({ from: 1, at: null, text });

describe('[issue 14.1] the lines of a container that wait to be told', () => {
  const open = () => {
    const clock = { now: 0, news: 0 };
    const feed = new LogBuffer(
      () => clock.now,
      () => clock.news++,
    );
    return { feed, clock };
  };

  it('keep the order in which they came; one without a time stands after the one before it', () => {
    const { feed, clock } = open();
    clock.now = 50;
    feed.push({ order: undefined, line: line('first') });
    expect([feed.head, feed.latest]).toEqual([expect.objectContaining({ order: 50, arrivedAt: 50 }), 50]);
    feed.push({ order: 100, line: line('a') });
    feed.push({ order: 20, line: line('late') });
    feed.push({ order: undefined, line: line('b') });
    expect(feed.latest).toBe(100);
    expect([feed.take(), feed.take(), feed.take(), feed.take(), feed.take()].map((one) => one?.text)).toEqual([
      'first',
      'a',
      'late',
      'b',
      undefined,
    ]);
    expect(feed.head).toBeUndefined();
  });

  it('are read no further beyond 64 KB, and again once half of that is told', async () => {
    const { feed } = open();
    const size = 64 * 1024 - 60;
    feed.push({ order: 1, line: line('x'.repeat(size - 61)) });
    feed.push({ order: 1, line: line('') });
    expect(feed.isFull).toBe(false);
    await feed.room();
    feed.push({ order: 1, line: line('') });
    expect(feed.isFull).toBe(true);
    let isRoom = false;
    const room = feed.room().then(() => {
      isRoom = true;
    });
    await Promise.resolve();
    expect(isRoom).toBe(false);
    feed.take();
    await room;
    expect([isRoom, feed.isFull]).toEqual([true, false]);
    for (let at = 0; at < 40; at++) feed.push({ order: 1, line: line('x'.repeat(2000)) });
    const dropped = feed.room();
    feed.drop();
    await dropped;
    expect([feed.head, feed.isFull, feed.take()]).toEqual([undefined, false, undefined]);
  });

  it('are full at 64 KB exactly, and make no room until less than half of it waits', async () => {
    const { feed } = open();
    const half = 'x'.repeat(32 * 1024 - 60);
    feed.push({ order: 1, line: line('x'.repeat(32 * 1024 - 61)) });
    feed.push({ order: 1, line: line('') });
    feed.push({ order: 1, line: line(half.slice(60)) });
    expect(feed.isFull).toBe(false);
    feed.push({ order: 1, line: line('x') });
    expect(feed.isFull).toBe(true);
    const exact = open().feed;
    exact.push({ order: 1, line: line(half) });
    exact.push({ order: 1, line: line(half) });
    expect(exact.isFull).toBe(true);
    let isRoom = false;
    const room = exact.room().then(() => {
      isRoom = true;
    });
    exact.take();
    await Promise.resolve();
    expect([isRoom, exact.isFull]).toEqual([false, false]);
    exact.take();
    await room;
    expect(isRoom).toBe(true);
  });

  it('stay in their order over thousands of them', () => {
    const { feed } = open();
    const told: string[] = [];
    for (let at = 0; at < 2500; at++) feed.push({ order: at, line: line(String(at)) });
    for (let one = feed.take(); one !== undefined; one = feed.take()) told.push(one.text);
    expect(told).toEqual(Array.from({ length: 2500 }, (_, at) => String(at)));
  });

  it('wake who waits for the first of them, and for whether more may come', () => {
    const { feed, clock } = open();
    expect([feed.phase, clock.news]).toEqual(['quiet', 0]);
    feed.turn('opening');
    feed.turn('opening');
    expect(clock.news).toBe(1);
    feed.push({ order: 1, line: line('a') });
    expect([feed.phase, clock.news]).toEqual(['open', 2]);
    feed.push({ order: 2, line: line('b') });
    expect(clock.news).toBe(2);
    feed.turn('quiet');
    feed.push({ order: 3, line: line('c') });
    expect([feed.phase, clock.news]).toEqual(['quiet', 3]);
    feed.take();
    feed.take();
    feed.take();
    feed.push({ order: 4, line: line('d') });
    expect(clock.news).toBe(4);
  });
});

describe('[issue 14.1] the lines of several containers', () => {
  const feedOf = (phase: 'opening' | 'open' | 'quiet', ...lines: readonly (readonly [number, string])[]) => {
    const feed = new LogBuffer(
      () => 1000,
      () => undefined,
    );
    for (const [order, text] of lines) feed.push({ order, line: line(text) });
    feed.turn(phase);
    return feed;
  };
  const merged = (now: number, ...feeds: readonly LogBuffer[]) => {
    const { lines, againInMs } = takeMerged(new Set(feeds), now);
    return [lines.map(({ text }) => text), againInMs];
  };

  it('are told by their times, those of one time by the container that is first', () => {
    expect(merged(1000, feedOf('open', [1, 'a'], [4, 'd']), feedOf('open', [2, 'b'], [4, 'e']))).toEqual([['a', 'b', 'd'], 300]);
    expect(merged(1000, feedOf('quiet', [1, 'a'], [4, 'd']), feedOf('quiet', [2, 'b'], [3, 'c']))).toEqual([
      ['a', 'b', 'c', 'd'],
      undefined,
    ]);
    expect(merged(1000)).toEqual([[], undefined]);
  });

  it('wait 300 ms for a container that says nothing now, and 3 s for one that has not answered', () => {
    expect(merged(1299, feedOf('open', [1, 'a']), feedOf('open'))).toEqual([[], 1]);
    expect(merged(1300, feedOf('open', [1, 'a']), feedOf('open'))).toEqual([['a'], undefined]);
    for (const feeds of [
      [feedOf('opening'), feedOf('open')],
      [feedOf('open'), feedOf('opening')],
    ]) {
      expect(merged(1300, feedOf('quiet', [1, 'a']), ...feeds)).toEqual([[], 2700]);
      expect(merged(4000, feedOf('quiet', [1, 'a']), ...feeds)).toEqual([['a'], undefined]);
    }
    expect(merged(1000, feedOf('open', [1, 'a']), feedOf('quiet'))).toEqual([['a'], undefined]);
  });

  it('are told 500 at once, or 128 KB of them, and the rest at once after that', () => {
    const many = feedOf('quiet', ...Array.from({ length: 501 }, (_, at) => [at, 'x'] as const));
    expect(merged(1000, many)).toEqual([Array.from({ length: 500 }, () => 'x'), 0]);
    expect(merged(1000, many)).toEqual([['x'], undefined]);
    const long = (at: number) => [at, 'x'.repeat(64 * 1024)] as const;
    const { lines, againInMs } = takeMerged(new Set([feedOf('quiet', long(1), long(2), long(3))]), 1000);
    expect([lines.length, againInMs]).toEqual([2, 0]);
  });
});
