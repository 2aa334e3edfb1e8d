import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { settled } from '@/server/framework';
import { createController } from '@/server/framework/loop';
import { OwnWrites } from '@/server/framework/own-writes';
import type { Cluster } from '@/server/kube';
import { createRandom } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../support/silent-log';
import { FakeStore } from './fake-store';

const at = { namespace: 'shop', name: 'web' };
const aDeployment = (resourceVersion: string): KubeObject => ({ ...KINDS.deployment, metadata: { ...at, resourceVersion } });

it('[issue 13] a pass that a person waits for begins at once while the watch is seconds behind, over what the server itself says', async () => {
  const clock = new ManualClock();
  const [rollouts, deployments] = [new FakeStore({ scope: KINDS.rolloutOrchestrator }), new FakeStore({ scope: KINDS.deployment })];
  rollouts.put({ ...KINDS.rolloutOrchestrator, metadata: { ...at, resourceVersion: '1' } });
  deployments.put(aDeployment('1'));
  const gets: string[] = [];
  const server = {
    get: async ({ kind }: { readonly kind: string }) => {
      gets.push(kind);
      return aDeployment('9');
    },
    // Another object than the one that changed, so that nobody can take it in.
    patch: async () => ({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { ...at, resourceVersion: '8' } }),
  } as unknown as Cluster; // nothing else of the port is used
  const ownWrites = new OwnWrites([rollouts, deployments], clock, server);
  const seen: (string | undefined)[] = [];
  const key = toObjectKey(at);
  const reconcile = async () => {
    seen.push(deployments.get(key)?.metadata.resourceVersion);
    return settled();
  };
  await using controller = createController(
    { name: 'rollout', sources: [{ store: rollouts }], reconcile },
    { clock, random: createRandom(1), log: silentLog, ownWrites },
  );
  await controller.start();
  await clock.advance(1);
  await ownWrites.noting(server, `rollout ${key}`).patch({ ...KINDS.deployment, ...at }, { type: 'merge', body: {} }, { subresource: 'scale' });
  controller.enqueue(key);
  await clock.advance(1000);
  expect({ seen, gets }).toEqual({ seen: ['1'], gets: [] });
  controller.enqueue(key, { priority: 'person' });
  await clock.advance(1);
  expect({ seen: seen.slice(0, 2), gets }).toEqual({ seen: ['1', '9'], gets: ['Deployment'] });
});
