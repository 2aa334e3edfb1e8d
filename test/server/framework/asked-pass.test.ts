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

/** A controller whose key wrote a Deployment that the watch does not show yet, as version 8 of another object: nobody can take it in. */
async function aLaggingWatch() {
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
    patch: async () => ({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { ...at, resourceVersion: '8' } }),
  } as unknown as Cluster; // nothing else of the port is used
  const ownWrites = new OwnWrites([rollouts, deployments], clock, server);
  const seen: (string | undefined)[] = [];
  const key = toObjectKey(at);
  const reconcile = async () => {
    seen.push(deployments.get(key)?.metadata.resourceVersion);
    return settled();
  };
  const controller = createController(
    { name: 'rollout', sources: [{ store: rollouts }], reconcile },
    { clock, random: createRandom(1), log: silentLog, ownWrites },
  );
  await controller.start();
  await clock.advance(1);
  await ownWrites
    .noting(server, `rollout ${key}`)
    .patch({ ...KINDS.deployment, ...at }, { type: 'merge', body: {} }, { subresource: 'scale' });
  controller.enqueue(key);
  await clock.advance(1000);
  return { clock, controller, deployments, key, seen, gets, [Symbol.asyncDispose]: () => controller[Symbol.asyncDispose]() };
}

it('[issue 13] a pass that a person waits for begins at once while the watch is seconds behind, over what the server itself says', async () => {
  await using lag = await aLaggingWatch();
  expect({ seen: lag.seen, gets: lag.gets }).toEqual({ seen: ['1'], gets: [] });
  lag.controller.enqueue(lag.key, { priority: 'person' });
  await lag.clock.advance(1);
  expect({ seen: lag.seen.slice(0, 2), gets: lag.gets }).toEqual({ seen: ['1', '9'], gets: ['Deployment'] });
});

it('[issue 13] a pass that nobody waits for begins as soon as the watch shows what was written, and asks the server for nothing', async () => {
  await using lag = await aLaggingWatch();
  expect(lag.seen).toEqual(['1']);
  lag.deployments.put(aDeployment('8'));
  await lag.clock.advance(1);
  expect({ seen: lag.seen, gets: lag.gets }).toEqual({ seen: ['1', '8'], gets: [] });
});
