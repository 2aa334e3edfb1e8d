import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { EventSink } from '@/server/kube';
import { EventRecorder, KubeApiError } from '@/server/kube';
import type { RecordedEvent } from '@/server/kube/events/event-recorder';
import { ManualClock } from '@/test/support/manual-clock';

const ROLLOUT = {
  apiVersion: 'serving.knative.dev/v1',
  kind: 'RolloutOrchestrator',
  metadata: { namespace: 'shop', name: 'web', uid: 'u1' },
} as const;
const failed = (message: string, reason = 'CannotReconcile'): RecordedEvent => ({ type: 'Warning', reason, message });

/** A recorder over a cluster that keeps Events and counts writes. */
function aBench() {
  const clock = new ManualClock();
  const events = new Map<string, KubeObject>();
  const bench = { writes: 0, refuses: false };
  const write = () => {
    bench.writes++;
    if (bench.refuses) throw new KubeApiError({ code: 500, reason: 'InternalError', message: 'no' });
  };
  const sink: EventSink = {
    create: async (event) => {
      write();
      const name = `${event.metadata.generateName}${events.size}`;
      const stored = { ...event, metadata: { ...event.metadata, name } };
      events.set(name, stored);
      return stored;
    },
    patch: async ({ name }, { body }) => {
      write();
      const held = events.get(name);
      if (held === undefined) throw new KubeApiError({ code: 404, reason: 'NotFound', message: 'gone' });
      const stored = { ...held, ...(body as object) };
      events.set(name, stored);
      return stored;
    },
  };
  const recorder = new EventRecorder('rollout', clock);
  return Object.assign(bench, {
    clock,
    events,
    tell: (event: RecordedEvent, about: KubeObject = ROLLOUT) => recorder.record(sink, about, event),
    told: () => [...events.values()].map(({ message, count }) => [message, count]),
  });
}

describe('Events about an object', () => {
  it('[issue 9] that say the same again are one, whose count grows; at once again nothing is written', async () => {
    const bench = aBench();
    for (let pass = 0; pass < 5; pass++) await bench.tell(failed('spec.control is no policy'));
    expect([bench.told(), bench.writes]).toEqual([[['spec.control is no policy', 1]], 1]);
    await bench.clock.advance(60_000);
    await bench.tell(failed('spec.control is no policy'));
    expect([bench.told(), bench.writes]).toEqual([[['spec.control is no policy', 6]], 2]);
    const [event] = bench.events.values();
    expect(event).toMatchObject({
      involvedObject: { kind: 'RolloutOrchestrator', name: 'web', uid: 'u1' },
      source: { component: 'rollout' },
    });
    expect(event?.lastTimestamp).not.toBe(event?.firstTimestamp);
  });

  it('[issue 9] that say something else in between are told at once, and so is the first when it comes back', async () => {
    const bench = aBench();
    await bench.tell(failed('a'));
    await bench.tell(failed('b'));
    await bench.tell(failed('a'));
    expect([bench.told(), bench.writes]).toEqual([
      [
        ['a', 2],
        ['b', 1],
      ],
      3,
    ]);
  });

  it('[issue 9] with ever other messages are gathered from the tenth on, of one reason and within ten minutes', async () => {
    const bench = aBench();
    for (let pass = 0; pass < 14; pass++) await bench.tell(failed(`failed for ${pass} ms`));
    await bench.tell(failed('another reason', 'Other'));
    expect([bench.writes, bench.told().length]).toEqual([11, 11]);
    await bench.tell(failed('failed for 14 ms'));
    expect(bench.told().slice(9)).toEqual([
      ['(combined from similar events): failed for 14 ms', 6],
      ['another reason', 1],
    ]);
    await bench.clock.advance(10 * 60_000 + 1);
    await bench.tell(failed('failed for 99 ms'));
    expect(bench.told().at(-1)).toEqual(['failed for 99 ms', 1]);
  });

  it('[issue 9] are written 25 times at once and then once in five minutes, each object for itself; what comes between counts', async () => {
    const bench = aBench();
    for (let pass = 0; pass < 100; pass++) await bench.tell(failed(pass % 2 === 0 ? 'a' : 'b'));
    expect(bench.writes).toBe(25);
    await bench.tell(failed('a'), { ...ROLLOUT, metadata: { ...ROLLOUT.metadata, name: 'other', uid: 'u2' } });
    expect(bench.writes).toBe(26);
    await bench.clock.advance(5 * 60_000);
    await bench.tell(failed('a'));
    await bench.tell(failed('b'));
    expect([bench.writes, bench.told()[0]]).toEqual([27, ['a', 51]]);
  });

  it('[issue 9] that expired are written again, and what could not be written is told by the next one', async () => {
    const bench = aBench();
    await bench.tell(failed('a'));
    bench.events.clear();
    await bench.clock.advance(60_000);
    await bench.tell(failed('a'));
    expect(bench.told()).toEqual([['a', 2]]);
    bench.refuses = true;
    await expect(bench.tell(failed('b'))).rejects.toThrow('no');
    bench.refuses = false;
    await bench.tell(failed('b'));
    expect(bench.told()).toContainEqual(['b', 2]);
  });

  it('[issue 9] that are told twice at the same moment are one', async () => {
    const bench = aBench();
    await Promise.all([bench.tell(failed('a')), bench.tell({ ...failed('a'), quietMs: 0 })]);
    expect(bench.told()).toEqual([['a', 2]]);
  });
});
