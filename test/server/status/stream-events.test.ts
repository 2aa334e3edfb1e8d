import { describe, expect, it } from 'vitest';
import type { ObjMetadata } from '@/server/status/identifier';
import type { StatusListener } from '@/server/status/live/roots';
import { streamEvents } from '@/server/status/live/stream-events';
import type { ResourceStatus, StatusEvent } from '@/server/status/resource-status';

const idOf = (name: string): ObjMetadata => ({ group: '', kind: 'ConfigMap', namespace: 'shop', name });
const statusOf = (name: string, message = ''): ResourceStatus => ({ identifier: idOf(name), status: 'Current', message, generated: [] });

/** A source of statuses that knows some already, and tells others by hand. */
function aSource(known: readonly string[] = []) {
  const listeners = new Set<StatusListener>();
  const log: string[] = [];
  return {
    log,
    tell: (status: ResourceStatus) => {
      for (const listener of listeners) listener(status, undefined);
    },
    subscribe: (listener: StatusListener) => {
      listeners.add(listener);
      return {
        set: (objects: Iterable<ObjMetadata>) => void log.push(`set ${[...objects].map(({ name }) => name).join(' ')}`),
        release: () => {
          listeners.delete(listener);
          log.push('released');
        },
      };
    },
    latest: ({ name }: ObjMetadata) => (known.includes(name) ? statusOf(name) : undefined),
  };
}

const nameOf = (event: StatusEvent | undefined) =>
  event?.type === 'Update' ? `${event.resource.identifier.name} ${event.resource.message}`.trim() : event?.type;

/** The next events of a watch, as far as they are there without anything else happening. */
async function taken(events: AsyncGenerator<StatusEvent>, count: number): Promise<readonly (string | undefined)[]> {
  const names: (string | undefined)[] = [];
  for (let at = 0; at < count; at++) names.push(nameOf((await events.next()).value ?? undefined));
  return names;
}

describe('a watch as a stream', () => {
  it('[issue 10.7] tells first what others who watch the same were told already', async () => {
    const source = aSource(['a', 'b']);
    const events = streamEvents(source, ['a', 'b'].map(idOf), new AbortController().signal);
    expect(await taken(events, 3)).toEqual(['a', 'b', 'Sync']);
    await events.return();
    expect(source.log).toEqual(['set a b', 'released']);
  });

  it('[issue 10.7] says that it knows all only once it has told of each', async () => {
    const source = aSource(['a']);
    const events = streamEvents(source, ['a', 'b'].map(idOf), new AbortController().signal);
    expect(await taken(events, 1)).toEqual(['a']);
    const next = events.next();
    source.tell(statusOf('a', 'another'));
    expect(nameOf((await next).value ?? undefined)).toBe('a another');
    const last = events.next();
    source.tell(statusOf('b'));
    expect(nameOf((await last).value ?? undefined)).toBe('b');
    expect(await taken(events, 1)).toEqual(['Sync']);
    await events.return();
  });

  it('[issue 10.7] tells a slow reader the latest of each object, and no backlog', async () => {
    const source = aSource(['a', 'b']);
    const events = streamEvents(source, ['a', 'b'].map(idOf), new AbortController().signal);
    await taken(events, 3);
    const next = events.next();
    for (const message of ['1', '2', '3']) for (const name of ['a', 'b']) source.tell(statusOf(name, message));
    expect(nameOf((await next).value ?? undefined)).toBe('a 3');
    expect(await taken(events, 1)).toEqual(['b 3']);
    const later = events.next();
    source.tell(statusOf('a', '4'));
    expect(nameOf((await later).value ?? undefined)).toBe('a 4');
    await events.return();
  });

  it('[issue 10.7] tells nothing more once it is ended, not even what it knows', async () => {
    const stopping = new AbortController();
    const source = aSource(['a', 'b']);
    const events = streamEvents(source, ['a', 'b'].map(idOf), stopping.signal);
    expect(await taken(events, 1)).toEqual(['a']);
    stopping.abort();
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(source.log).toEqual(['set a b', 'released']);
  });

  it('[issue 10.7] ends where it waits for news', async () => {
    const stopping = new AbortController();
    const source = aSource(['a']);
    const events = streamEvents(source, [idOf('a')], stopping.signal);
    await taken(events, 2);
    const next = events.next();
    stopping.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('[issue 10.7] watches nothing where it was ended before it began', async () => {
    const source = aSource(['a']);
    const events = streamEvents(source, [idOf('a')], AbortSignal.abort());
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(source.log).toEqual(['released']);
  });
});
