import { describe, expect, it } from 'vitest';
import { describePolicy } from '@/server/readmodel/applications/describe-policy';

describe('a policy in words', () => {
  it.each([
    [
      'rollout',
      {
        component: 'web',
        strategy: 'availability',
        ratio: 20,
        stageTimeoutMinutes: 10,
        control: { gates: 'every-stage', scaleDownDelaySeconds: 5 },
      },
      'web in stages, new replicas come up before old ones go, 20% at a time, a gate after every stage, old pods stay 5s after the end, a stage has 10 minutes',
    ],
    [
      'rollout',
      {
        strategy: 'resourceutil',
        control: {
          gates: [{ atPercent: 20 }, { atPercent: 60 }],
          approvals: { required: 2, groups: ['sre'], allowSelf: false },
          requiredSoakTime: '10m',
        },
      },
      'in stages, old replicas go before new ones come up, gates at 20% and 60%, 2 approvals a gate, approved by sre, not by who requested the change, a stage soaks for 10m',
    ],
    [
      'garbage-collect',
      { applicationRevisionLimit: 3, rules: [{ selector: { resourceTypes: ['ConfigMap', 'Secret'] }, strategy: 'never' }] },
      'keeps 3 older revisions, never deletes every ConfigMap or Secret',
    ],
    ['apply-once', { enable: true }, 'changes by others are left alone'],
    ['take-over', { rules: [{ selector: { resourceNames: ['web'] } }] }, 'adopts objects without an owner: called web'],
    ['read-only', {}, 'uses as they are, and never writes: nothing'],
    ['topology', { clusters: ['local'], namespace: 'shop' }, 'clusters is set, namespace shop'],
  ])('[design 9] %s %j reads without braces', (type, properties, summary) => {
    expect(describePolicy({ name: 'one', type, properties })).toEqual({ type, summary });
  });

  it('[design 9] that sets nothing goes by its name', () => {
    expect(describePolicy({ name: 'shared', type: 'shared-resource' })).toEqual({ type: 'shared-resource', summary: 'shared' });
  });
});
