import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { aSimulation } from './simulation';

/** The rollout with another moment at which its stage is to be done. */
const withFinish = (ro: KubeObject, targetFinishTime: unknown): KubeObject => ({
  ...ro,
  spec: { ...(ro.spec as object), targetFinishTime },
});

describe('a forged moment in the spec of a rollout', () => {
  it.each(['+275760-09-13T00:00:00Z', '-271821-04-20T00:00:00Z', '9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z', 'soon'])(
    '[issue 9.3] %s neither ends a pass nor leaves a time that nobody can read, whatever a pause adds to it',
    (forged) => {
      const simulation = aSimulation(4, { overConsumptionRatio: 50 });
      for (let turn = 0; turn < 4; turn++) simulation.pass();
      expect(simulation.decide({ verb: 'pause' }).phase).toBe('Accepted');
      simulation.ro = withFinish(simulation.ro, forged);
      simulation.advance(3600);
      simulation.pass();
      expect(simulation.decide({ verb: 'resume' }).phase).toBe('Accepted');
      simulation.pass();
      expect(simulation.told.deadline === forged || !Number.isNaN(Date.parse(simulation.told.deadline ?? 'now'))).toBe(true);
      simulation.settle();
      expect(simulation.told.phase).toBe('Healthy');
    },
  );
});
