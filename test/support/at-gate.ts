import { KINDS } from '@/lib/kube/kinds';
import { aStorefront } from './applications';
import type { ClusterKind, House } from './house';
import { startHouse } from './house';
import { isWaitingAt } from './told';

/** A rollout from web-v1 to web-v2 that waits at its first gate. */
export async function startAtGate(clusterKind: ClusterKind, over: Parameters<typeof aStorefront>[0] = {}): Promise<House> {
  const house = await startHouse({ clusterKind });
  await house.apply(aStorefront({ gates: 'every-stage', ...over }));
  await house.until('it carries everything', async () => (await house.ready('web-v1')) === 4);
  await house.apply(aStorefront({ gates: 'every-stage', ...over, image: 'registry.example.com/web:2' }));
  await house.until('it waits at its gate', async () => isWaitingAt(await house.get(KINDS.rolloutOrchestrator, 'web'), 1));
  return house;
}
