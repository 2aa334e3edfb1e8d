import { describe, expect, it } from 'vitest';
import { readConditions } from '@/lib/kube/condition';
import { KINDS } from '@/lib/kube/kinds';
import { formatRollout } from '@/lib/words/format-rollout';
import { toRolloutRow } from '@/server/readmodel/rollouts/rollout-row';
import { EngineRig, NS } from './engine-rig';
import { anEntry } from './simulation';

/** A rollout that is done, so that nothing but the mirror and decisions is written any more. */
async function done(): Promise<EngineRig> {
  const rig = await new EngineRig().start();
  await rig.deploy('web-v1', 4);
  await rig.deploy('web-v2', 0);
  await rig.roll({ initialRevisions: [anEntry('web-v1', 4)], targetRevisions: [anEntry('web-v2', 4)] });
  await rig.clock.advance(600_000);
  return rig;
}

const failures = (rig: EngineRig) =>
  rig.told.waitsFor.clauses.flatMap(({ message }) => (message.id === 'wait.failed-part' ? formatRollout(message) : []));
const typesOf = (rig: EngineRig) => readConditions(rig.rollout).flatMap(({ type }) => (type.startsWith('Reconciled') ? type : []));
const LABELS = { 'serving.knative.dev/revision': 'web-v2', 'serving.knative.dev/service': 'web' };

/** The mirror has something to write and cannot. */
async function unmirrored(): Promise<EngineRig> {
  const rig = await done();
  rig.server.addFaults([{ verb: 'patch', kind: 'StagePodAutoscaler', code: 500, times: 100_000 }]);
  rig.seedPod('web-v2-going', LABELS, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a.b/c'] });
  await rig.clock.advance(20_000);
  return rig;
}

describe('a pass over an object of a rollout that fails', () => {
  it('[issue 9] is told on the rollout with the object and since when, keeps nothing from going on, and goes when a pass succeeds', async () => {
    await using rig = await unmirrored();
    const [said = '', ...others] = failures(rig);
    expect(said).toMatch(/^reconciling StagePodAutoscaler web-v2 has been failing since \d{4}-\S+Z and is retried with back-off: ./);
    expect([others, rig.told.phase, rig.told.waitsFor.message.id]).toEqual([[], 'Healthy', 'wait.complete']);
    const evidence = { kind: 'StagePodAutoscaler', name: 'web-v2', field: '' };
    expect(rig.told.waitsFor.clauses.at(-1)).toMatchObject({ met: false, evidence });
    const { sentence, phase } = toRolloutRow({ object: rig.rollout, told: rig.told, lost: null, sentence: rig.sentence });
    expect([sentence, phase]).toEqual([`All traffic goes to web-v2; ${said}`, 'Healthy']);
    await rig.clock.advance(60_000);
    expect(failures(rig)).toEqual([said]); // since then, and not since the last try
    rig.server.clearFaults();
    await rig.clock.advance(1_200_000);
    expect([failures(rig), typesOf(rig)]).toEqual([[], []]);
  });

  it('[issue 9] is told once: further tries write nothing about it', async () => {
    await using rig = await unmirrored();
    rig.statusWrites.length = 0;
    await rig.clock.advance(120_000);
    expect(rig.statusWrites.filter(({ kind }) => kind === 'RolloutOrchestrator')).toEqual([]);
  });

  it('[issue 9] of several each is told, and one that succeeds takes back its own alone', async () => {
    await using rig = await unmirrored();
    rig.unrecorded = ({ action }) => action.startsWith('decision.');
    await rig.decide({ verb: 'pause' });
    await rig.clock.advance(5000);
    expect(typesOf(rig).sort()).toEqual(['Reconciled.StageDecision.decision-1', 'Reconciled.StagePodAutoscaler.web-v2']);
    expect(failures(rig)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^reconciling StageDecision decision-1 has been failing since .*: the store is away$/),
      ]),
    );
    rig.unrecorded = undefined;
    await rig.clock.advance(1_200_000);
    expect(typesOf(rig)).toEqual(['Reconciled.StagePodAutoscaler.web-v2']);
  });

  it('[issue 9] is told no more once the object is gone, or another process succeeds', async () => {
    await using rig = await unmirrored();
    rig.unrecorded = ({ action }) => action.startsWith('decision.');
    await rig.decide({ verb: 'pause' });
    await rig.clock.advance(5000);
    await rig.server.delete({ ...KINDS.stageDecision, namespace: NS, name: 'decision-1' });
    await rig.clock.advance(5000);
    expect(typesOf(rig)).toEqual(['Reconciled.StagePodAutoscaler.web-v2']);
    rig.server.clearFaults();
    await rig.restart();
    await rig.clock.advance(20_000);
    expect(typesOf(rig)).toEqual([]);
  });
});
