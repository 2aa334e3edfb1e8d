import { describe, expect, it } from 'vitest';
import { foldWindow } from '@/lib/contract/live';
import { RecordedRollouts } from '@/server/readmodel/history/rollout-history';
import { createWindows } from '@/server/readmodel/views/windows';
import { ManualClock } from '../../support/manual-clock';

const FRESH = { observedAt: '2026-01-01T00:00:00.000Z', source: 'watch', stale: null } as const;
const ROLLOUTS = { kind: 'rollouts', query: {} } as const;

function openOver(keys: Set<string>, servesFlux = true, servesOlder = true) {
  return createWindows(
    'boot',
    () => ({
      compute: () => ({ order: [...keys], rows: new Map([...keys].map((key) => [key, { key }])), total: keys.size }),
      freshness: () => FRESH,
      watch: () => () => undefined,
    }),
    { flux: () => servesFlux, older: () => servesOlder },
  );
}

describe('what a list is limited to', () => {
  it('[issue 14] is told to whoever may see some namespaces only, whether there are rows or not', () => {
    const keys = new Set<string>();
    const open = openOver(keys);
    const window = open(ROLLOUTS, ['web', 'shop']);
    const held = window?.snapshot();
    expect(held?.within).toEqual({ count: 2, names: ['shop', 'web'] });
    expect(open(ROLLOUTS, 'all')?.snapshot().within).toBeUndefined();

    keys.add('shop/checkout');
    const filled = foldWindow(held as never, window?.refresh() as never);
    expect([filled.total, filled.within]).toEqual([1, { count: 2, names: ['shop', 'web'] }]);
    keys.clear();
    expect(foldWindow(filled, window?.refresh() as never).within).toEqual({ count: 2, names: ['shop', 'web'] });
  });

  it('[issue 14] names a few of thousands', () => {
    const many = Array.from({ length: 3000 }, (_, at) => `team-${String(at).padStart(4, '0')}`);
    expect(openOver(new Set())(ROLLOUTS, many)?.snapshot().within).toEqual({ count: 3000, names: many.slice(0, 5) });
  });

  it('[issue 14] is of releases the namespaces of either sort', () => {
    const topic = { kind: 'releases', query: {} } as const;
    const open = openOver(new Set());
    expect(open(topic, ['shop'], { releases: ['flux', 'shop'] })?.snapshot().within).toEqual({ count: 2, names: ['flux', 'shop'] });
    expect(open(topic, ['shop'], { releases: 'all' })?.snapshot().within).toBeUndefined();
    expect(openOver(new Set(), false)(topic, ['shop'], { releases: 'all' })?.snapshot().within?.names).toEqual(['shop']);
  });

  it.each([
    ['all', 'all', 'all', undefined, undefined],
    ['all', ['shop'], 'all', ['shop'], undefined],
    ['all', [], 'all', [], undefined],
    [['shop'], ['shop'], [], undefined, undefined],
    [['shop', 'web'], ['shop'], ['web'], ['shop'], undefined],
    [['shop'], [], 'all', [], ['shop']],
    [[], [], ['shop'], undefined, []],
  ] as const)(
    '[issue 12.4] says of releases in %j where those of the older kind are seen: %j, and of all that Slipway drives: %j',
    (...row) => {
      const [own, olderReleases, flux, older, slipway] = row;
      const told = (servesFlux?: boolean, servesOlder?: boolean) => {
        const beside = { releases: flux, olderReleases };
        const { olderWithin, slipwayWithin } = openOver(new Set(), servesFlux, servesOlder)(RELEASES, own, beside)?.snapshot() ?? {};
        return [olderWithin?.names, slipwayWithin?.names];
      };
      expect([told(), told(false), told(true, false)]).toEqual([
        [older, slipway],
        [older, undefined],
        [undefined, slipway],
      ]);
    },
  );

  const RELEASES = { kind: 'releases', query: {} } as const;
  it.each([
    ['all', 'all', undefined, undefined],
    ['all', ['shop'], ['shop'], ['shop']],
    ['all', [], [], []],
    [['shop'], 'all', undefined, undefined],
    [['shop', 'web'], ['shop'], ['shop'], ['shop']],
    // Where they are seen wherever others are, rows speak for both.
    [['shop'], ['shop', 'web'], ['shop', 'web'], undefined],
  ] as const)('[issue 14] says of releases in %j where those of Flux are seen: %j', (own, flux, empty, filled) => {
    const keys = new Set<string>();
    const window = openOver(keys)(RELEASES, own, { releases: flux });
    const first = window?.snapshot();
    expect(first?.fluxWithin?.names).toEqual(empty);
    keys.add('shop/checkout');
    const held = foldWindow(first as never, window?.refresh() as never);
    expect(held.fluxWithin?.names).toEqual(filled);
    expect(openOver(new Set(), false)(RELEASES, own, { releases: flux })?.snapshot().fluxWithin).toBeUndefined();
    expect(openOver(new Set())(ROLLOUTS, own, { releases: flux })?.snapshot().fluxWithin).toBeUndefined();
  });

  it('[issue 14] comes with the history of rollouts too', async () => {
    const history = new RecordedRollouts({ read: async () => [], clock: new ManualClock() });
    expect((await history.see(['shop'], {})).within).toEqual({ count: 1, names: ['shop'] });
    expect((await history.see('all', {})).within).toBeUndefined();
  });
});
