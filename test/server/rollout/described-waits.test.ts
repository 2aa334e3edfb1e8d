import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { SUSPENDED } from '@/lib/kube/paused-by';
import { formatRollout } from '@/lib/words/format-rollout';
import type { RolloutDescription } from '@/server/rollout';
import { describeRollout } from '@/server/rollout';
import { readPod } from '@/server/rollout/objects';
import { withGrant } from '@/server/rollout/pass/ungranted';
import type { Simulation } from './simulation';
import { Simulation as Alone, anEntry, aSimulation } from './simulation';

// What an operator reads of why a rollout waits: whom for, until when, and everything that is looked at, with the object and field that say so.

const HALVES = { overConsumptionRatio: 50 };
const GATED = { overConsumptionRatio: 50, control: { gates: 'every-stage' } };

const linesOf = ({ waitsFor: { clauses } }: RolloutDescription) =>
  clauses.map(({ message, met, evidence }) => {
    const where = evidence === null ? '' : ` (${[evidence.kind, evidence.name, evidence.field].join(' ').trim()})`;
    return `${met ? 'met' : 'open'}: ${formatRollout(message)}${where}`;
  });
const waitOf = ({ told: { waitsFor } }: Simulation) => [waitsFor.isWaiting, waitsFor.whom, waitsFor.until];

/** In its first stage, of which bounds are there and no pod has come yet. */
function growing(spec: Readonly<Record<string, unknown>> = HALVES): Simulation {
  const simulation = aSimulation(4, spec);
  simulation.pass();
  simulation.settlePods(['web-v2']);
  simulation.pass();
  return simulation;
}

const atGate = (spec: Readonly<Record<string, unknown>> = GATED): Simulation => {
  const simulation = aSimulation(4, spec);
  simulation.settle();
  return simulation;
};

const GROW = (has: number) => `stage 1: web-v2 has ${has} of 2 ready replicas (Deployment web-v2 status.readyReplicas)`;
const SHRINK = (has: number) => `stage 1: web-v1 still has ${has} replicas, at most 2 allowed (Deployment web-v1 status.replicas)`;

describe('a stage waits', () => {
  it('[rollout 15] for the side that grows, then for the one that goes, and for nobody once it is reached', () => {
    const simulation = growing();
    expect(waitOf(simulation)).toEqual([true, 'pods', null]);
    expect(linesOf(simulation.told)).toEqual([`open: ${GROW(0)}`, `open: ${SHRINK(4)}`]);
    simulation.settlePods(['web-v1']);
    expect(simulation.sentence).toBe('stage 1: web-v1 still has 4 replicas, at most 2 allowed');
    expect(linesOf(simulation.told)).toEqual([`met: ${GROW(2)}`, `open: ${SHRINK(4)}`]);
    simulation.pass();
    simulation.settlePods();
    expect(simulation.told.position).toBe('running');
    expect([simulation.sentence, ...waitOf(simulation)]).toEqual(['stage 1 is reached', false, 'nobody', null]);
    expect(linesOf(simulation.told)).toEqual([`met: ${GROW(2)}`, `met: ${SHRINK(2)}`]);
  });

  it('[rollout 12.1] for the side that goes first where the strategy takes before it gives', () => {
    const simulation = growing({ ...HALVES, rolloutStrategy: 'resourceutil' });
    simulation.deployments.set('web-v1', { replicas: 4, ready: 4 });
    const gone = 'met: no pod of web-v1 is terminating (Pod web-v1 metadata.deletionTimestamp)';
    expect(linesOf(simulation.told)).toEqual([`open: ${SHRINK(4)}`, gone, `open: ${GROW(0)}`]);
  });

  it('[rollout 15] for pods that terminate, unless stages overlap', () => {
    const simulation = growing({ ...HALVES, overlap: false });
    simulation.settle();
    const stage = growing({ ...HALVES, overlap: false });
    stage.settlePods();
    stage.pass();
    stage.settlePods();
    const going = { name: 'going', labels: { 'serving.knative.dev/revision': 'web-v1' }, deletionTimestamp: '2026-01-01T09:00:30Z' };
    stage.pods = [readPod({ ...KINDS.pod, metadata: going, status: { phase: 'Running' } })];
    expect(linesOf(stage.told)).toEqual([
      `met: ${GROW(2)}`,
      `met: ${SHRINK(2)}`,
      'open: stage 1: 1 pod of web-v1 still terminating (Pod web-v1 metadata.deletionTimestamp)',
    ]);
    expect(waitOf(stage)).toEqual([true, 'pods', null]);
    stage.pods = [];
    expect(linesOf(stage.told).at(-1)).toBe('met: no pod of web-v1 is terminating (Pod web-v1 metadata.deletionTimestamp)');
  });

  it('[rollout 15] for pods that are there although less is asked for', () => {
    const simulation = growing();
    simulation.settlePods();
    simulation.pass();
    const deployment = simulation.deployments.get('web-v1');
    expect(deployment?.replicas).toBe(2);
    const { view } = simulation.observe();
    const autoscalers = view.autoscalers.map((one) => (one.name === 'web-v1' ? { ...one, livePods: 3, ready: true } : one));
    const told = describeRollout({ view: { ...view, autoscalers } }, simulation.now);
    expect(linesOf(told)).toContain(`open: ${SHRINK(3)}`);
  });

  it('[rollout 15] for a workload or its bounds to be there, and for its controller to look at it', () => {
    const simulation = growing();
    simulation.deployments.delete('web-v2');
    simulation.bounds.delete('web-v1');
    expect(linesOf(simulation.told)).toEqual([
      'open: Deployment web-v2 does not exist yet (Deployment web-v2)',
      'open: StagePodAutoscaler web-v1 does not exist yet (StagePodAutoscaler web-v1)',
    ]);
    const { view } = growing().observe();
    const workloads = new Map([...view.workloads].map(([name, workload]) => [name, { ...workload, observed: name !== 'web-v1' }]));
    const told = describeRollout({ view: { ...view, workloads } }, simulation.now);
    expect(linesOf(told).at(-1)).toBe(
      'open: Deployment web-v1 has not been reconciled by its controller since it changed (Deployment web-v1 status.observedGeneration)',
    );
  });

  it('[issue 9.1] says first what has failed while it does not grow, and last where it grew all the same', () => {
    const simulation = growing();
    simulation.failures.set('web-v1', 'is broken');
    simulation.failures.set('web-v2', 'crashes');
    const failed = [
      'open: Deployment web-v1: is broken (Deployment web-v1 status.conditions)',
      'open: Deployment web-v2: crashes (Deployment web-v2 status.conditions)',
    ];
    expect(linesOf(simulation.told)).toEqual([...failed, `open: ${GROW(0)}`, `open: ${SHRINK(4)}`]);
    simulation.settlePods();
    expect(linesOf(simulation.told)).toEqual([`met: ${GROW(2)}`, `open: ${SHRINK(4)}`, ...failed]);
    // Where one of two grew already, why the other does not comes first as well.
    const halves = ['web-v1', 'web-v2'].map((revisionName) => ({ ...anEntry(revisionName, 4), percent: 50 }));
    const split = growing({ targetRevisions: halves });
    split.failures.set('web-v2', 'crashes');
    expect(linesOf(split.told)[0]).toBe(failed[1]);
    // What is sent back is about to go: nobody has to look at why it fails.
    simulation.decide({ verb: 'abort' });
    expect(linesOf(simulation.told).filter((line) => line.includes('status.conditions'))).toEqual([failed[0]]);
  });

  it('[rollout 14.2] for a person while it is paused, once everything else is there', () => {
    const simulation = growing();
    simulation.decide({ verb: 'pause' });
    expect(waitOf(simulation)).toEqual([true, 'pods', null]);
    expect(linesOf(simulation.told)[1]).toBe('open: paused by a person; nothing advances until it is resumed');
    simulation.settlePods();
    expect([simulation.sentence, ...waitOf(simulation)]).toEqual([
      'paused by a person; nothing advances until it is resumed',
      true,
      'person',
      null,
    ]);
  });

  it('[rollout 13.2] for a person where it is held for what somebody else does to it', () => {
    const simulation = growing();
    simulation.settlePods();
    const status = simulation.ro.status as { readonly control: object };
    const control = { ...status.control, paused: true, pausedBecause: 'web-v1 was scaled by hand twice' };
    simulation.ro = { ...simulation.ro, status: { ...status, control } };
    expect([simulation.sentence, ...waitOf(simulation)]).toEqual([
      'held: web-v1 was scaled by hand twice; nothing advances until it is resumed',
      true,
      'person',
      null,
    ]);
  });

  it('[rollout 14.6] on the way back for the stable side, then for the time that pods are kept, then for them to go', () => {
    const simulation = growing({ ...HALVES, control: { abortScaleDownDelaySeconds: 30 } });
    simulation.settlePods();
    simulation.settle();
    simulation.change({ targetRevisions: [anEntry('web-v3', 4)] });
    simulation.deploy('web-v3', 0);
    simulation.settleUntil('it is in a stage', () => simulation.told.position === 'running');
    simulation.deployments.set('web-v3', { replicas: 2, ready: 2 });
    simulation.decide({ verb: 'abort' });
    expect(linesOf(simulation.told)[0]).toBe('met: the abort: web-v2 has 4 of 4 ready replicas (Deployment web-v2 status.readyReplicas)');
    simulation.settlePods();
    const kept = 'web-v3 still serves: its pods are kept until 2026-01-01T09:00:30Z';
    expect([simulation.sentence, ...waitOf(simulation)]).toEqual([kept, true, 'time', '2026-01-01T09:00:30Z']);
    expect(linesOf(simulation.told)).toContain(`open: ${kept}`);
    simulation.advance(30);
    expect(linesOf(simulation.told)).not.toContain(`open: ${kept}`);
    expect(simulation.sentence).toMatch(/^the abort: web-v3 still has \d replicas, at most 0 allowed$/);
    expect(waitOf(simulation)).toEqual([true, 'pods', null]);
    // What is gone with its workload is not waited for.
    simulation.deployments.delete('web-v3');
    expect(simulation.sentence).toBe('the abort is reached');
  });

  it('[rollout 13.1] says which lowering waits for the floor', () => {
    const own = { ...anEntry('web-v2', 4), percent: 60 };
    const other = { revisionName: 'web-v1', percent: 40, minScale: 2, maxScale: 2 };
    const simulation = aSimulation(4, { targetRevisions: [own, other] });
    simulation.pass();
    expect(linesOf(simulation.told).at(-1)).toBe('open: web-v1 keeps 4 replicas instead of 2, so that 4 stay ready');
  });

  it('[rollout 14.5] says for how long nothing has moved, and because of what', () => {
    const simulation = growing({ ...HALVES, control: { progressDeadlineSeconds: 30 } });
    simulation.advance(31);
    simulation.pass();
    expect(simulation.sentence).toBe('stage 1 has made no progress for 30 s: stage 1: web-v2 has 0 of 2 ready replicas');
    expect(waitOf(simulation)).toEqual([true, 'pods', null]);
    expect(simulation.told.phase).toBe('Degraded');
    expect(linesOf(simulation.told)).toEqual([`open: ${GROW(0)}`, `open: ${SHRINK(4)}`]);
  });

  it('[rollout 15] for any number within the bounds of a revision of which the stage asks for no number', () => {
    const first = (bounds: object) => {
      const simulation = new Alone({ targetRevisions: [{ revisionName: 'web-v2', percent: 100, ...bounds }] });
      simulation.deploy('web-v2', 0);
      simulation.pass();
      simulation.deployments.set('web-v2', { replicas: 4, ready: 1 });
      return simulation.sentence;
    };
    expect(first({ minScale: 4, maxScale: 8 })).toBe('stage 1: web-v2 has 1 of 4 to 8 ready replicas');
    expect(first({ minScale: 4 })).toBe('stage 1: web-v2 has 1 of 4 ready replicas');
  });
});

describe('between two stages a rollout waits', () => {
  it('[rollout 14.2] for a person at a gate, also where that opens by itself, and for time in a soak', () => {
    const gate = atGate();
    expect([gate.sentence, ...waitOf(gate)]).toEqual(['waiting for 1 approval after stage 1', true, 'person', null]);
    expect(linesOf(gate.told)).toEqual(['open: waiting for 1 approval after stage 1']);
    const opens = atGate({ ...HALVES, control: { gates: 'every-stage', pause: { duration: '10m' } } });
    expect(waitOf(opens)).toEqual([true, 'person', '2026-01-01T09:10:00Z']);
    expect(opens.told.until).toBe('2026-01-01T09:10:00Z');
    const soak = atGate({ ...HALVES, control: { requiredSoakTime: '1h' } });
    expect(waitOf(soak)).toEqual([true, 'time', '2026-01-01T10:00:00Z']);
    expect(linesOf(soak.told)).toEqual(['open: stage 1 must stay healthy for 1h, until 2026-01-01T10:00:00Z']);
  });

  it('[issue 9.1] at a gate says besides what has failed, and what the next stage cannot be planned without', () => {
    const simulation = atGate();
    simulation.failures.set('web-v2', 'crashes');
    expect(linesOf(simulation.told)).toEqual([
      'open: waiting for 1 approval after stage 1',
      'open: Deployment web-v2: crashes (Deployment web-v2 status.conditions)',
    ]);
    simulation.failures.clear();
    simulation.deployments.delete('web-v2');
    expect(linesOf(simulation.told)).toEqual([
      'open: waiting for 1 approval after stage 1',
      'open: Deployment web-v2 does not exist yet (Deployment web-v2)',
    ]);
    // A revision without a share is not missed.
    const drained = atGate({ ...GATED, overConsumptionRatio: 25 });
    drained.deploy('web-v3', 0);
    drained.change({ targetRevisions: [anEntry('web-v3', 4)] });
    drained.settle();
    expect(drained.stage.find(({ revisionName }) => revisionName === 'web-v2')?.percent ?? 0).toBe(0);
    drained.deployments.delete('web-v2');
    expect(linesOf(drained.told)).toEqual(['open: waiting for 1 approval after stage 1']);
  });

  it('[issue 9.3] for replicas that nobody knows yet, unless something else holds it first', () => {
    const simulation = aSimulation(4, HALVES);
    simulation.deployments.delete('web-v1');
    simulation.pass();
    expect(simulation.sentence).toContain('web-v1 is unknown');
    expect(waitOf(simulation)).toEqual([true, 'pods', null]);
    expect(linesOf(simulation.told)).toEqual([`open: ${simulation.sentence}`]);
    const held = aSimulation(4, { ...HALVES, control: { gates: 'none', autoPromotionEnabled: false } });
    held.deployments.delete('web-v1');
    held.pass();
    expect(held.sentence).toBe('waiting for 1 approval before stage 1');
  });

  it('[rollout 14] for nobody where the next stage is about to be planned', () => {
    const simulation = aSimulation(4, HALVES);
    expect([simulation.sentence, ...waitOf(simulation)]).toEqual(['the next stage is being planned', false, 'nobody', null]);
    expect(linesOf(simulation.told)).toEqual(['met: the next stage is being planned']);
  });
});

describe('a person is awaited', () => {
  it('[issue 10.1] where pods cannot be seen, or nothing may be scaled, in a stage as between two', () => {
    const blind = growing();
    blind.readable = false;
    const seen =
      'Pod objects of its namespace have been unreadable since 2026-01-01T09:00:00Z: pods is forbidden; the rollout neither continues nor aborts until they can be read again';
    expect([blind.sentence, ...waitOf(blind)]).toEqual([seen, true, 'person', null]);
    expect(linesOf(blind.told)).toEqual([`open: ${seen}`]);
    for (const simulation of [growing(), atGate({ ...HALVES, control: { requiredSoakTime: '1h' } })]) {
      const conditions = withGrant([], 'the server may not scale in shop', simulation.now);
      simulation.ro = {
        ...simulation.ro,
        status: {
          ...(simulation.ro.status as object),
          conditions: [...(simulation.ro.status as { conditions: [] }).conditions, ...conditions],
        },
      };
      expect([simulation.sentence, ...waitOf(simulation)]).toEqual([
        'waiting for a grant: the server may not scale in shop',
        true,
        'person',
        null,
      ]);
      expect(linesOf(simulation.told)).toEqual(['open: waiting for a grant: the server may not scale in shop']);
    }
  });

  it('[issue 10.1] for a grant, told once beside what has failed, and beside what is missing between two stages', () => {
    const ungranted = (simulation: Simulation) => {
      const status = simulation.ro.status as { readonly conditions: Parameters<typeof withGrant>[0] };
      const conditions = withGrant(status.conditions, 'the server may not scale in shop', simulation.now);
      simulation.ro = { ...simulation.ro, status: { ...status, conditions } };
      return linesOf(simulation.told);
    };
    const why = 'open: waiting for a grant: the server may not scale in shop';
    const failing = growing();
    failing.failures.set('web-v2', 'crashes');
    expect(ungranted(failing)).toEqual([why, 'open: Deployment web-v2: crashes (Deployment web-v2 status.conditions)']);
    const missing = atGate({ ...HALVES, control: { requiredSoakTime: '1h' } });
    missing.deployments.delete('web-v2');
    expect(ungranted(missing)).toEqual([why, 'open: Deployment web-v2 does not exist yet (Deployment web-v2)']);
  });

  it('[issue 10.1] for a grant also where something else is waited for first', () => {
    const simulation = atGate();
    const conditions = withGrant([], 'the server may not scale in shop', simulation.now);
    simulation.ro = {
      ...simulation.ro,
      status: {
        ...(simulation.ro.status as object),
        conditions: [...(simulation.ro.status as { conditions: [] }).conditions, ...conditions],
      },
    };
    expect(linesOf(simulation.told)).toEqual([
      'open: waiting for 1 approval after stage 1',
      'open: waiting for a grant: the server may not scale in shop',
    ]);
  });

  it('[issue 9.3] where an annotation holds the rollout: it is held, whatever else it waits for', () => {
    const simulation = atGate();
    simulation.ro = { ...simulation.ro, metadata: { ...simulation.ro.metadata, annotations: { [SUSPENDED]: 'true' } } };
    const held = `the annotation ${SUSPENDED} pauses this rollout: nothing changes and no decision is evaluated until it is removed`;
    expect([simulation.sentence, ...waitOf(simulation)]).toEqual([held, true, 'person', null]);
    expect(linesOf(simulation.told)).toEqual([`open: ${held}`]);
    expect([simulation.told.activity, simulation.told.phase]).toEqual(['held', 'Paused']);
    // What is through needs no pass any more.
    const done = aSimulation(4);
    done.settle();
    done.ro = { ...done.ro, metadata: { ...done.ro.metadata, annotations: { [SUSPENDED]: 'true' } } };
    expect([done.sentence, done.told.activity]).toEqual(['all traffic goes to web-v2', 'idle']);
  });

  it('[issue 10.2] where its revision belongs to somebody else: nothing is planned, and it says whose it is', () => {
    const simulation = atGate();
    const { view } = simulation.observe();
    const told = describeRollout({ view: { ...view, taken: { revision: 'web-v2', by: 'other' } } }, simulation.now);
    expect(linesOf(told)).toEqual([
      'open: web-v2 belongs to rollout other, and two rollouts cannot scale one revision; both are stopped until one of them names another revision or is deleted',
    ]);
    expect(told).toMatchObject({ phase: 'Degraded', activity: 'held', position: 'between', waitsFor: { isWaiting: true, whom: 'person' } });
    expect(told.acts.abort.why).toEqual({ id: 'refused.taken', revision: 'web-v2', by: 'other' });
    expect(told.attempt?.stages.map(({ outcome }) => outcome)).toEqual(['done']);
    expect(told.unreadable).toBeNull();
  });

  it('[issue 9.3] where it cannot be read: with the field and what is wrong with it', () => {
    const simulation = atGate();
    simulation.change({ control: { gates: 'sometimes' } });
    const { unreadable, acts, waitsFor, activity } = simulation.told;
    expect([unreadable?.field, activity, waitsFor.whom, waitsFor.isWaiting]).toEqual(['spec.control.gates', 'held', 'person', true]);
    expect(simulation.sentence).toMatch(/^the rollout cannot be read: spec.control.gates .*; the rollout is stopped until it is fixed$/);
    expect(acts.abort.why).toEqual({ id: 'refused.unreadable', ...unreadable });
  });

  it('[rollout 14.6] after an abort, and for a looser policy at rest', () => {
    const simulation = atGate({ ...HALVES, control: { gates: 'every-stage', approvals: { required: 2 } } });
    simulation.decide({ verb: 'abort', reason: 'too slow' });
    simulation.settle();
    const aborted = 'web-v2 was aborted: too slow; all traffic goes to web-v1; retry it, or roll out another revision';
    expect([simulation.sentence, ...waitOf(simulation)]).toEqual([aborted, true, 'person', null]);
    expect(linesOf(simulation.told)).toEqual([`open: ${aborted}`]);
    simulation.change({ control: { gates: 'none', approvals: { required: 2 } } });
    simulation.pass();
    simulation.decide({ verb: 'loosen' }, 'ann');
    const looser =
      'a looser policy (control.gates) is waiting for 1 more decision to loosen (1 of 2 given, by ann); until then the stricter policy applies';
    expect([simulation.sentence, ...waitOf(simulation)]).toEqual([looser, true, 'person', null]);
  });

  it('[issue 9] where a pass failed: that first, then what the last one left', () => {
    const simulation = growing();
    const failed = { type: 'Reconciled', status: 'False', reason: 'ReconcileFailed', message: 'no answer' };
    const status = simulation.ro.status as { conditions: readonly object[] };
    simulation.ro = { ...simulation.ro, status: { ...status, conditions: [...status.conditions, failed] } };
    expect(linesOf(simulation.told)).toEqual([
      `open: reconciling this rollout failed and is retried: no answer`,
      `open: ${GROW(0)}`,
      `open: ${SHRINK(4)}`,
    ]);
    expect(waitOf(simulation)).toEqual([true, 'person', null]);
    expect([simulation.told.phase, simulation.told.activity]).toEqual(['Degraded', 'rolling-out']);
  });
});
