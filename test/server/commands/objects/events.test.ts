import { describe, expect, it } from 'vitest';
import { MAX_EVENTS } from '@/lib/contract/object-rows';
import type { KubeObject } from '@/lib/kube/object';
import { toEventLines } from '@/server/commands/objects/events';

const POD = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'pod-1' };

function anEvent(name: string, over: Readonly<Record<string, unknown>> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'shop', uid: name },
    involvedObject: POD,
    type: 'Warning',
    reason: 'BackOff',
    message: 'back-off restarting',
    source: { component: 'kubelet' },
    firstTimestamp: '2026-01-01T09:00:00Z',
    lastTimestamp: '2026-01-01T09:05:00Z',
    count: 3,
    ...over,
  };
}

describe('events as lines', () => {
  it('[issue 14.1] tells the newest first, how often each was seen, and since when', () => {
    const older = anEvent('a');
    const newer = anEvent('b', { reason: 'Pulled', lastTimestamp: '2026-01-01T09:09:00Z', count: 1 });
    const { events } = toEventLines([older, newer]);
    expect(events.map(({ reason, count, since, at }) => [reason, count, since, at])).toEqual([
      ['Pulled', 1, '2026-01-01T09:00:00Z', '2026-01-01T09:09:00Z'],
      ['BackOff', 3, '2026-01-01T09:00:00Z', '2026-01-01T09:05:00Z'],
    ]);
  });

  it('[issue 14.1] tells those of one second in the order in which they were written, whatever they are called', () => {
    const written = ['Pulled', 'Created', 'Started'].map((reason, at) => ({
      ...anEvent(reason, { reason, ...(at === 1 && { lastTimestamp: null, eventTime: '2026-01-01T09:05:00.250000Z' }) }),
      metadata: { name: reason, namespace: 'shop', uid: reason, resourceVersion: String(99 + at) },
    }));
    for (const events of [written, written.toReversed()])
      expect(toEventLines(events).events.map(({ reason }) => reason)).toEqual(['Started', 'Created', 'Pulled']);
  });

  it('[issue 14.1] goes by what was written last of those that are one line, in whatever order they come', () => {
    const written = (name: string, resourceVersion: string, over: Readonly<Record<string, unknown>> = {}) => ({
      ...anEvent(name, over),
      metadata: { name, namespace: 'shop', uid: name, resourceVersion },
    });
    const twice = [written('a', '7'), written('b', '12')];
    for (const [version, first] of [
      ['9', 'BackOff'],
      ['13', 'Pulled'],
    ] as const)
      for (const events of [twice, twice.toReversed()])
        expect(toEventLines([...events, written('c', version, { reason: 'Pulled' })]).events[0]?.reason).toBe(first);
  });

  it('[issue 14.1] adds up what one reporter says of one object in the same words, from its first time to its last', () => {
    const { events } = toEventLines([
      anEvent('a'),
      anEvent('b', { firstTimestamp: '2026-01-01T08:00:00Z', lastTimestamp: '2026-01-01T09:30:00Z', count: 4 }),
    ]);
    expect(events).toMatchObject([{ count: 7, since: '2026-01-01T08:00:00Z', at: '2026-01-01T09:30:00Z' }]);
  });

  it('[issue 14.1] counts what is told by both APIs once, and a series as often as it says', () => {
    const series = { count: 5, lastObservedTime: '2026-01-01T09:06:00Z' };
    const both = anEvent('b', {
      eventTime: '2026-01-01T09:00:00Z',
      series,
      source: {},
      reportingComponent: 'kubelet',
      count: undefined,
      lastTimestamp: null,
    });
    expect(toEventLines([anEvent('a', { count: 5 }), both]).events).toMatchObject([{ count: 5, series: true, at: '2026-01-01T09:06:00Z' }]);
  });

  it('[issue 14.1] keeps apart what is said of two objects of one name', () => {
    expect(toEventLines([anEvent('a'), anEvent('b', { involvedObject: { ...POD, uid: 'pod-2' } })]).events).toHaveLength(2);
  });

  it('[issue 14.1] says how many older ones are left out', () => {
    const many = Array.from({ length: MAX_EVENTS + 7 }, (_, at) => anEvent(`e${at}`, { message: `number ${at}` }));
    const { events, cut } = toEventLines(many);
    expect([events.length, cut]).toEqual([MAX_EVENTS, 7]);
  });

  it('[design 8] tells no password of an address', () => {
    const [event] = toEventLines([anEvent('a', { message: 'pull of https://ann:hunter2@git.example.com/x failed' })]).events;
    expect(event?.message).toBe('pull of https://••••••••@git.example.com/x failed');
  });
});
