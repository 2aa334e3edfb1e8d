import { describe, expect, it } from 'vitest';
import { readList, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant, toIso } from '@/lib/std/instant';
import { evaluateReach } from '@/server/rollout/control/boundary';
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
    expect(simulation.decide({ verb: 'loosen' })).toMatchObject({ phase: 'Accepted' });
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
    expect(simulation.decide({ verb: 'rollback', revision: 'web-v1' })).toMatchObject({ phase: 'Accepted' });
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

describe('what holds a rollout that may not be moved', () => {
  it('[issue 10, 1] is that its namespace is not granted, which comes before that it cannot be seen', () => {
    const blind = { of: 'Pod', kind: 'old', since: toInstant(0), reason: 'no watch' } as const;
    expect(evaluateReach({ blind: undefined, ungranted: 'shop is not granted' })).toEqual({
      reason: 'NotGranted',
      message: { id: 'wait.ungranted', why: 'shop is not granted' },
    });
    expect(evaluateReach({ blind, ungranted: 'shop is not granted' })?.reason).toBe('NotGranted');
    expect(evaluateReach({ blind, ungranted: undefined })?.reason).toBe('HealthUnknown');
    expect(evaluateReach({ blind: undefined, ungranted: undefined })).toBeUndefined();
  });
});
