import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import { countedAlreadyReason } from '@/server/rollout';
import { attemptOf } from '@/server/rollout/control/control-facts';
import type { RolloutDecision } from '@/server/rollout/decide';
import { decide } from '@/server/rollout/decide';
import { REVISION_LABEL } from '@/server/rollout/model';
import type { RevisionPod } from '@/server/rollout/objects';
import { readPod } from '@/server/rollout/objects';
import type { Deciding, Simulation } from './simulation';
import { anEntry, aSimulation } from './simulation';

const GATED = { overConsumptionRatio: 25, control: { gates: 'every-stage' } };

/** What a pass would come to, without carrying it out. */
const decided = (simulation: Simulation): RolloutDecision => decide(simulation.observe(), simulation.now);
const deletions = ({ actions }: RolloutDecision) => actions.flatMap(({ verb, kind, name }) => (verb === 'delete' ? `${kind} ${name}` : []));
const countsOf = ({ deployments }: Simulation) => [...deployments].map(([name, { replicas }]) => `${name} ${replicas}`);

/** A pod of a revision, which goes where that is told. */
function aPod(simulation: Simulation, name: string, revision: string, going: object = {}): RevisionPod {
  const metadata = { name, labels: { [REVISION_LABEL]: revision }, ...going };
  const deletionTimestamp = toKubeTime(toInstant(simulation.now + 30_000));
  const leaves = 'deletionGracePeriodSeconds' in going ? { deletionTimestamp } : {};
  return readPod({ ...KINDS.pod, metadata: { ...metadata, ...leaves }, status: { phase: 'Running' } });
}

describe('the record of stages', () => {
  it('[design 13 J] names each stage once, forward and back, and those of another attempt beside them', () => {
    const simulation = aSimulation(4, GATED);
    simulation.settle();
    for (const verb of ['approve', 'abort', 'retry', 'abort'] as const) {
      simulation.advance(60);
      simulation.decide({ verb });
      simulation.settle();
    }
    const { history } = simulation.stored;
    const stages = history.filter(({ action }) => ['stage.completed', 'rollout.reverted', 'rollout.completed'].includes(action));
    const back = 'web-v2 is rejected, all traffic goes to web-v1 again';
    expect(stages.map(({ message }) => message)).toEqual([
      'stage 1 reached: web-v2 at 25%',
      'stage 2 reached: web-v2 at 50%',
      back,
      'stage 1 reached: web-v2 at 25%',
      back,
    ]);
    expect(new Set(history.map(({ id }) => id)).size).toBe(history.length);
    expect(stages.map(({ id }) => id.replace(/^.*\//, ''))).toEqual(['1', '2', '1', '1', '1']);
    const attempt = attemptOf(simulation.stored);
    expect(stages.at(-1)?.id).toBe(`${attempt?.id}/back/${attempt?.startedAt}/stage/1`);
  });
});

describe('when a rollout is looked at again', () => {
  it('[rollout 14.3] is at the end of the soak that begins as a stage ends, and for as long as it lasts', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 25, control: { gates: 'every-stage', pause: { duration: 60 } } });
    simulation.settleUntil('the stage could end', () => decided(simulation).control?.state === 'boundary');
    expect(simulation.stored.state).toBe('stage');
    expect(simulation.pass().requeueAfterMs).toBe(60_000);
    simulation.advance(20);
    expect(decided(simulation).requeueAfterMs).toBe(40_000);
  });

  it('[rollout 14.6] is not told by an abort that keeps nothing, nor by one that is through', () => {
    const simulation = aSimulation(4, GATED);
    simulation.settle();
    simulation.decide({ verb: 'abort' });
    expect([simulation.stored.state, decided(simulation).requeueAfterMs]).toEqual(['returning', undefined]);
    simulation.settle();
    simulation.change({ control: { gates: 'every-stage', abortScaleDownDelaySeconds: 600 } });
    simulation.settle();
    expect([simulation.stored.state, decided(simulation).requeueAfterMs]).toEqual(['aborted', undefined]);
  });
});

describe('what a pass counts on', () => {
  it('[rollout 13.1] is the bounds that it writes: it scales by them at once', () => {
    const simulation = aSimulation(4, GATED);
    simulation.settle();
    simulation.decide({ verb: 'approve' });
    simulation.settleUntil('bounds change', () => decided(simulation).actions.some(({ verb }) => verb === 'update'));
    const { actions, scales } = decided(simulation);
    for (const action of actions) {
      if (action.verb !== 'update') continue;
      const write = scales.writes.find(({ revision }) => revision === action.name);
      const now = simulation.deployments.get(action.name)?.replicas ?? 0;
      const { stageMinScale: min = now, stageMaxScale: max = now } = action.bounds;
      expect([action.name, write?.to ?? now]).toEqual([action.name, Math.min(Math.max(now, min), max)]);
    }
  });

  it('[rollout 7.1] is nothing of an autoscaler that it deletes', () => {
    const simulation = aSimulation(4, GATED);
    simulation.settle();
    simulation.bounds.set('web-v0', { stageMinScale: 3, stageMaxScale: 3 });
    simulation.deploy('web-v0', 0);
    simulation.settle();
    expect(simulation.bounds.has('web-v0')).toBe(true);
    simulation.deployments.delete('web-v0');
    expect(deletions(decided(simulation))).toEqual(['StagePodAutoscaler web-v0']);
    expect(decided(simulation).scales.waits.concat(decided(simulation).scales.writes as never)).toEqual([]);
  });

  it('[rollout 7.1] is that a revision that is named comes back: its bounds stay while its workload is away', () => {
    const simulation = aSimulation(4, GATED);
    simulation.settle();
    for (const name of ['web-v1', 'web-v2']) {
      const held = simulation.deployments.get(name);
      simulation.deployments.delete(name);
      expect(deletions(decided(simulation))).toEqual([]);
      simulation.deploy(name, held?.replicas ?? 0, held?.ready);
    }
    const waiting = aSimulation(4, { ...GATED, control: { gates: 'every-stage', autoPromotionEnabled: false } });
    waiting.settle();
    waiting.bounds.set('web-v2', {});
    waiting.deployments.delete('web-v2');
    expect([waiting.stage, deletions(decided(waiting))]).toEqual([[], []]);
  });
});

describe('what a pass does about pods', () => {
  /** A stage in which the old side makes room first, with one pod of it. */
  function making(pod: (simulation: Simulation) => RevisionPod): Simulation {
    const simulation = aSimulation(4, { ...GATED, rolloutStrategy: 'resourceutil' });
    for (let turn = 0; turn < 3; turn++) simulation.pass();
    simulation.pods = [pod(simulation)];
    simulation.deploy('web-v1', 4);
    simulation.bounds.set('web-v1', { stageMinScale: 9, stageMaxScale: 9 });
    return simulation;
  }
  const going = (name: string, inMs: number) => (simulation: Simulation) => ({
    ...aPod(simulation, name, 'web-v1', { deletionGracePeriodSeconds: 7 }),
    deletionAt: toInstant(simulation.now + inMs),
  });

  it('[rollout 8.8] is to look again after the grace of one that goes, and to end one that overstayed it', () => {
    const waits = decided(making(going('web-v1-a', 5000)));
    expect([deletions(waits), waits.requeueAfterMs]).toEqual([[], 7000]);
    expect(deletions(decided(making(going('web-v1-a', -1))))).toEqual(['Pod web-v1-a']);
  });

  it('[rollout 8.8] is to end what goes where the target has no room at all, and never one that nobody told to go', () => {
    const of = (pod: (simulation: Simulation) => RevisionPod) => {
      const simulation = making(pod);
      simulation.bounds.set('web-v2', { stageMinScale: 0, stageMaxScale: 0 });
      return deletions(decided(simulation));
    };
    expect(of(going('web-v1-a', 5000))).toEqual(['Pod web-v1-a']);
    expect(of((simulation) => aPod(simulation, 'web-v1-a', 'web-v1'))).toEqual([]);
  });

  it('[rollout 8.8] is nothing to the bounds of a revision, whatever a pod is called', () => {
    for (const name of ['web-v1', 'web-v1-a'])
      expect(decided(making(going(name, -1))).scales.writes).toMatchObject([{ revision: 'web-v1', from: 4, to: 3 }]);
  });
});

describe('a vote that is there already', () => {
  it('[issue 10.2] tells who would count twice, about exactly what they decided, and nobody else', () => {
    const simulation = aSimulation(4, { ...GATED, control: { gates: 'every-stage', approvals: { required: 2 } } });
    simulation.settle();
    const again = (deciding: Deciding, user?: string) =>
      countedAlreadyReason(simulation.decision(deciding, user).spec, simulation.ro, simulation.now);
    expect(again({ verb: 'approve' })).toBeUndefined();
    simulation.decide({ verb: 'approve' });
    expect(again({ verb: 'approve' })).toBe('ann has already approved the gate after stage 1; that approval counts (1 of 2)');
    expect(again({ verb: 'approve' }, 'ben')).toBeUndefined();
    expect(again({ verb: 'advance' })).toBeUndefined();
    // What is about something else is answered as that, and not as a vote.
    expect(again({ verb: 'approve', stage: 0 })).toBeUndefined();
    expect(again({ verb: 'approve', rolloutRef: { name: 'web', uid: 'former' } })).toBeUndefined();
    // Another target begins with no approvals, also before a pass has noted it.
    simulation.change({ targetRevisions: [anEntry('web-v3', 4)] });
    expect(again({ verb: 'approve', stage: 1 })).toBeUndefined();
  });
});

describe('an abort whose rejected workload is gone', () => {
  /** One on its way back, with the pods that are left. */
  function returning(pods: (simulation: Simulation) => readonly RevisionPod[]): Simulation {
    const simulation = aSimulation(4, { ...GATED, overlap: false });
    simulation.settle();
    simulation.decide({ verb: 'abort' });
    simulation.deployments.delete('web-v2');
    simulation.pods = [...pods(simulation)];
    simulation.settle();
    return simulation;
  }
  const going = { deletionGracePeriodSeconds: 30 };

  it('[rollout 14.6] is through once its pods are, those of it and no others', () => {
    expect(returning(() => []).stored.state).toBe('aborted');
    const held = returning((simulation) => [aPod(simulation, 'web-v2-a', 'web-v2', going)]);
    expect(held.stored.state).toBe('returning');
    held.pods = [];
    held.settle();
    expect([held.stored.state, countsOf(held)]).toEqual(['aborted', ['web-v1 4']]);
    const other = returning((simulation) => [aPod(simulation, 'other-a', 'web-v0', going)]);
    expect(other.stored.state).toBe('aborted');
  });

  it('[rollout 14.6] waits for what may still run there, and for no pod that has ended', () => {
    const running = returning((simulation) => [aPod(simulation, 'web-v2-a', 'web-v2')]);
    expect(running.stored.state).toBe('returning');
    const ended = returning((simulation) => [{ ...aPod(simulation, 'web-v2-a', 'web-v2', going), phase: 'Succeeded' }]);
    expect(ended.stored.state).toBe('aborted');
  });
});
