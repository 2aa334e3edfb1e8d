import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { FIELD_MANAGER } from '@/server/rollout/act';
import { ManualScalings } from '@/server/rollout/manual-scaling';
import { aSimulation } from './simulation';

const KEY = 'shop/web' as never; // as a queue holds it

/** What is told of a count that some writer put on a workload since the last pass. */
async function told(manager: string) {
  const simulation = aSimulation(4);
  const byHand = new ManualScalings();
  byHand.leave(KEY, simulation.observe(), { scales: { ranges: [], writes: [], waits: [] } });
  simulation.deploy('web-v1', 6);
  const managedFields = [
    { manager, operation: 'Update', apiVersion: 'apps/v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
  ];
  const live = { ...KINDS.deployment, metadata: { name: 'web-v1', namespace: 'shop', managedFields }, spec: { replicas: 6 } };
  const found = await byHand.find(KEY, simulation.observe().view, { get: async () => live }, new AbortController().signal);
  return found.map(({ revision, from, to, by }) => `${by} ${revision} ${from} to ${to}`);
}

describe('a count that is another than the pass before left', () => {
  it('[rollout 13.2] is told of with who wrote it, unless the engine itself did', async () => {
    expect(await told('kubectl-scale')).toEqual(['kubectl-scale web-v1 4 to 6']);
    expect(await told(FIELD_MANAGER)).toEqual([]);
  });
});
