import { describe, expect, it } from 'vitest';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import { cachedState } from '@/server/dispatch';
import type { InformerHealth, Knowledge } from '@/server/kube/informer';
import { entry, objectOf } from './garbage-rig';

const A = entry('ConfigMap', 'a');
const SEEN = toInstant(Date.UTC(2026, 0, 1));
const later = (ms: number) => toInstant(SEEN + ms);

type State = InformerHealth['state'];
const WATCHING: State = { kind: 'watching' };

/** What a copy says of an object that it has or has not. */
function stateOf(
  knowledge: Knowledge,
  { has = false, state = WATCHING, now = SEEN }: { readonly has?: boolean; readonly state?: State; readonly now?: Instant } = {},
) {
  const health: InformerHealth = {
    state,
    synced: true,
    lastEventAt: SEEN,
    lastContactAt: SEEN,
    resourceVersion: '1',
    objects: 1,
    polledEveryMs: 10_000,
  };
  return cachedState({ get: () => (has ? objectOf(A) : undefined), health: () => health, knowledge: () => knowledge }, A, now);
}

describe('what a copy says of an object', () => {
  const present = { kind: 'present', object: objectOf(A) };

  it('[design 8] is that it is there while the copy has it, however it is known', () => {
    for (const knowledge of [
      { kind: 'watched' },
      { kind: 'polled', at: SEEN, by: 'list', reason: 'polled' },
      { kind: 'lost', reason: 'the watch was lost' },
      { kind: 'unknown', reason: 'not asked yet' },
    ] as const) {
      expect(stateOf(knowledge, { has: true })).toEqual(present);
    }
  });

  it('[design 8] is nothing where it may not be read any more, whatever the copy held', () => {
    expect(stateOf({ kind: 'forbidden', reason: 'may not', since: SEEN }, { has: true })).toEqual({ kind: 'unknown', why: 'may not' });
  });

  it('[design 8] is that it is gone where its kind is served no more, whatever the copy held', () => {
    for (const has of [true, false]) expect(stateOf({ kind: 'unserved', reason: 'not served' }, { has })).toEqual({ kind: 'absent' });
  });

  it('[design 8] is that it is absent only where that is known now', () => {
    expect(stateOf({ kind: 'watched' })).toEqual({ kind: 'absent' });
    expect(stateOf({ kind: 'lost', reason: 'the watch was lost' })).toEqual({ kind: 'unknown', why: 'the watch was lost' });
    expect(stateOf({ kind: 'unknown', reason: 'not asked yet' })).toEqual({ kind: 'unknown', why: 'not asked yet' });
    const refused: State = { kind: 'refused', verb: 'list', since: SEEN, reason: 'may not be listed' };
    const polled: Knowledge = { kind: 'polled', at: SEEN, by: 'list', reason: 'polled' };
    expect(stateOf(polled, { state: refused, now: later(1000) })).toEqual({ kind: 'absent' });
    expect(stateOf(polled, { state: refused, now: later(600_000) })).toEqual({
      kind: 'unknown',
      why: 'it was last checked at 2026-01-01T00:00:00.000Z: polled',
    });
  });

  it('[design 8] is not that it is absent while the watch has been away for long', () => {
    const retrying: State = { kind: 'retrying', since: SEEN, reason: 'no answer' };
    expect(stateOf({ kind: 'watched' }, { state: retrying, now: later(4499) })).toEqual({ kind: 'absent' });
    expect(stateOf({ kind: 'watched' }, { state: retrying, now: later(4500) })).toEqual({
      kind: 'unknown',
      why: 'it was last checked at 2026-01-01T00:00:00.000Z: no answer',
    });
  });
});
