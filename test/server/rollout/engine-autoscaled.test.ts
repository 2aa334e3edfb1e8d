import { describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { EngineRig } from './engine-rig';
import { aRolloutSpec } from './simulation';

const bounded = (revisionName: string) => ({ revisionName, percent: 100, minScale: 4, maxScale: 8 });
const STAGED = aRolloutSpec('web-v1', 'web-v2', 4, {
  initialRevisions: [bounded('web-v1')],
  targetRevisions: [bounded('web-v2')],
  overConsumptionRatio: 50,
});
const LONG_MS = 240_000;

async function aRig(crashAt = Number.POSITIVE_INFINITY): Promise<EngineRig> {
  const rig = new EngineRig();
  rig.crashAtWrite(crashAt);
  await rig.start();
  await rig.deploy('web-v1', 4);
  await rig.deploy('web-v2', 0);
  for (const name of ['web-v1', 'web-v2']) await rig.autoscale(name, 4, 8);
  await rig.roll(STAGED);
  return rig;
}

const rangeOf = (rig: EngineRig, name: string) => {
  const spec = rig.get(KINDS.horizontalPodAutoscaler, name)?.spec;
  return [readField(spec, 'minReplicas'), readField(spec, 'maxReplicas')];
};

describe('the rollout engine with HPAs', () => {
  it('[rollout 13.2] writes ranges, and counts only to wake and to park; then nothing more', async () => {
    await using rig = await aRig();
    await rig.clock.advance(LONG_MS);
    expect([rig.replicas('web-v1'), rig.replicas('web-v2'), rig.control('phase')]).toEqual([0, 4, 'Healthy']);
    expect(rangeOf(rig, 'web-v2')).toEqual([4, 8]);
    const scaled = rig.writes.filter((write) => /Deployment|HorizontalPodAutoscaler/.test(write));
    expect(scaled).toEqual([
      'update HorizontalPodAutoscaler/web-v2',
      'patch Deployment/web-v2',
      'update HorizontalPodAutoscaler/web-v1',
      'update HorizontalPodAutoscaler/web-v2',
      'patch Deployment/web-v1',
    ]);
    const writes = rig.writes.length;
    await rig.restart();
    await rig.clock.advance(3_600_000);
    expect(rig.writes.length).toBe(writes);
  });

  it('[design 3] never has fewer ready replicas than before, at any write', async () => {
    const rig = new EngineRig();
    let least = Number.POSITIVE_INFINITY;
    rig.server.watchers.add(() => {
      const ready = ['web-v1', 'web-v2'].map((name) => {
        const deployment = rig.get(KINDS.deployment, name);
        return Math.min(
          Number(readField(deployment, 'spec', 'replicas') ?? 0),
          Number(readField(deployment, 'status', 'readyReplicas') ?? 0),
        );
      });
      if (rig.get(KINDS.rolloutOrchestrator, 'web') !== undefined)
        least = Math.min(
          least,
          ready.reduce((sum, count) => sum + count, 0),
        );
    });
    await rig.start();
    await rig.deploy('web-v1', 4);
    await rig.deploy('web-v2', 0);
    for (const name of ['web-v1', 'web-v2']) await rig.autoscale(name, 4, 8);
    await rig.roll(STAGED);
    await rig.clock.advance(LONG_MS);
    expect(rig.control('phase')).toBe('Healthy');
    expect(least).toBe(4);
    await rig[Symbol.asyncDispose]();
  });

  it('[design 13 K] resumes after the loss of any answer, with nothing done twice', async () => {
    const generationsOf = (rig: EngineRig) =>
      ['web-v1', 'web-v2'].flatMap((name) =>
        [KINDS.deployment, KINDS.horizontalPodAutoscaler].map((type) => rig.get(type, name)?.metadata.generation),
      );
    await using whole = await aRig();
    await whole.clock.advance(LONG_MS);
    for (let n = 1; n <= 40; n++) {
      await using rig = await aRig(n);
      await rig.clock.advance(LONG_MS / 2);
      const { crashed } = rig;
      if (crashed) await rig.restart();
      await rig.clock.advance(LONG_MS);
      expect([n, rig.replicas('web-v1'), rig.replicas('web-v2'), rig.control('phase')]).toEqual([n, 0, 4, 'Healthy']);
      expect([n, ...generationsOf(rig)]).toEqual([n, ...generationsOf(whole)]);
      if (!crashed) break;
    }
  });

  it('[rollout 13.2] looks again when somebody else changed an HPA meanwhile, and puts the range of the stage back', async () => {
    await using rig = await aRig();
    await rig.clock.advance(LONG_MS);
    const hpa = rig.get(KINDS.horizontalPodAutoscaler, 'web-v2');
    if (hpa === undefined) throw new Error('no HPA web-v2');
    await rig.server.update({ ...hpa, spec: { ...(hpa.spec as object), maxReplicas: 3, minReplicas: 1 } });
    await rig.clock.advance(20_000);
    expect(rangeOf(rig, 'web-v2')).toEqual([4, 8]);
    expect(rig.replicas('web-v2')).toBe(4);
  });

  it('[design 3] decides nothing on copies of HPAs that lack its own last write', async () => {
    await using rig = await aRig();
    rig.informers.fall('HorizontalPodAutoscaler', 'behind');
    await rig.clock.advance(LONG_MS);
    const sent = rig.sent.filter((line) => line.includes('HorizontalPodAutoscaler'));
    expect(sent).toEqual(['update HorizontalPodAutoscaler/web-v2', 'update HorizontalPodAutoscaler/web-v1']);
    expect([rig.replicas('web-v1'), rig.replicas('web-v2')]).toEqual([2, 2]);
    rig.informers.recover();
    await rig.clock.advance(LONG_MS);
    expect([rig.replicas('web-v1'), rig.replicas('web-v2'), rig.control('phase')]).toEqual([0, 4, 'Healthy']);
  });
});
