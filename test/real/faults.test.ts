import { describe, expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { aStorefront } from '../support/applications';
import { controlPlane } from '../support/control-plane';
import type { House } from '../support/house';
import { startHouse } from '../support/house';

const LIMIT_MS = 150_000;
const SLOW = { 'sim.slipway.dev/start': '2s' };

async function isAtRest(house: House, workload: string): Promise<boolean> {
  const rollout = await house.get(KINDS.rolloutOrchestrator, 'web').catch(() => undefined);
  return (
    readString(rollout, 'spec', 'targetRevisions', 0, 'revisionName') === workload && getCondition(rollout, 'Ready')?.status === 'True'
  );
}

/** Starts a rollout and answers once it is in the middle. */
async function inMidRollout(house: House): Promise<void> {
  await house.apply(aStorefront({ replicas: 6, ratio: 20, annotations: SLOW }));
  await house.until('v1 is at rest', () => isAtRest(house, 'web-v1'), LIMIT_MS);
  await house.apply(aStorefront({ replicas: 6, ratio: 20, annotations: SLOW, image: 'registry.example.com/web:2' }));
  await house.until('v2 has its first pods', async () => (await house.ready('web-v2')) > 0, LIMIT_MS);
}

async function expectNothingDoubled(house: House): Promise<void> {
  await house.until('v2 is at rest', () => isAtRest(house, 'web-v2'), LIMIT_MS);
  const deployments = async (): Promise<readonly KubeObject[]> => house.list(KINDS.deployment);
  await house.until('v1 is collected', async () => (await deployments()).every((one) => one.metadata.name === 'web-v2'), LIMIT_MS);
  expect((await house.list(KINDS.applicationRevision)).map((one) => one.metadata.name).sort()).toEqual(['web-v1', 'web-v2']);
  await house.until('web-v2 has 6 pods ready', async () => (await house.ready('web-v2')) === 6);
}

describe('the API server fails in mid-rollout', () => {
  it('[cluster I7] is ended and started again: the rollout ends, nothing is doubled', async () => {
    await using house = await startHouse({ clusterKind: 'real' });
    await inMidRollout(house);
    controlPlane().restart('kube-apiserver');
    await expectNothingDoubled(house);
  });
});
