import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { EngineRig } from './engine-rig';
import { aRolloutSpec } from './simulation';

// What a rollout promises an operator, seen from outside: replica counts and the answers to decisions.

async function rolling(
  replicas: number,
  spec: Readonly<Record<string, unknown>>,
  prepare: (rig: EngineRig) => void = () => undefined,
): Promise<EngineRig> {
  const rig = await new EngineRig().start();
  prepare(rig);
  await rig.deploy('web-v1', replicas);
  await rig.deploy('web-v2', 0);
  await rig.roll(aRolloutSpec('web-v1', 'web-v2', replicas, spec));
  return rig;
}

const counts = (rig: EngineRig) => [rig.replicas('web-v1'), rig.replicas('web-v2')];
const verdict = (decision: KubeObject) => readString(decision, 'status', 'phase');

describe('a gate', () => {
  it.each([
    ['exactly the percent that a stage reaches', 40, [6, 4]],
    ['a percent between two stages', 45, [4, 6]],
  ])('[issue 9, 6] at %s holds the rollout there until somebody approves, and holds it once', async (_where, atPercent, held) => {
    await using rig = await rolling(10, { overConsumptionRatio: 20, control: { gates: [{ atPercent }] } });
    await rig.clock.advance(600_000);
    expect(counts(rig)).toEqual(held);
    expect(verdict(await rig.decide({ verb: 'approve' }))).toBe('Accepted');
    await rig.clock.advance(600_000);
    expect(counts(rig)).toEqual([0, 10]);
  });
});

describe('a pause', () => {
  const DEADLINE = {
    overConsumptionRatio: 25,
    control: { progressDeadlineSeconds: 60, progressDeadlineAbort: true, abortScaleDownDelaySeconds: 0 },
  };

  it('[issue 9, 6] stops the clock of the progress deadline: nothing is aborted for the time that somebody held it', async () => {
    await using rig = await rolling(4, DEADLINE, ({ broken }) => broken.add('web-v2'));
    await rig.clock.advance(30_000);
    expect(counts(rig)).toEqual([4, 1]);
    expect(verdict(await rig.decide({ verb: 'pause' }))).toBe('Accepted');
    await rig.clock.advance(3_600_000);
    expect(counts(rig)).toEqual([4, 1]);
    expect(verdict(await rig.decide({ verb: 'resume' }))).toBe('Accepted');
    await rig.clock.advance(20_000);
    expect(counts(rig)).toEqual([4, 1]);
    expect(rig.control('phase')).not.toBe('Degraded');
    await rig.clock.advance(120_000);
    expect(counts(rig)).toEqual([4, 0]);
    expect(rig.control('phase')).toBe('Degraded');
  });

  it('[issue 9, 6] that outlasts the deadline of a stage moves it by as long as it lasted', async () => {
    await using rig = await rolling(4, { overConsumptionRatio: 25, stageTimeoutMinutes: 2 });
    await rig.clock.advance(500);
    const finish = () => Date.parse(readString(rig.rollout, 'spec', 'targetFinishTime') ?? '');
    const before = finish();
    await rig.decide({ verb: 'pause' });
    await rig.clock.advance(3_600_000);
    await rig.decide({ verb: 'resume' });
    expect(finish() - before).toBeGreaterThanOrEqual(3_600_000 - 1000);
    await rig.clock.advance(600_000);
    expect(counts(rig)).toEqual([0, 4]);
  });
});

describe('a pause within the deadline of a stage', () => {
  it('[issue 9, 6] moves the deadline by exactly as long as it lasted', async () => {
    await using rig = await rolling(4, { overConsumptionRatio: 25, stageTimeoutMinutes: 10 }, ({ broken }) => broken.add('web-v2'));
    await rig.clock.advance(30_000);
    const finish = () => Date.parse(readString(rig.rollout, 'spec', 'targetFinishTime') ?? '');
    const before = finish();
    expect(verdict(await rig.decide({ verb: 'pause' }))).toBe('Accepted');
    await rig.clock.advance(120_000);
    expect(verdict(await rig.decide({ verb: 'resume' }))).toBe('Accepted');
    await rig.clock.advance(1000);
    expect(Math.round((finish() - before) / 1000)).toBe(120);
  });
});

describe('every way past a gate', () => {
  const POLICY = { gates: 'every-stage', approvals: { groups: ['release'], allowSelf: false } };
  const held = async () => {
    const rig = await rolling(4, { overConsumptionRatio: 50, control: POLICY });
    const { rollout } = rig;
    await rig.server.update({
      ...rollout,
      metadata: { ...rollout.metadata, annotations: { ...rollout.metadata.annotations, [REQUESTED_BY.user]: 'ann' } },
    });
    await rig.clock.advance(30_000);
    expect(counts(rig)).toEqual([2, 2]);
    return rig;
  };

  it.each(['approve', 'advance', 'promote-full'] as const)(
    '[issue 10, 7] is closed to whoever is in none of the approvers’ groups: %s',
    async (verb) => {
      await using rig = await held();
      expect(verdict(await rig.decide({ verb, actor: { user: 'ben', groups: ['other'] } }))).toBe('Rejected');
      await rig.clock.advance(60_000);
      expect(counts(rig)).toEqual([2, 2]);
      expect(verdict(await rig.decide({ verb, actor: { user: 'ben', groups: ['release'] } }))).toBe('Accepted');
      await rig.clock.advance(60_000);
      expect(counts(rig)).toEqual([0, 4]);
    },
  );

  it.each(['approve', 'advance', 'promote-full'] as const)('[issue 10, 7] is closed to whoever requested the change: %s', async (verb) => {
    await using rig = await held();
    expect(verdict(await rig.decide({ verb, actor: { user: 'ann', groups: ['release'] } }))).toBe('Rejected');
    await rig.clock.advance(60_000);
    expect(counts(rig)).toEqual([2, 2]);
  });
});
