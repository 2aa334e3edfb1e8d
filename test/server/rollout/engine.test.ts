import { describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { EngineRig } from './engine-rig';
import { anEntry, aRolloutSpec } from './simulation';

const STAGED = aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 50 });

async function aRig(spec: object = STAGED): Promise<EngineRig> {
  const rig = await new EngineRig().start();
  await rig.deploy('web-v1', 4);
  await rig.deploy('web-v2', 0);
  await rig.roll(spec);
  return rig;
}

const verdict = (decision: unknown) => readField(decision, 'status', 'phase');

describe('the rollout engine', () => {
  it('[rollout 13.4] takes one revision out and the next one in, and then writes nothing more', async () => {
    await using rig = await aRig();
    await rig.clock.advance(60_000);
    expect([rig.replicas('web-v1'), rig.replicas('web-v2')]).toEqual([0, 4]);
    expect(rig.bounds('web-v1')).toEqual({ stageMinScale: 0, stageMaxScale: 1 });
    expect(rig.bounds('web-v2')).toEqual({ stageMinScale: 4, stageMaxScale: 4 });
    expect(rig.control('phase')).toBe('Healthy');
    const writes = rig.writes.length;
    await rig.clock.advance(3_600_000);
    expect(rig.writes.length).toBe(writes);
  });

  it('[rollout 9.1] mirrors scales into the autoscalers', async () => {
    await using rig = await aRig();
    await rig.clock.advance(60_000);
    expect(rig.get(KINDS.stagePodAutoscaler, 'web-v2')?.status).toMatchObject({ desiredScale: 4, actualScale: 4, replicasTerminating: 0 });
    expect(rig.get(KINDS.stagePodAutoscaler, 'web-v2')?.metadata.ownerReferences).toMatchObject([
      { kind: 'RolloutOrchestrator', name: 'web', controller: true },
    ]);
  });

  it('[issue 10.7] acts on mirrors and decisions where it acts on their rollout, whatever their own names', async () => {
    await using rig = new EngineRig();
    const asked = new Set<string>();
    rig.acts = (shard) => {
      asked.add(shard);
      return shard === 'shop/web';
    };
    await rig.start();
    await rig.deploy('web-v1', 4);
    await rig.deploy('web-v2', 0);
    await rig.roll(aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 50, control: { gates: 'every-stage' } }));
    await rig.clock.advance(60_000);
    expect(rig.get(KINDS.stagePodAutoscaler, 'web-v2')?.status).toMatchObject({ actualScale: 2 });
    const decision = await rig.decide({ verb: 'pause' });
    expect([verdict(decision), [...rig.record.values()].filter(({ action }) => action === 'decision.pause').length]).toEqual([
      'Accepted',
      1,
    ]);
    expect([...asked]).toEqual(['shop/web']);
  });

  it('[rollout 12.1] never runs fewer ready replicas than before, at any write', async () => {
    await using rig = await new EngineRig().start();
    await rig.deploy('web-v1', 10);
    await rig.deploy('web-v2', 0);
    let least = 10;
    rig.server.watchers.add(() => {
      const guaranteed = ['web-v1', 'web-v2'].reduce((sum, name) => {
        const deployment = rig.get(KINDS.deployment, name);
        return (
          sum +
          Math.min(Number(readField(deployment, 'spec', 'replicas') ?? 0), Number(readField(deployment, 'status', 'readyReplicas') ?? 0))
        );
      }, 0);
      least = Math.min(least, guaranteed);
    });
    await rig.roll(aRolloutSpec('web-v1', 'web-v2', 10, { overConsumptionRatio: 30 }));
    await rig.clock.advance(120_000);
    expect(rig.replicas('web-v2')).toBe(10);
    expect(least).toBe(10);
  });

  it('[rollout 12.5] stalls safely on a revision that never becomes ready, and says why', async () => {
    await using rig = await new EngineRig().start();
    rig.broken.add('web-v2');
    await rig.deploy('web-v1', 4);
    await rig.deploy('web-v2', 0);
    await rig.roll(STAGED);
    await rig.clock.advance(300_000);
    expect([rig.replicas('web-v1'), rig.replicas('web-v2')]).toEqual([4, 2]);
    expect(rig.sentence).toBe('stage 1: web-v2 has 0 of 2 ready replicas');
  });

  it('[rollout 7.1] removes the autoscaler of a revision that is gone', async () => {
    await using rig = await aRig();
    await rig.clock.advance(60_000);
    await rig.roll({ initialRevisions: [anEntry('web-v2', 4)], targetRevisions: [anEntry('web-v2', 4)] });
    await rig.server.delete({ ...KINDS.deployment, namespace: 'shop', name: 'web-v1' });
    await rig.deploy('web-v3', 0);
    await rig.roll({ initialRevisions: [anEntry('web-v2', 4)], targetRevisions: [anEntry('web-v3', 4)], stageTargetRevisions: undefined });
    await rig.clock.advance(60_000);
    expect(rig.get(KINDS.stagePodAutoscaler, 'web-v1')).toBeUndefined();
    expect(rig.replicas('web-v3')).toBe(4);
  });

  it('[rollout 8.8] without overlap every stage waits for terminating pods, and removes one that overstayed its grace', async () => {
    await using rig = await aRig();
    await rig.roll({ overlap: false });
    const soon = new Date(rig.clock.now() + 5000).toISOString();
    rig.seedPod(
      'old-a',
      { 'serving.knative.dev/revision': 'web-v1' },
      { deletionTimestamp: soon, deletionGracePeriodSeconds: 5, finalizers: ['test/held'] },
    );
    await rig.clock.advance(4000);
    expect(rig.sentence).toBe('stage 1: 1 pod of web-v1 still terminating');
    const deletes: string[] = [];
    rig.server.onRequest = (verb, { kind, name }) => {
      if (verb !== 'delete') return;
      deletes.push(`${kind}/${name}`);
      rig.seedPod(name, {}, { deletionTimestamp: soon, finalizers: [] }); // what held it lets go
    };
    await rig.clock.advance(10_000);
    expect(deletes).toEqual(['Pod/old-a']);
    expect(rig.control('phase')).toBe('Healthy');
  });

  it('[issue 13] with overlap the next stage begins while pods terminate, and the last one waits for them', async () => {
    await using rig = await aRig();
    const held = {
      deletionTimestamp: new Date(rig.clock.now() + 60_000).toISOString(),
      deletionGracePeriodSeconds: 60,
      finalizers: ['test/held'],
    };
    rig.seedPod('old-a', { 'serving.knative.dev/revision': 'web-v1' }, held);
    await rig.clock.advance(4000);
    expect([rig.replicas('web-v2'), rig.sentence]).toEqual([4, 'stage 2: 1 pod of web-v1 still terminating']);
    expect(rig.control('phase')).toBe('Progressing');
  });

  it('[rollout 13.1] counts the pods of an adopted workload by its selector', async () => {
    await using rig = await new EngineRig().start();
    await rig.deploy('web-v1', 4, false);
    await rig.deploy('web-v2', 0);
    rig.seedPod('old-a', { app: 'web-v1' }, { deletionTimestamp: '2027-01-01T00:00:00Z', finalizers: ['test/held'] });
    await rig.roll(STAGED);
    await rig.clock.advance(20_000);
    expect(rig.get(KINDS.stagePodAutoscaler, 'web-v1')?.status).toMatchObject({ replicasTerminating: 1 });
  });

  it('[rollout 14.1] keeps policy and state in annotations where a schema prunes our fields', async () => {
    await using rig = await new EngineRig().start();
    rig.server.watchers.add((_before, after) => {
      if (after?.kind === 'RolloutOrchestrator') delete (after.status as { control?: unknown } | undefined)?.control;
    });
    await rig.deploy('web-v1', 4);
    await rig.deploy('web-v2', 0);
    await rig.roll(STAGED);
    await rig.clock.advance(60_000);
    expect(rig.replicas('web-v2')).toBe(4);
    expect(String(readField(rig.rollout, 'status', 'annotations', 'slipway.dev/control-status'))).toContain('"phase":"Healthy"');
  });

  it('[rollout 14.2] stops at a policy that cannot be read, and changes nothing', async () => {
    await using rig = await aRig({ ...STAGED, control: { requiredSoakTime: 'soon' } });
    await rig.clock.advance(60_000);
    expect([rig.replicas('web-v1'), rig.replicas('web-v2')]).toEqual([4, 0]);
    expect(rig.told).toMatchObject({ phase: 'Degraded', activity: 'held', unreadable: { field: 'spec.control.requiredSoakTime' } });
    expect(rig.sentence).toBe(
      'the rollout cannot be read: spec.control.requiredSoakTime must be a duration such as 90s or 1h30m, or a number of seconds, ten years at most, found "soon"; the rollout is stopped until it is fixed',
    );
    expect([rig.control('phase'), rig.control('message')]).toEqual(['Degraded', rig.sentence]);
    expect(Object.values(rig.told.acts).filter(({ allowed }) => allowed)).toEqual([]);
    await rig.roll({ control: {} });
    await rig.clock.advance(60_000);
    expect(rig.replicas('web-v2')).toBe(4);
  });
});

describe('decisions', () => {
  it('[design 5] opens a gate for the person who decides, answers and records it once', async () => {
    await using rig = await aRig({ ...STAGED, control: { gates: 'every-stage' } });
    await rig.clock.advance(30_000);
    expect(rig.control('phase')).toBe('Paused');
    const decision = await rig.decide({ verb: 'approve' });
    expect(decision.status).toMatchObject({ phase: 'Accepted', message: 'approval 1 of 1 for stage 1: because' });
    await rig.clock.advance(30_000);
    expect(rig.control('phase')).toBe('Healthy');
    await rig.restart();
    const about = [...rig.record.values()].filter(({ action }) => action === 'decision.approve');
    expect(about).toMatchObject([{ id: decision.metadata.uid, actor: 'ann', message: 'Accepted: approval 1 of 1 for stage 1: because' }]);
    expect([...rig.record.values()].map(({ action }) => action)).toEqual([
      'rollout.started',
      'stage.completed',
      'decision.approve',
      'rollout.completed',
    ]);
  });

  it('[design 5] rejects what does not fit with a sentence, each exactly once', async () => {
    await using rig = await aRig({ ...STAGED, control: { gates: 'every-stage' } });
    await rig.clock.advance(30_000);
    expect(verdict(await rig.decide({ verb: 'approve', stage: 0 }))).toBe('Rejected');
    const expired = await rig.decide({ verb: 'approve', expiresAt: '2025-12-31T00:00:00Z' });
    expect(verdict(expired)).toBe('Expired');
    expect([...rig.record.values()].filter(({ action }) => action === 'decision.approve')).toHaveLength(2);
    expect(rig.told.completedStages).toBe(1);
  });

  it('[design 5] rejects a decision about a rollout that is not there', async () => {
    await using rig = await aRig();
    const decision = await rig.decide({ verb: 'pause', rolloutRef: { name: 'other', uid: 'x' } });
    expect(decision.status).toMatchObject({ phase: 'Rejected', message: 'there is no rollout shop/other' });
  });

  it('[design 13 G] leaves decisions about an application to whoever collects its garbage', async () => {
    await using rig = await aRig();
    const decision = await rig.decide({ verb: 'approve', rolloutRef: undefined, applicationRef: { name: 'web', uid: 'a' } });
    expect(decision.status).toBeUndefined();
  });
});

describe('crashes', () => {
  const finished = async (crashAt: number) => {
    const rig = await new EngineRig().start();
    await rig.deploy('web-v1', 4);
    await rig.deploy('web-v2', 0);
    rig.crashAtWrite(crashAt);
    await rig.roll(STAGED);
    await rig.clock.advance(10_000);
    const crashed = rig.crashed;
    await rig.restart();
    await rig.clock.advance(90_000);
    return { rig, crashed };
  };

  it('[design 13 K] resumes after the loss of any answer, with nothing done twice', async () => {
    const whole = await finished(Number.POSITIVE_INFINITY);
    const creates = (rig: EngineRig) => rig.writes.filter((write) => write.startsWith('create')).sort();
    const generations = (rig: EngineRig) => ['web-v1', 'web-v2'].map((name) => rig.get(KINDS.deployment, name)?.metadata.generation);
    for (let n = 1; n <= 40; n++) {
      const { rig, crashed } = await finished(n);
      expect([n, rig.replicas('web-v1'), rig.replicas('web-v2'), rig.control('phase')]).toEqual([n, 0, 4, 'Healthy']);
      expect(creates(rig)).toEqual(creates(whole.rig));
      expect(generations(rig)).toEqual(generations(whole.rig));
      expect([...rig.record.values()].map(({ action }) => action)).toEqual(['rollout.started', 'stage.completed', 'rollout.completed']);
      await rig[Symbol.asyncDispose]();
      if (!crashed) break;
    }
    await whole.rig[Symbol.asyncDispose]();
  });

  it('[design 13 A] rejects decisions, whoever made them, while nothing ties them to a person', async () => {
    await using rig = await aRig(aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 50, control: { gates: 'every-stage' } }));
    await rig.clock.advance(60_000);
    rig.decisionsBlockedReason = 'decisions are refused while ValidatingAdmissionPolicy stagedecisions.slipway.dev is missing';
    expect(await rig.decide({ verb: 'approve', stage: 1 })).toMatchObject({
      status: { phase: 'Rejected', message: rig.decisionsBlockedReason },
    });
    rig.decisionsBlockedReason = null;
    expect(verdict(await rig.decide({ verb: 'approve', stage: 1 }))).toBe('Accepted');
  });
});
