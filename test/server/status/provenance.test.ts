import { describe, expect, it } from 'vitest';
import { toInstant } from '@/lib/std/instant';
import type { Store } from '@/server/kube';
import type { InformerState } from '@/server/kube/informer';
import { knowledgeOf, PolledParts } from '@/server/kube/informers/parts/polled-parts';
import { provenanceIn } from '@/server/status/live/provenance';

const NOW = toInstant(100_000);
const SEEN = toInstant(92_000);

/** A copy of Secrets in a state, last heard of at SEEN. */
function aCopy(state: InformerState, polled = new PolledParts()): Store {
  const health = { state, synced: true, lastEventAt: SEEN, lastContactAt: SEEN, resourceVersion: '1', objects: 1 };
  const store: Pick<Store, 'health' | 'knowledge'> = {
    health: () => health,
    knowledge: (key) => knowledgeOf('Secret', health, polled.of(key)),
  };
  return store as Store;
}

describe('how an object is known', () => {
  it('[issue 9, 1] is by a watch now, and by a copy of then when the watch is lost', () => {
    expect(provenanceIn(aCopy({ kind: 'watching' }), 'shop/a', NOW)).toEqual({ source: 'watch', at: NOW });
    expect(provenanceIn(aCopy({ kind: 'retrying', reason: 'reset', since: SEEN }), 'shop/a', NOW)).toEqual({ source: 'cache', at: SEEN });
  });

  it('[issue 9, 1] is by a list where its kind may not be watched, and by itself where that may not be listed', () => {
    const polled = new PolledParts();
    polled.note({}, { refused: 'secrets is forbidden' }, SEEN);
    polled.note({ key: 'shop/a' }, { objects: [] }, SEEN);
    polled.note({ namespace: 'infra' }, { objects: [] }, SEEN);
    const copy = aCopy({ kind: 'refused', verb: 'list', reason: 'secrets is forbidden', since: SEEN }, polled);
    expect(provenanceIn(copy, 'shop/a', NOW)).toEqual({ source: 'get', at: SEEN });
    expect(provenanceIn(copy, 'infra/a', NOW)).toEqual({ source: 'poll', at: SEEN });
    expect(provenanceIn(copy, 'shop/b', NOW)).toBeUndefined();
  });
});
