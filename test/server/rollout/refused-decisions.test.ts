import { describe, expect, it } from 'vitest';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { readList, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant, toIso } from '@/lib/std/instant';
import { isPausedByPerson } from '@/server/rollout/control/control-facts';
import { evaluateAccess } from '@/server/rollout/control/gates';
import type { Simulation } from './simulation';
import { aSimulation } from './simulation';

const OWNER = { ...KINDS.application, name: 'web', uid: 'app', controller: true };

function atGate(): Simulation {
  const simulation = aSimulation(4, { overConsumptionRatio: 25, control: { gates: 'every-stage' } });
  simulation.settle();
  return simulation;
}

const completed = ({ control }: Simulation) => control.completedStages;

describe('a decision that comes to nothing', () => {
  it('[rollout 14.3] is one that ends at this very moment, and not one that ends in the next', () => {
    const over = atGate();
    expect(over.decide({ verb: 'approve', expiresAt: toIso(over.now) })).toMatchObject({ phase: 'Expired' });
    const next = atGate();
    expect(next.decide({ verb: 'approve', expiresAt: toIso(toInstant(next.now + 1)) })).toMatchObject({ phase: 'Accepted' });
  });

  it.each(['approve', 'advance'] as const)(
    '[rollout 14.3] is %s at a stage that is not reached yet, that is over, or that is not named, though all else was seen as it is',
    (verb) => {
      const simulation = atGate();
      for (const [stage, named] of [
        [2, '2'],
        [0, '0'],
        [undefined, 'none'],
      ] as const) {
        expect(simulation.decide({ verb, stage })).toEqual({
          phase: 'Rejected',
          message: `it was decided at stage ${named}, but the rollout has completed stage 1`,
        });
      }
      simulation.settle();
      expect(completed(simulation)).toBe(1);
      expect(simulation.decide({ verb, stage: 1 })).toMatchObject({ phase: 'Accepted' });
    },
  );

  it.each(['approve', 'advance', 'promote-full', 'pause', 'abort'] as const)(
    '[rollout 14.3] is %s about another revision than the one it goes to',
    (verb) => {
      const simulation = atGate();
      const [target] = readList(simulation.ro, 'spec', 'targetRevisions');
      const name = readString(target, 'revisionName') ?? '';
      expect(simulation.decide({ verb, revision: 'web-v9' })).toEqual({
        phase: 'Rejected',
        message: `it was decided about web-v9, but the rollout goes to ${name}`,
      });
      expect(simulation.decide({ verb, revision: name })).toMatchObject({ phase: 'Accepted' });
    },
  );

  it.each(['approve', 'advance', 'promote-full'] as const)('[rollout 14.3] is %s by somebody who does not say what they saw', (verb) => {
    const simulation = atGate();
    for (const seen of [undefined, {}, { rollout: '' }]) {
      expect(simulation.decide({ verb, seen })).toEqual({
        phase: 'Rejected',
        message: 'the rollout has changed since it was reviewed; review it and decide again',
      });
    }
    expect(simulation.decide({ verb })).toMatchObject({ phase: 'Accepted' });
  });

  it.each(['advance', 'promote-full'] as const)('[rollout 14.3] is %s while the policy pauses it: nothing is opened for later', (verb) => {
    const simulation = atGate();
    simulation.change({ paused: true });
    simulation.settle();
    expect(simulation.decide({ verb })).toMatchObject({ phase: 'Rejected' });
    simulation.change({ paused: false });
    simulation.settle();
    expect(completed(simulation)).toBe(1);
    expect(simulation.decide({ verb })).toMatchObject({ phase: 'Accepted' });
  });

  it('[rollout 14.3] is a looser policy by somebody who does not say which', () => {
    const simulation = atGate();
    simulation.change({ control: { gates: 'none' } });
    simulation.settle();
    for (const seen of [undefined, {}, { policy: '' }]) {
      expect(simulation.decide({ verb: 'loosen', seen })).toEqual({
        phase: 'Rejected',
        message: 'the policy has changed since it was reviewed; review it and decide again',
      });
    }
    const { policy } = simulation.decision({ verb: 'loosen' }).spec.seen ?? {};
    expect(simulation.decide({ verb: 'loosen', seen: { policy } })).toEqual({
      phase: 'Accepted',
      message: 'puts the looser policy into force: control.gates: because',
    });
  });

  it.each(['', '   ', '\n\t'])('[rollout 14.3] is one whose reason says nothing: %j', (reason) => {
    const simulation = atGate();
    expect(simulation.decide({ verb: 'promote-full', reason })).toEqual({
      phase: 'Rejected',
      message: 'promote-full needs a reason, and none is written',
    });
    expect(completed(simulation)).toBe(1);
  });

  it('[rollout 14.3] is a rollback that names no revision, and one of a rollout that no application owns', () => {
    const simulation = atGate();
    expect(simulation.decide({ verb: 'rollback', revision: 'web-v1' })).toEqual({
      phase: 'Rejected',
      message: 'a rollback changes the application, and this rollout has none; change its target instead',
    });
    simulation.ro = { ...simulation.ro, metadata: { ...simulation.ro.metadata, ownerReferences: [OWNER] } };
    expect(simulation.decide({ verb: 'rollback', revision: undefined })).toEqual({
      phase: 'Rejected',
      message: 'rollback needs the revision that it is about, and none is named',
    });
    expect(simulation.decide({ verb: 'rollback', revision: 'web-v1' })).toEqual({
      phase: 'Accepted',
      message: 'rolls back to web-v1: because',
    });
  });

  it('[rollout 14.3] is an approval while a person pauses it between two stages: it opens no gate for later', () => {
    const simulation = atGate();
    simulation.decide({ verb: 'pause' });
    expect(simulation.decide({ verb: 'approve' })).toMatchObject({
      phase: 'Rejected',
      message: expect.stringMatching(/^no gate is waiting for approval: /),
    });
    simulation.decide({ verb: 'resume' });
    simulation.settle();
    expect(completed(simulation)).toBe(1);
    expect(simulation.decide({ verb: 'approve' })).toMatchObject({ phase: 'Accepted' });
  });

  it.each(['approve', 'advance', 'promote-full', 'pause'] as const)('[rollout 14.4] is %s while the rollout is being aborted', (verb) => {
    const simulation = atGate();
    simulation.decide({ verb: 'abort' });
    expect(simulation.decide({ verb })).toEqual({ phase: 'Rejected', message: 'the rollout is being aborted' });
  });
});

describe('a verb that is not possible', () => {
  const refusal = (simulation: Simulation, verb: DecisionVerb) => {
    const before = JSON.stringify(simulation.stored.history);
    const { phase, message } = simulation.decide({ verb });
    expect([phase, JSON.stringify(simulation.stored.history)]).toEqual(['Rejected', before]);
    return message;
  };

  it('[rollout 14.3] is pause or resume where nothing changes by it, and resume of what the policy pauses', () => {
    const simulation = atGate();
    expect(refusal(simulation, 'resume')).toBe('the rollout is not paused');
    simulation.decide({ verb: 'pause' });
    expect(refusal(simulation, 'pause')).toBe('the rollout is already paused');
    simulation.change({ paused: true });
    simulation.settle();
    expect(simulation.decide({ verb: 'resume' })).toMatchObject({ phase: 'Accepted' });
    expect(refusal(simulation, 'resume')).toBe('the policy of the rollout pauses it; change the policy');
  });

  it('[rollout 14.3] is a second abort, on the way back and after it, and a retry where nothing was aborted', () => {
    const simulation = atGate();
    expect(refusal(simulation, 'retry')).toBe('there is no aborted rollout to retry');
    simulation.decide({ verb: 'abort' });
    expect(simulation.stored.state).toBe('returning');
    expect(refusal(simulation, 'abort')).toBe('the rollout is being aborted');
    simulation.settle();
    expect(simulation.stored.state).toBe('aborted');
    expect(refusal(simulation, 'abort')).toBe('the rollout is already aborted');
    expect(simulation.decide({ verb: 'retry' })).toMatchObject({ phase: 'Accepted' });
    expect(refusal(simulation, 'retry')).toBe('there is no aborted rollout to retry');
  });

  it.each(['approve', 'advance', 'promote-full', 'pause', 'abort'] as const)(
    '[rollout 14.3] is %s of a rollout that is through',
    (verb) => {
      const simulation = aSimulation(4);
      simulation.settle();
      expect(simulation.control.phase).toBe('Healthy');
      expect(refusal(simulation, verb)).toBe('rollout web is idle: nothing is in progress');
    },
  );

  it('[rollout 14.3] is approve and advance in the middle of a stage, and promote-full a second time', () => {
    const simulation = atGate();
    simulation.decide({ verb: 'approve' });
    simulation.pass();
    expect(simulation.stored).toMatchObject({ state: 'stage', stage: 2 });
    for (const verb of ['approve', 'advance'] as const) expect(refusal(simulation, verb)).toContain('stage 2');
    simulation.decide({ verb: 'pause' });
    // A pause in the middle of a stage is no gate.
    for (const verb of ['approve', 'advance'] as const) expect(refusal(simulation, verb)).toContain('stage 2');
    expect(simulation.decide({ verb: 'promote-full' })).toMatchObject({ phase: 'Accepted' });
    expect(refusal(simulation, 'promote-full')).toBe('the rollout is already fully promoted');
  });
});

describe('a decision', () => {
  it('[rollout 14.2] that comes again has its effect once, and is answered as it was', () => {
    const simulation = atGate();
    const pause = simulation.decision({ verb: 'pause' });
    simulation.pass([pause]);
    const [answer] = simulation.verdicts.slice(-1);
    expect(answer).toEqual({ phase: 'Accepted', message: 'pauses the rollout: because' });
    simulation.decide({ verb: 'resume' }, 'ben');
    const before = simulation.stored;
    simulation.pass([pause]);
    expect(simulation.verdicts.at(-1)).toEqual(answer);
    expect(simulation.stored).toEqual(before);
    expect(simulation.stored).toMatchObject({ paused: false });
  });

  it('[rollout 14.2] that comes again is known longer than its line of the history is kept', () => {
    const simulation = atGate();
    const pause = simulation.decision({ verb: 'pause' });
    simulation.pass([pause]);
    for (let turn = 0; turn < 12; turn++) for (const verb of ['resume', 'pause'] as const) simulation.decide({ verb });
    simulation.decide({ verb: 'resume' });
    expect(simulation.stored.history.map(({ id }) => id)).not.toContain(pause.uid);
    simulation.pass([pause]);
    expect([simulation.verdicts.at(-1), isPausedByPerson(simulation.stored)]).toEqual([{ phase: 'Accepted', message: 'accepted' }, false]);
  });

  it('[rollout 14.2] that comes again opens no second gate', () => {
    const simulation = atGate();
    const approval = simulation.decision({ verb: 'approve' });
    simulation.pass([approval]);
    simulation.settle();
    expect(completed(simulation)).toBe(2);
    simulation.pass([approval]);
    expect(simulation.verdicts.at(-1)).toMatchObject({ phase: 'Accepted' });
    simulation.settle();
    expect(completed(simulation)).toBe(2);
  });

  it.each([
    [{ name: 'web', uid: 'ro-0' }, 'uid ro-0'],
    [undefined, 'uid none'],
  ])('[rollout 14.3] about a former rollout of this name comes to nothing: %j', (rolloutRef, found) => {
    const simulation = atGate();
    for (const verb of ['approve', 'pause', 'abort'] as const)
      expect(simulation.decide({ verb, rolloutRef })).toEqual({
        phase: 'Rejected',
        message: `it was decided about another rollout web, which is gone: ${found}, not ro-1`,
      });
    simulation.settle();
    expect(simulation.control).toMatchObject({ completedStages: 1, paused: false, abort: false });
  });
});

describe('while a looser policy waits', () => {
  it('[design 14] an approval rests on the rollout alone that was seen, and says nothing of that policy', () => {
    const simulation = atGate();
    simulation.change({ control: { gates: 'none' } });
    simulation.settle();
    const { rollout } = simulation.decision({ verb: 'approve' }).spec.seen ?? {};
    expect(simulation.decide({ verb: 'approve', seen: { rollout } })).toMatchObject({ phase: 'Accepted' });
    expect(simulation.told.loosening).not.toBeNull();
  });

  it('[issue 10.2] whoever asked for it may still approve a change that somebody else requested', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 25, control: { gates: 'every-stage', approvals: { allowSelf: false } } });
    const annotations = { 'slipway.dev/requested-by': 'olga', 'slipway.dev/policy-requested-by': 'eve' };
    simulation.ro = { ...simulation.ro, metadata: { ...simulation.ro.metadata, annotations } };
    simulation.settle();
    simulation.change({ control: { gates: 'none' } });
    simulation.settle();
    for (const verb of ['approve', 'advance', 'promote-full'] as const)
      expect(simulation.decide({ verb }, 'olga').message).toBe('olga requested this change, and the policy requires someone else');
    expect(simulation.decide({ verb: 'loosen' }, 'eve')).toMatchObject({ phase: 'Rejected' });
    expect(simulation.decide({ verb: 'approve' }, 'eve')).toMatchObject({ phase: 'Accepted' });
  });
});

describe('what holds a rollout that may not be moved', () => {
  it('[issue 10, 1] is that its namespace is not granted, which comes before that it cannot be seen', () => {
    const blind = { of: 'Pod', kind: 'old', since: toInstant(0), reason: 'no watch' } as const;
    expect(evaluateAccess({ staleKind: undefined, ungranted: 'shop is not granted' })).toEqual({
      reason: 'NotGranted',
      message: { id: 'wait.ungranted', why: 'shop is not granted' },
    });
    expect(evaluateAccess({ staleKind: blind, ungranted: 'shop is not granted' })?.reason).toBe('NotGranted');
    expect(evaluateAccess({ staleKind: blind, ungranted: undefined })?.reason).toBe('HealthUnknown');
    expect(evaluateAccess({ staleKind: undefined, ungranted: undefined })).toBeUndefined();
  });
});
