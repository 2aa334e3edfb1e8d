import { describe, expect, it } from 'vitest';
import type { Instant } from '@/lib/std/instant';
import { decide } from '@/server/application/decide/decide';
import { rightsOfChange } from '@/server/application/permission/rights-of-change';
import { configMap, holding, revisionOf, seenAfter } from './seen';

const NOW = 0 as Instant;

describe('what was permitted last, written over', () => {
  const owned = holding([configMap('a')], { 'read-only': { rules: [{ selector: { resourceTypes: ['ConfigMap'] } }] } });

  it.each([
    ['{', 'text that is no JSON'],
    ['{}', 'JSON that is no list'],
  ])('[issue 10.1] leaves no change whose rights could be told, and says how to go on: %s', (text, found) => {
    const seen = seenAfter([revisionOf(owned, { 'slipway.dev/permitted-policies': text })], owned);
    expect(() => rightsOfChange(seen, NOW)).toThrow(
      `ApplicationRevision web-v1 in shop should have in its annotation slipway.dev/permitted-policies the list of policies that were permitted last, found ${found}; put it right, or have the policies count that the revision was made with: kubectl annotate applicationrevisions.core.oam.dev web-v1 --namespace shop slipway.dev/permitted-policies-; nothing was changed`,
    );
    const going = { ...owned, metadata: { ...owned.metadata, deletionTimestamp: '2026-01-01T09:00:00Z' } };
    expect(decide({ ...seen, object: going }, NOW)).toMatchObject({ kind: 'finalize' });
    expect(
      rightsOfChange(seenAfter([revisionOf(owned, { 'slipway.dev/permitted-policies': text }), revisionOf(owned, {}, 2)], owned), NOW),
    ).toBeUndefined();
  });
});
