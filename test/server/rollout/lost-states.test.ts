import { describe, expect, it } from 'vitest';
import { readFields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';

import { aRolloutUnderWay, EngineRig } from './engine-rig';
import { aRolloutSpec } from './simulation';

const GATED = aRolloutSpec('web-v1', 'web-v2', 4, {
  overConsumptionRatio: 25,
  control: { gates: 'every-stage', approvals: { required: 2 } },
});

/** A rollout at its first gate. */
const aGatedRig = () => aRolloutUnderWay(GATED);

/** What an API server does whose definition drops the state, at the next write by anybody. */
async function dropState(rig: EngineRig): Promise<void> {
  const { control: _control, ...status } = readFields(rig.rollout, 'status');
  await rig.server.update({ ...rig.rollout, status }, { subresource: 'status' });
}

/** The same while no process looks that knew it. */
async function forget(rig: EngineRig): Promise<void> {
  rig.idle.rollout = 'another replica leads';
  await dropState(rig);
  await rig.restart();
  expect(rig.control('state')).toBe(undefined);
  rig.idle.rollout = null;
  await rig.restart();
}

const counts = (rig: EngineRig) => [rig.replicas('web-v1'), rig.replicas('web-v2')];

describe('[issue 9.3] a rollout whose state went from its object', () => {
  it('goes on where it was, with the approvals that it had and the attempt that it is', async () => {
    await using rig = await aGatedRig();
    await rig.decide({ verb: 'approve' }, 'ann');
    const before = readFields(rig.rollout, 'status', 'control');
    expect([counts(rig), rig.sentence]).toEqual([[3, 1], 'waiting for 1 more approval after stage 1 (1 of 2 given, by ann)']);
    await dropState(rig);
    await rig.clock.advance(120_000);
    expect(counts(rig)).toEqual([3, 1]);
    expect(rig.control('attempt')).toEqual(before.attempt);
    expect(rig.control('approvals')).toEqual(before.approvals);
    await rig.decide({ verb: 'approve' }, 'ben');
    await rig.clock.advance(60_000);
    expect(counts(rig)).toEqual([2, 2]);
  });

  it('is not tried again where it was aborted', async () => {
    await using rig = await aGatedRig();
    await rig.decide({ verb: 'abort' });
    await rig.clock.advance(60_000);
    expect(counts(rig)).toEqual([4, 0]);
    await dropState(rig);
    await rig.clock.advance(120_000);
    expect(counts(rig)).toEqual([4, 0]);
    expect(rig.control('state')).toBe('aborted');
  });

  it('stays under the stricter policy that was in force', async () => {
    await using rig = await aGatedRig();
    await rig.roll({ control: { gates: 'none' } });
    await rig.clock.advance(60_000);
    await dropState(rig);
    await rig.clock.advance(120_000);
    expect(counts(rig)).toEqual([3, 1]);
    expect(rig.told.loosening).not.toBe(null);
  });

  it('waits at the gate after the stage that it reached, for all approvals, where nobody remembers it', async () => {
    await using rig = await aGatedRig();
    await rig.decide({ verb: 'approve' }, 'ann');
    await forget(rig);
    await rig.clock.advance(120_000);
    expect([counts(rig), rig.sentence]).toEqual([[3, 1], 'waiting for 2 approvals after stage 1']);
    for (const user of ['ann', 'ben']) await rig.decide({ verb: 'approve' }, user);
    await rig.clock.advance(60_000);
    expect(counts(rig)).toEqual([2, 2]);
  });

  it('goes through the stage that is under way first, where nobody remembers it, and waits at the gate after that', async () => {
    await using rig = await new EngineRig().start();
    rig.broken.add('web-v2');
    await rig.deploy('web-v1', 4);
    await rig.deploy('web-v2', 0);
    await rig.roll(GATED);
    await rig.clock.advance(60_000);
    await forget(rig);
    await rig.clock.advance(120_000);
    expect([rig.control('state'), rig.control('stage'), rig.sentence]).toEqual(['stage', 1, 'stage 1: web-v2 has 0 of 1 ready replica']);
    rig.broken.clear();
    await rig.tell('web-v2', { readyReplicas: 1, availableReplicas: 1 });
    await rig.clock.advance(60_000);
    expect([counts(rig), rig.sentence]).toEqual([[3, 1], 'waiting for 2 approvals after stage 1']);
  });

  it('is forgotten with it', async () => {
    await using rig = await aGatedRig();
    await dropState(rig);
    await rig.server.delete({ ...KINDS.rolloutOrchestrator, namespace: 'shop', name: 'web' });
    await rig.roll({ ...GATED, targetRevisions: GATED.initialRevisions });
    await rig.clock.advance(60_000);
    expect(rig.control('state')).toBe('done');
  });
});
