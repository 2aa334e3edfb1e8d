import { describe, expect, it } from 'vitest';
import { readLevel } from '@/components/logs/lines/log-level';
import { LogLines, MAX_LINES } from '@/components/logs/lines/log-lines';
import { breakRows, findAll, toPieces } from '@/components/logs/lines/log-text';
import type { LineView } from '@/components/logs/lines/shown-lines';
import { ShownLines } from '@/components/logs/lines/shown-lines';
import type { LogLine } from '@/lib/contract/log-stream';

const aLine = (text: string, over: Partial<LogLine> = {}): LogLine => ({ from: 0, at: '2026-01-01T09:00:00Z', text, ...over });
const WISH: LineView = { search: '', onlyFound: false, level: undefined, columns: undefined };

function show(lines: LogLines, wish: Partial<LineView> = {}) {
  const shown = new ShownLines(lines, { ...WISH, ...wish });
  shown.advance(Number.POSITIVE_INFINITY, () => 0);
  return { shown, texts: () => Array.from({ length: shown.count }, (_, index) => lines.at(shown.number(index))?.text) };
}

function linesOf(...texts: readonly (string | LogLine)[]): LogLines {
  const lines = new LogLines();
  lines.push(texts.map((text) => (typeof text === 'string' ? aLine(text) : text)));
  return lines;
}

describe('the level of a line', () => {
  it('[issue 14.1] is read of JSON as loggers write it, by word and by number', () => {
    expect(readLevel('{"level":"warning","msg":"x"}')).toBe('warn');
    expect(readLevel('{"severity":"CRITICAL"}')).toBe('fatal');
    expect(readLevel('{"level":50,"msg":"x"}')).toBe('error');
    expect(readLevel('{"log":{"level":"debug"}}')).toBe('debug');
    expect(readLevel('{"user":{"level":"error"},"level":"info"}')).toBe('info');
  });

  it('[issue 14.1] is read of JSON that was cut', () => {
    expect(readLevel('{"level":"error","stack":"at a')).toBe('error');
  });

  it('[issue 14.1] is none of what is no JSON, or names no level that there is', () => {
    for (const text of ['ERROR level="error"', '{"level":"loud"}', '{"level":{}}', '{"msg":"x"}', '[1]', '{"level":7}']) {
      expect(readLevel(text), text).toBeUndefined();
    }
  });
});

describe('lines that are shown', () => {
  it.each(['constructor', '__proto__'])('[issue 10.4] are those whose level is %s as well, as of any name that is no level', (name) => {
    const named = [`{"level":"${name}","msg":"a"}`, `{"log":{"level":"${name}"}}`, `{"level":"${name}","stack":"at a`];
    for (const text of named) expect(readLevel(text), text).toBeUndefined();
    const lines = linesOf('{"level":"error","msg":"b"}', ...named);
    expect(show(lines, { level: 'trace' }).texts()).toEqual(['{"level":"error","msg":"b"}', ...named]);
    expect(show(lines, { level: 'warn' }).texts()).toEqual(['{"level":"error","msg":"b"}', ...named]);
  });

  it('[issue 14.1] are those of a level and above; those without one go with the line before them of the same container', () => {
    const lines = linesOf(
      '{"level":"info","msg":"a"}',
      '{"level":"error","msg":"b"}',
      '  at frame',
      aLine('{"level":"info","msg":"other"}', { from: 1 }),
      '  at frame 2',
      aLine('no level', { from: 2 }),
      aLine('ended: exit code 1', { from: 1, mark: 'exited' }),
    );
    expect(show(lines, { level: 'warn' }).texts()).toEqual([
      '{"level":"error","msg":"b"}',
      '  at frame',
      '  at frame 2',
      'ended: exit code 1',
    ]);
  });

  it('[issue 14.1] are all of them with those that are found counted, or only those', () => {
    const lines = linesOf('GET /a', 'POST /b', 'get /c');
    const { shown, texts } = show(lines, { search: 'get' });
    expect([texts().length, shown.found]).toEqual([3, 2]);
    expect(show(lines, { search: 'get', onlyFound: true }).texts()).toEqual(['GET /a', 'get /c']);
    expect([shown.nextFound(-1, 1), shown.nextFound(0, 1), shown.nextFound(2, 1), shown.nextFound(0, -1)]).toEqual([0, 2, 0, 2]);
    expect([shown.placeOfFound(0), shown.placeOfFound(2)]).toEqual([1, 2]);
  });

  it('[issue 14.1] stand on the rows that wrapping gives them', () => {
    const lines = linesOf('x'.repeat(25), 'y', 'z'.repeat(10));
    const { shown } = show(lines, { columns: 10 });
    expect([shown.rows, shown.top(0), shown.top(1), shown.top(2)]).toEqual([5, 0, 3, 4]);
    expect([0, 2, 3, 4, 9].map((row) => shown.indexAt(row))).toEqual([0, 0, 1, 2, 2]);
  });

  it('[issue 14.1] are found by their rows still when older ones are gone', () => {
    const lines = new LogLines();
    const shown = new ShownLines(lines, { ...WISH, search: '7' });
    for (let from = 0; from < MAX_LINES + 6000; from += 1000) {
      lines.push(Array.from({ length: 1000 }, (_, at) => aLine(`line ${from + at}`)));
      shown.advance(Number.POSITIVE_INFINITY, () => 0);
    }
    expect([lines.first, lines.end, shown.count, shown.rows]).toEqual([6000, MAX_LINES + 6000, MAX_LINES, MAX_LINES]);
    expect(lines.at(shown.number(shown.indexAt(10)))?.text).toBe('line 6010');
    expect(lines.at(shown.nextFound(6000, 1))?.text).toBe('line 6007');
    expect(lines.at(5999)).toBeUndefined();
  });

  it('[issue 14.1] are looked at in steps: a turn ends when its time is over', () => {
    const lines = linesOf(...Array.from({ length: 1000 }, () => 'x'));
    const shown = new ShownLines(lines, WISH);
    shown.advance(0, () => 1);
    expect(shown.isBehind).toBe(true);
    while (shown.isBehind) shown.advance(0, () => 1);
    expect(shown.count).toBe(1000);
  });
});

describe('the text of a line', () => {
  it('[issue 14.1] is wrapped by what each sign takes', () => {
    expect(breakRows('abcdef', 4)).toEqual([0, 4]);
    expect(breakRows('日本語x', 4)).toEqual([0, 2]);
    expect(breakRows('', 4)).toEqual([0]);
    expect(breakRows('🚀🚀🚀', 4)).toEqual([0, 4]);
  });

  it('[issue 14.1] is cut into what is found and what is not, over the end of a row too', () => {
    const text = 'xxabcxx';
    const found = findAll(text, 'ABC');
    expect(found).toEqual([[2, 5]]);
    expect(toPieces(text, [0, 3], found)).toEqual([
      { text: 'xx', isFound: false },
      { text: 'a', isFound: true },
    ]);
    expect(toPieces(text, [3, 7], found)).toEqual([
      { text: 'bc', isFound: true },
      { text: 'xx', isFound: false },
    ]);
  });
});
