import { expect, vi } from 'vitest';
import type { ReleaseRow } from '@/lib/contract/release-rows';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import type { ApiPerson } from './api-person';

const LIMIT_MS = 120_000;

/**
 * Waits until the demonstration is in place: its last rollout has come to its gate, its largest applications have their
 * objects, and one of its Helm releases is installed and one
 * waits for approval, or both wait for Helm where there is none.
 */
export async function demonstrationInPlace(operator: ApiPerson): Promise<void> {
  const messageOf = async (topic: string) => (await operator.row<{ message: string }>(topic))?.message ?? '';
  await vi.waitFor(
    async () => {
      const checkout = await operator.row<RolloutDetail>('rollout/shop/checkout');
      expect(checkout?.actions.some(({ verb, allowed }) => verb === 'approve' && allowed)).toBe(true);
      expect(await messageOf('application/catalogue/catalogue')).toMatch(/^everything is ready/i);
      expect(await messageOf('application/shop/storefront')).toMatch(/^everything is ready/i);
      for (const name of ['notifier', 'reports']) {
        const release = await operator.row<ReleaseRow>(`release/platform/helmrelease/${name}`);
        expect(release?.waits ?? release?.approval ?? release?.state).toMatch(/^in-sync$|waits for approval|npm run helm/);
      }
    },
    { timeout: LIMIT_MS, interval: 200 },
  );
}
