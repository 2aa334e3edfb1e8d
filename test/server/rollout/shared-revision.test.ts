import { expect, it } from 'vitest';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { EngineRig } from './engine-rig';
import { aRolloutSpec } from './simulation';

const NS = 'shop';
const RIVAL = { ...KINDS.rolloutOrchestrator, namespace: NS, name: 'rival' };
const WHOSE = 'web-v1 belongs to rollout web, and two rollouts cannot scale one revision';

/** A rollout that waits at its gate with two pods of each side, and another that names its old side. */
async function withRival(): Promise<EngineRig> {
  const rig = await new EngineRig().start();
  await rig.deploy('web-v1', 4);
  await rig.deploy('web-v2', 0);
  await rig.deploy('web-v9', 0);
  await rig.roll(aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 50, control: { gates: 'every-stage' } }));
  await rig.clock.advance(30_000);
  rig.crashAtWrite(rig.writes.length + 200); // two that pull at one workload would never come to rest
  await rig.server.create({
    ...KINDS.rolloutOrchestrator,
    metadata: { name: 'rival', namespace: NS },
    spec: aRolloutSpec('web-v1', 'web-v9', 4),
  });
  await rig.clock.advance(60_000);
  return rig;
}

const scaleWrites = (rig: EngineRig) => rig.writes.filter((line) => /Deployment|StagePodAutoscaler\/web-v[12]/.test(line));

it('[issue 9.3] leaves what a rollout holds at its gate alone when a second one names the same revision', async () => {
  await using rig = await withRival();
  expect([rig.replicas('web-v1'), rig.replicas('web-v2'), rig.replicas('web-v9')]).toEqual([2, 2, 0]);
  const before = [rig.sent.length, scaleWrites(rig).length];
  await rig.clock.advance(600_000);
  expect([rig.sent.length, scaleWrites(rig).length]).toEqual(before);
  expect(rig.control('phase')).toBe('Paused');
  expect(readField(rig.server.peek(RIVAL), 'status', 'control')).toMatchObject({
    phase: 'Degraded',
    message: `${WHOSE}; both are stopped until one of them names another revision or is deleted`,
  });
});

it('[issue 9.3] refuses decisions about the second one with whose the revision is, and takes it up once that is gone', async () => {
  await using rig = await withRival();
  const uid = rig.server.peek(RIVAL)?.metadata.uid ?? '';
  const decided = await rig.decide({ verb: 'abort', rolloutRef: { name: 'rival', uid }, revision: 'web-v9' });
  expect([readString(decided, 'status', 'phase'), readString(decided, 'status', 'message')]).toEqual(['Rejected', WHOSE]);
  await rig.server.delete({ ...KINDS.rolloutOrchestrator, namespace: NS, name: 'web' });
  for (const name of ['web-v1', 'web-v2']) await rig.server.delete({ ...KINDS.stagePodAutoscaler, namespace: NS, name });
  await rig.clock.advance(120_000);
  expect(readString(rig.server.peek(RIVAL), 'status', 'control', 'phase')).toBe('Healthy');
  expect([rig.replicas('web-v1'), rig.replicas('web-v9')]).toEqual([0, 4]);
});
