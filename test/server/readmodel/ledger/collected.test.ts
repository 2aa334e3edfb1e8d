import { describe, expect, it } from 'vitest';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { toInstant } from '@/lib/std/instant';
import { Collections, toCollected } from '@/server/readmodel/ledger/collected';
import { until } from '../../../support/until';

const entry = (data: Record<string, unknown>, kind = 'Application'): RecordEntry => ({
  id: JSON.stringify(data),
  at: toInstant(0),
  actor: 'slipway',
  action: 'garbage.planned',
  about: { apiVersion: 'core.oam.dev/v1beta1', kind, namespace: 'shop', name: 'web' },
  message: '',
  data,
});

describe('collections on record', () => {
  it('[issue 14.2] are told by the tracker that each object was of', () => {
    const [first, second] = toCollected([
      entry({ from: ['web-v1-shop', 'web-v2-shop'], deleted: ['a', 'b', 'c'], deletedBy: [0, 1, 0], handedOver: ['d'], handedOverBy: [1] }),
    ]);
    expect(first).toMatchObject({ tracker: 'web-v1-shop', deleted: ['a', 'c'], handedOver: [] });
    expect(second).toMatchObject({ tracker: 'web-v2-shop', deleted: ['b'], handedOver: ['d'] });
  });

  it('[issue 14.2] that name no tracker, or are garbage, tell nothing', () => {
    expect(toCollected([entry({ deleted: ['a'] }), entry({ from: 7, deleted: null }), entry({ from: ['x'] }, 'ConfigMap')])).toEqual([]);
  });

  it('[issue 14.2] are read when somebody looks, once, and again when one more is on record', async () => {
    let [reads, told] = [0, 0];
    const read = async () => {
      reads++;
      return [entry({ from: ['web-v1-shop'], deleted: ['a'] })];
    };
    const collections = new Collections({ read, clock: { now: () => toInstant(0) } });
    collections.onRead(() => {
      told++;
    });
    collections.of('shop/web');
    collections.of('shop/web');
    await until('it is told', () => told === 1);
    expect(collections.of('shop/web').revisions.map(({ tracker }) => tracker)).toEqual(['web-v1-shop']);
    expect(reads).toBe(1);
    collections.recorded({ action: 'garbage.planned', about: entry({}).about });
    expect(told).toBe(2);
    collections.of('shop/web');
    expect(reads).toBe(2);
  });

  it('[issue 14.2] are read once more when one comes on record while they are read', async () => {
    const answers: ((entries: readonly RecordEntry[]) => void)[] = [];
    const read = () => new Promise<readonly RecordEntry[]>((answer) => answers.push(answer));
    const collections = new Collections({ read, clock: { now: () => toInstant(0) } });
    let told = 0;
    collections.onRead(() => {
      told++;
    });
    collections.of('shop/web');
    collections.recorded({ action: 'garbage.planned', about: entry({}).about });
    collections.of('shop/web');
    answers[0]?.([]);
    await until('it is told again', () => told === 2);
    collections.of('shop/web');
    expect(answers).toHaveLength(2);
  });

  it('[issue 14.2] that cannot be read say why', async () => {
    const collections = new Collections({
      read: () => Promise.reject(new Error('the store does not answer')),
      clock: { now: () => toInstant(0) },
    });
    collections.of('shop/web');
    await until('it is told', () => collections.of('shop/web').unread === 'the store does not answer');
  });
});
