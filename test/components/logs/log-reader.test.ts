import { describe, expect, it } from 'vitest';
import { RequestError } from '@/components/live/request';
import { MAX_LINES } from '@/components/logs/lines/log-lines';
import { LogReader } from '@/components/logs/lines/log-reader';
import type { SentEvent } from '@/lib/contract/event-lines';
import type { LogLine, LogSource } from '@/lib/contract/log-stream';
import { Channel } from '@/lib/std/channel';

const SOURCE: LogSource = {
  id: 5,
  ns: 'shop',
  pod: 'a',
  container: 'app',
  kind: 'container',
  revision: null,
  component: null,
  state: 'reading',
  note: null,
};
const sourcesOf = (...sources: readonly LogSource[]): SentEvent => ({ event: 'sources', data: JSON.stringify({ sources, unlisted: 0 }) });
const linesOf = (...lines: readonly LogLine[]): SentEvent => ({ event: 'lines', data: JSON.stringify({ lines }) });
const aLine = (text: string, at: string | null, from = 5): LogLine => ({ from, at, text });

/** A reader whose connections are written by the test. */
function open() {
  const connections: { readonly events: Channel<SentEvent>; readonly from: string | undefined; fail: Error | undefined }[] = [];
  const pauses: number[] = [];
  const reader = new LogReader({
    async *open(_signal, from) {
      const connection = { events: new Channel<SentEvent>(1), from, fail: undefined as Error | undefined };
      connections.push(connection);
      yield* connection.events;
      if (connection.fail) throw connection.fail;
    },
    follows: true,
    frame: (work) => work(),
    pause: async (ms) => void pauses.push(ms),
    now: () => 0,
  });
  const stop = reader.start();
  const texts = () => Array.from({ length: reader.shown.count }, (_, index) => reader.lines.at(reader.shown.number(index))?.text);
  return { reader, connections, pauses, stop, texts };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a reader of logs', () => {
  it('[issue 14.1] goes on where a connection broke, and tells no line twice', async () => {
    const { connections, pauses, stop, texts, reader } = open();
    const first = connections[0];
    await first?.events.send(sourcesOf(SOURCE));
    await first?.events.send(linesOf(aLine('a', '2026-01-01T09:00:00.1Z'), aLine('b', '2026-01-01T09:00:00.25Z')));
    first?.events.close();
    await settle();
    expect([connections.length, connections[1]?.from, pauses]).toEqual([2, '2026-01-01T09:00:00.25Z', [1000]]);
    await connections[1]?.events.send(sourcesOf({ ...SOURCE, id: 0 }));
    await connections[1]?.events.send(linesOf(aLine('b', '2026-01-01T09:00:00.25Z', 0), aLine('c', '2026-01-01T09:00:00.3Z', 0)));
    await settle();
    expect(texts()).toEqual(['a', 'b', 'c']);
    expect(reader.sources()).toHaveLength(1);
    stop();
  });

  it('[issue 14.1] ends with a sentence when the right is withdrawn, and asks no more', async () => {
    const { connections, reader } = open();
    await connections[0]?.events.send(sourcesOf(SOURCE, { ...SOURCE, id: 6, container: 'done', state: 'ended' }));
    await connections[0]?.events.send({ event: 'end', data: JSON.stringify({ outcome: 'withdrawn', sentence: 'ada may not do this' }) });
    await settle();
    expect([reader.state, connections.length]).toEqual([{ kind: 'withdrawn', sentence: 'ada may not do this' }, 1]);
    // No container is said to be read any more; one that had ended stays so.
    expect(reader.sources().map(({ state }) => state)).toEqual(['left', 'ended']);
  });

  it('[issue 14.1] says a refusal and asks no more; who does not answer is asked again', async () => {
    const refused = open();
    const connection = refused.connections[0];
    if (connection) connection.fail = new RequestError('forbidden', 'ada may not do this', { grant: ['kubectl create role x'] });
    connection?.events.close();
    await settle();
    expect([refused.reader.state, refused.connections.length]).toEqual([
      { kind: 'refused', code: 'forbidden', sentence: 'ada may not do this', grant: ['kubectl create role x'] },
      1,
    ]);
    const away = open();
    const broken = away.connections[0];
    if (broken) broken.fail = new RequestError('unreachable', 'The server does not answer.');
    broken?.events.close();
    await settle();
    expect([away.reader.state.kind, away.connections.length]).toEqual(['lost', 2]);
    away.stop();
  });

  it('[issue 14.1] rests while older lines are looked at and it holds as much as it may, and pushes none of them out', async () => {
    const { connections, reader, stop } = open();
    const events = connections[0]?.events;
    await events?.send(sourcesOf(SOURCE));
    for (let from = 0; from < MAX_LINES; from += 500)
      await events?.send(linesOf(...Array.from({ length: 500 }, (_, at) => aLine(`line ${from + at}`, null))));
    reader.stayAtEnd(false);
    await events?.send(linesOf(aLine('one more', null)));
    await settle();
    expect([reader.state.kind, reader.lines.first, reader.lines.end]).toEqual(['resting', 0, MAX_LINES]);
    reader.stayAtEnd(true);
    await settle();
    expect([reader.state.kind, reader.lines.first, reader.lines.end]).toEqual(['reading', 1, MAX_LINES + 1]);
    stop();
  });
});
