import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { explainSelfApproval, explainUnmeetable } from '@/server/rollout';
import type { ControlInput } from '@/server/rollout/policy/control-policy';
import type { Simulation } from './simulation';
import { anEntry, aSimulation } from './simulation';

const FORMER: ControlInput = { gates: 'every-stage', approvals: { required: 2 } };
const MISTAKEN: ControlInput = { gates: 'every-stage', approvals: { required: 99 } };
const OWNER = { ...KINDS.application, name: 'web', uid: 'app', controller: true };

/** The policy of the application as somebody asks for it; admission notes who. */
function ask(simulation: Simulation, control: ControlInput, by: string): void {
  simulation.change({ control });
  const annotations = { ...simulation.ro.metadata.annotations, 'slipway.dev/policy-requested-by': by };
  simulation.ro = { ...simulation.ro, metadata: { ...simulation.ro.metadata, ownerReferences: [OWNER], annotations } };
  simulation.settle();
}

/** The same of a rollout that no application owns. */
function askUnowned(simulation: Simulation, control: ControlInput): void {
  simulation.change({ control });
  const annotations = { ...simulation.ro.metadata.annotations, 'slipway.dev/policy-requested-by': 'ada' };
  simulation.ro = { ...simulation.ro, metadata: { ...simulation.ro.metadata, annotations } };
  simulation.settle();
}

/** A rollout at its first gate, whose policy ada made stricter by mistake. */
function lockedOut(by = 'ada'): Simulation {
  const simulation = aSimulation(4, { overConsumptionRatio: 25, control: FORMER });
  simulation.isTied = true;
  simulation.settle();
  ask(simulation, MISTAKEN, by);
  return simulation;
}

const inForce = ({ told }: Simulation) => told.approvals.required;

describe('a policy that was made stricter by mistake', () => {
  it('[issue 9] is taken back by whoever requested it, on record, to exactly what was in force before', () => {
    const simulation = lockedOut();
    expect([inForce(simulation), simulation.told.tighteningUndo?.by]).toEqual([99, 'ada']);
    ask(simulation, FORMER, 'ada');
    expect([inForce(simulation), simulation.told.loosening, simulation.told.tighteningUndo]).toEqual([2, null, null]);
    expect(simulation.control.history.filter(({ action }) => action === 'policy.taken-back')).toMatchObject([
      {
        actor: 'ada',
        message: 'ada took back the stricter policy that they asked for: control.approvals.required; no one had decided under it',
      },
    ]);
    expect(simulation.control).toMatchObject({ completedStages: 1, phase: 'Paused' });
  });

  it('[issue 9] is nobody’s to take back where several people asked for it, or where no application owns the rollout', () => {
    const several = lockedOut('ada\nben');
    expect([inForce(several), several.told.tighteningUndo]).toEqual([99, null]);
    ask(several, FORMER, 'ada');
    expect(inForce(several)).toBe(99);
    const unowned = aSimulation(4, { overConsumptionRatio: 25, control: FORMER });
    unowned.isTied = true;
    unowned.settle();
    askUnowned(unowned, MISTAKEN);
    expect([inForce(unowned), unowned.told.tighteningUndo]).toEqual([99, null]);
    askUnowned(unowned, FORMER);
    expect(inForce(unowned)).toBe(99);
  });

  it.each<[string, (simulation: Simulation) => void]>([
    [
      'somebody pauses the rollout and resumes it',
      (simulation) => ['pause', 'resume'].forEach((verb) => void simulation.decide({ verb: verb as 'pause' }, 'ben')),
    ],
    [
      'somebody else changes what is neither looser nor stricter',
      (simulation) => ask(simulation, { ...MISTAKEN, scaleDownDelaySeconds: 60 }, 'ben'),
    ],
  ])('[issue 9] may still be taken back by who requested it after %s', (_what, act) => {
    const simulation = lockedOut();
    act(simulation);
    expect([inForce(simulation), simulation.told.tighteningUndo?.by]).toEqual([99, 'ada']);
    ask(simulation, FORMER, 'ada');
    expect([inForce(simulation), simulation.told.loosening]).toEqual([2, null]);
  });

  it('[issue 9] is in force, and nobody’s to take back, where it is unknown who asked for it', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 25, control: FORMER });
    simulation.isTied = true;
    simulation.ro = { ...simulation.ro, metadata: { ...simulation.ro.metadata, ownerReferences: [OWNER] } };
    simulation.settle();
    simulation.change({ control: MISTAKEN });
    simulation.settle();
    expect([inForce(simulation), simulation.told.tighteningUndo]).toEqual([99, null]);
    simulation.change({ control: FORMER });
    simulation.settle();
    expect([inForce(simulation), simulation.told.loosening]).toEqual([99, expect.anything()]);
  });

  it.each<[string, (simulation: Simulation) => void]>([
    ['somebody else asks for the former one', (simulation) => ask(simulation, FORMER, 'mallory')],
    ['others asked for a looser one as well', (simulation) => ask(simulation, FORMER, 'ada\nmallory')],
    [
      'it would be looser than the former one',
      (simulation) => ask(simulation, { gates: 'every-stage', approvals: { required: 1 } }, 'ada'),
    ],
    ['it would have no gates', (simulation) => ask(simulation, {}, 'ada')],
    [
      'a quarter of an hour has passed',
      (simulation) => {
        simulation.advance(15 * 60);
        ask(simulation, FORMER, 'ada');
      },
    ],
    [
      'somebody has decided under it',
      (simulation) => {
        simulation.decide({ verb: 'approve', actor: { user: 'ben', groups: [] } });
        ask(simulation, FORMER, 'ada');
      },
    ],
    [
      'somebody else has made it stricter since',
      (simulation) => {
        ask(simulation, { ...MISTAKEN, requiredSoakTime: '1h' }, 'ben');
        ask(simulation, FORMER, 'ada');
      },
    ],
    [
      'nothing ties names to people',
      (simulation) => {
        simulation.isTied = false;
        ask(simulation, FORMER, 'ada');
      },
    ],
  ])('[issue 9] stays in force where %s', (_what, act) => {
    const simulation = lockedOut();
    act(simulation);
    expect(inForce(simulation)).toBe(99);
    expect(simulation.told.loosening).not.toBeNull();
  });

  it('[issue 9] stays in force where an account asked for it that many write through', () => {
    const simulation = lockedOut('system:serviceaccount:argocd:argocd-application-controller');
    expect(simulation.told.tighteningUndo).toBeNull();
    ask(simulation, FORMER, 'system:serviceaccount:argocd:argocd-application-controller');
    expect(inForce(simulation)).toBe(99);
  });

  it('[design 14] is no way past the first gates that somebody asked for: without them every gate would be open', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 25, control: {} });
    simulation.isTied = true;
    simulation.settle();
    ask(simulation, FORMER, 'ada');
    simulation.deploy('web-v3', 0);
    simulation.change({ targetRevisions: [anEntry('web-v3', 4)] });
    simulation.settle();
    ask(simulation, {}, 'ada');
    expect([inForce(simulation), simulation.control.phase]).toEqual([2, 'Paused']);
  });

  it('[issue 9] is taken back whole where whoever made it stricter did so twice, in the time of the first', () => {
    const simulation = lockedOut();
    simulation.advance(10 * 60);
    ask(simulation, { gates: 'every-stage', approvals: { required: 100 } }, 'ada');
    simulation.advance(4 * 60);
    ask(simulation, FORMER, 'ada');
    expect(inForce(simulation)).toBe(2);
  });
});

describe('a policy that nobody can meet', () => {
  const PEOPLE = [
    { user: 'operator', groups: ['slipway:operators'] },
    { user: 'approver', groups: ['slipway:approvers'] },
  ];
  it.each<[string, ControlInput, string | undefined, string | undefined]>([
    [
      'needs more than can sign in',
      MISTAKEN,
      undefined,
      'the policy requires 99 approvals at each gate, and only operator and approver can approve here',
    ],
    [
      'names a group nobody is in',
      { approvals: { groups: ['sre'] } },
      undefined,
      'the policy requires 1 approval at each gate from sre, and no one can approve here',
    ],
    ['keeps out whoever asks', { approvals: { required: 2, allowSelf: false } }, 'operator', 'and only approver can approve here'],
    ['can be met', { approvals: { required: 2 } }, 'operator', undefined],
  ])('[issue 9] is told before it is applied where it %s', (_what, control, by, told) => {
    const said = explainUnmeetable(control, { known: PEOPLE, by });
    if (told === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(told);
  });

  it('[issue 10.2] that keeps who asks from approving says before it is applied which service account that is, and nothing of people', () => {
    const control = { approvals: { allowSelf: false } };
    expect(explainSelfApproval(control, 'system:serviceaccount:flux-system:kustomize-controller')).toBe(
      'the policy does not let the requester approve a change: here that is service account kustomize-controller in flux-system; who changed what it applies is unknown, and may approve it',
    );
    expect([
      explainSelfApproval(control, 'ann'),
      explainSelfApproval(control, undefined),
      explainSelfApproval({}, 'system:serviceaccount:a:b'),
    ]).toEqual([undefined, undefined, undefined]);
  });

  it('[issue 9] is told by its number alone where nobody knows who may sign in', () => {
    expect(explainUnmeetable(MISTAKEN, {})).toContain('99 approvals at each gate; make sure that enough people may approve');
    expect(explainUnmeetable(FORMER, {})).toBeUndefined();
    expect(explainUnmeetable({ approvals: { groups: [' '] } }, {})).toContain('a group without a name has no members');
  });
});
