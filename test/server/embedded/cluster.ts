import type { KubeObject } from '@/lib/kube/object';
import type { EmbeddedCluster } from '@/server/embedded';
import { startEmbedded } from '@/server/embedded';
import type { EmbeddedOptions } from '@/server/embedded/start';
import { createRandom } from '@/server/platform';
import { FaultDoor } from '@/test/support/faults';
import { ManualClock } from '@/test/support/manual-clock';
import { createSeededIds } from '../../support/seeded-ids';
import { silentLog } from '../../support/silent-log';

/** An API server without controllers, on a clock that only the test moves. */
export async function startQuiet(options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedCluster & { readonly clock: ManualClock }> {
  const clock = new ManualClock();
  const random = createRandom(5);
  const embedded = await startEmbedded({ clock, random, ids: createSeededIds(random), log: silentLog, controllers: false, ...options });
  return Object.assign(embedded, { clock });
}

/** The same with a door by which the test makes requests fail. */
export async function startFaulty(): Promise<EmbeddedCluster & { readonly clock: ManualClock; readonly faults: FaultDoor }> {
  const clock = new ManualClock();
  const faults = new FaultDoor(clock);
  return Object.assign(await startQuiet({ clock, interference: faults }), { clock, faults });
}

export const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;

export function configMap(name: string, data: Record<string, string> = {}, metadata: object = {}): KubeObject {
  return { ...CONFIG_MAP, metadata: { namespace: 'default', name, ...metadata }, data };
}

export const at = (name: string) => ({ ...CONFIG_MAP, namespace: 'default', name });
