import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { approvalsInForce, collectableAt, concernsOwner, explainLoosening, readRolloutFacts } from '@/server/rollout';
import { readRollout } from '@/server/rollout/objects';
import type { ControlInput } from '@/server/rollout/policy/control-policy';
import type { Simulation } from './simulation';
import { anEntry, aSimulation } from './simulation';

// What the owner of a rollout goes by: what it may delete, what it may change, and who must agree.

const GATED: ControlInput = { gates: 'every-stage', approvals: { required: 2, groups: ['sre'] } };
const atGate = (control: ControlInput = GATED): Simulation => {
  const simulation = aSimulation(4, { overConsumptionRatio: 25, control });
  simulation.settle();
  return simulation;
};
const factsOf = ({ ro }: Simulation) => readRolloutFacts(ro);
const wayOf = (simulation: Simulation) => {
  const { target, rejected, isUnderWay, completeSince } = factsOf(simulation);
  return { target, rejected, isUnderWay, isComplete: completeSince !== undefined };
};

describe('what an owner reads of its rollout', () => {
  it('[design 8] is where it goes, and that it is under way, forward and back, until it is through or put back', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 50, control: { gates: 'every-stage' } });
    const way = { target: 'web-v2', rejected: undefined, isUnderWay: true, isComplete: false };
    expect(wayOf(simulation)).toEqual(way);
    simulation.settle();
    expect(wayOf(simulation)).toEqual(way);
    simulation.decide({ verb: 'abort' });
    expect(wayOf(simulation)).toEqual({ ...way, rejected: 'web-v2' });
    simulation.settle();
    expect(wayOf(simulation)).toEqual({ ...way, rejected: 'web-v2', isUnderWay: false });
    simulation.decide({ verb: 'retry' });
    simulation.decide({ verb: 'promote-full' });
    simulation.settle();
    expect(wayOf(simulation)).toEqual({ ...way, isUnderWay: false, isComplete: true });
    expect(factsOf(simulation).completeSince).toBe(simulation.now);
    const none = aSimulation(4);
    for (const targetRevisions of [[], undefined]) {
      none.change({ targetRevisions });
      expect(wayOf(none)).toEqual({ target: undefined, rejected: undefined, isUnderWay: false, isComplete: false });
    }
  });

  it('[design 8] names every revision that it serves or is to serve, each once, whichever way it goes', () => {
    const simulation = atGate({ gates: 'every-stage' });
    expect(factsOf(simulation).named).toEqual(['web-v1', 'web-v2']);
    simulation.deploy('web-v3', 0);
    simulation.change({ initialRevisions: undefined, targetRevisions: [anEntry('web-v3', 4)] });
    expect(factsOf(simulation).named).toEqual(['web-v3', 'web-v1']);
    simulation.settle();
    // What it left half-way serves until it has drained.
    expect(factsOf(simulation).named).toContain('web-v1');
    simulation.decide({ verb: 'abort' });
    expect([...factsOf(simulation).named].sort()).toEqual(['web-v1', 'web-v2', 'web-v3']);
    expect(readRolloutFacts(aSimulation(4, { initialRevisions: undefined }).ro).named).toEqual(['web-v2']);
  });

  it('[design 8] tells the terms in force where they ask people, who asked for looser ones, and who made them stricter', () => {
    expect(factsOf(atGate()).inForce?.control).toMatchObject(GATED);
    expect(factsOf(atGate({ requiredSoakTime: '1h' })).inForce).toBeUndefined();
    const simulation = atGate();
    const by = (user: string) => {
      const annotations = { 'slipway.dev/policy-requested-by': user };
      simulation.ro = { ...simulation.ro, metadata: { ...simulation.ro.metadata, annotations } };
    };
    by('ada\nben');
    expect(factsOf(simulation).loosenedBy).toEqual([]);
    simulation.change({ control: { ...GATED, gates: 'none' } });
    expect(factsOf(simulation).loosenedBy).toEqual(['ada', 'ben']);
    expect(factsOf(simulation).inForce?.control.gates).toBe('every-stage');
  });

  it('[design 8] tells the garbage that was seen with the last decision about going on', () => {
    const simulation = atGate({ gates: 'every-stage' });
    expect(factsOf(simulation).seenGarbage).toBeUndefined();
    const { seen } = simulation.decision({ verb: 'approve' }).spec;
    simulation.decide({ verb: 'approve', seen: { ...seen, garbage: 'sha256:1' } });
    expect([factsOf(simulation).seenGarbage, simulation.told.seenGarbage]).toEqual(['sha256:1', 'sha256:1']);
  });

  it('[rollout 5] reads bounds of several targets off their workloads', () => {
    const halves = ['web-v1', 'web-v2'].map((revisionName) => ({ revisionName, percent: 50 }));
    const simulation = aSimulation(3, { initialRevisions: undefined, targetRevisions: halves });
    simulation.deploy('web-v2', 2);
    simulation.settle();
    expect(simulation.told.position).toBe('complete');
    const workloads = [...simulation.deployments].map(
      ([name, { replicas }]): KubeObject => ({ ...KINDS.deployment, metadata: { name, namespace: 'shop' }, spec: { replicas } }),
    );
    expect(readRolloutFacts(simulation.ro, workloads).completeSince).toBe(simulation.now);
    expect(readRolloutFacts(simulation.ro).completeSince).toBeUndefined();
    expect(readRolloutFacts(simulation.ro).ro.spec.targetRevisions).toEqual(halves);
  });
});

describe('a change of a rollout concerns its owner', () => {
  const aGatedRollout = () => {
    const before = atGate({ gates: 'every-stage' }).ro;
    const spec = before.spec as Readonly<Record<string, unknown>>;
    return { before, spec, changed: (more: Partial<KubeObject>): KubeObject => Object.freeze({ ...before, ...more }) };
  };

  it('[design 8] where it comes or goes, and where somebody asks for something else of it', () => {
    const { before, spec, changed } = aGatedRollout();
    expect([concernsOwner(undefined, before), concernsOwner(before, undefined)]).toEqual([true, true]);
    for (const more of [{ paused: true }, { targetRevisions: [anEntry('web-v3', 4)] }, { overConsumptionRatio: 50 }])
      expect(concernsOwner(before, changed({ spec: { ...spec, ...more } })), JSON.stringify(more)).toBe(true);
    for (const more of [{ labels: { a: 'b' } }, { annotations: { a: 'b' } }, { deletionTimestamp: '2026-01-01T00:00:00Z' }])
      expect(concernsOwner(before, changed({ metadata: { ...before.metadata, ...more } })), JSON.stringify(more)).toBe(true);
  });

  it('[design 8] where it ends or is put back, and not for how far it has got', () => {
    const { before, spec, changed } = aGatedRollout();
    const metadata = { ...before.metadata, resourceVersion: '99', generation: 99 };
    expect(concernsOwner(before, changed({ metadata }))).toBe(false);
    expect(concernsOwner(before, changed({ spec: { ...spec, stageTargetRevisions: [], targetFinishTime: 'x' } }))).toBe(false);
    const other = atGate({ gates: 'every-stage' });
    other.decide({ verb: 'approve' });
    other.settle();
    expect(other.told.completedStages).toBe(2);
    expect(concernsOwner(before, other.ro)).toBe(false);
    other.decide({ verb: 'abort' });
    expect(concernsOwner(before, other.ro)).toBe(true);
    const returning = other.ro;
    other.settle();
    expect(concernsOwner(returning, other.ro)).toBe(true);
  });
});

describe('what older revisions left', () => {
  it('[rollout 14.2] may go once the time is over for which the policy keeps it, and not before the rollout is through', () => {
    const simulation = atGate({});
    expect(collectableAt(factsOf(simulation), { scaleDownDelaySeconds: 0 })).toBe(simulation.now);
    const delayed = collectableAt(factsOf(simulation), { scaleDownDelaySeconds: 90 });
    expect(delayed).toBe(toInstant(simulation.now + 90_000));
    expect(collectableAt(factsOf(atGate()), { scaleDownDelaySeconds: 30 })).toBeUndefined();
  });
});

describe('who has to agree', () => {
  it('[design 14] is told by the terms in force, else by what is asked for, else it is nobody in particular', () => {
    const asked: ControlInput = { approvals: { required: 5 } };
    expect(approvalsInForce(factsOf(atGate()), asked)).toMatchObject({ required: 2, groups: ['sre'] });
    expect(approvalsInForce(factsOf(atGate({})), asked)).toMatchObject({ required: 5, groups: [] });
    expect(approvalsInForce(undefined, asked).required).toBe(5);
    expect(approvalsInForce(undefined, undefined)).toMatchObject({ required: 1, groups: [] });
  });

  const terms = (control: ControlInput) => ({ ...readRollout(atGate().ro).terms, control });
  const now = toInstant(Date.UTC(2026, 0, 1, 9));

  it('[design 14] on what is looser is said in a sentence, with every field and how many people', () => {
    const facts = factsOf(atGate());
    expect(explainLoosening(facts, terms({ ...GATED, gates: 'none' }), { by: 'ada', now })).toBe(
      'control.gates is looser than the policy in force; it takes effect once 2 people decide to loosen it',
    );
    expect(explainLoosening(facts, terms({ gates: 'none', approvals: { required: 1, groups: ['sre'] } }), { by: 'ada', now })).toBe(
      'control.gates and control.approvals.required are looser than the policy in force; they take effect once 2 people decide to loosen it',
    );
    const one = factsOf(atGate({ gates: 'every-stage' }));
    expect(explainLoosening(one, terms({ gates: 'none' }), { by: undefined, now })).toMatch(/once 1 person decides to loosen it$/);
  });

  it('[design 14] is nobody where nothing is looser, or nobody is asked', () => {
    expect(explainLoosening(factsOf(atGate()), terms(GATED), { by: 'ada', now })).toBeUndefined();
    expect(explainLoosening(factsOf(atGate({})), terms({ gates: 'none' }), { by: 'ada', now })).toBeUndefined();
    expect(explainLoosening(undefined, terms({ gates: 'none' }), { by: 'ada', now })).toBeUndefined();
  });

  it('[issue 9] is nobody where whoever made it stricter takes that back, whole and in time; else everybody', () => {
    const tightened = { by: 'ada', at: new Date(now).toISOString(), from: terms(GATED) };
    const facts = { ...factsOf(atGate({ ...GATED, approvals: { required: 9, groups: ['sre'] } })), tightened };
    const said = /^control\.approvals\.required is looser/;
    const explain = (control: ControlInput, by: string | undefined, at = now) => explainLoosening(facts, terms(control), { by, now: at });
    expect(explain(GATED, 'ada')).toBeUndefined();
    expect([explain(GATED, 'ben'), explain(GATED, undefined), explain(GATED, 'ada', toInstant(now + 3_600_000))]).toEqual([
      expect.stringMatching(said),
      expect.stringMatching(said),
      expect.stringMatching(said),
    ]);
    expect(explain({ ...GATED, approvals: { required: 1, groups: ['sre'] } }, 'ada')).toMatch(said);
    const others = { ...facts, tightened: undefined };
    expect(explainLoosening(others, terms(GATED), { by: undefined, now })).toMatch(said);
  });
});
