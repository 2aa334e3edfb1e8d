import { describe, expect, it } from 'vitest';
import { readField, readString } from '@/lib/kube/fields';
import { applicationSchema } from '@/server/commands';
import { summarisePolicy } from '@/server/rollout';
import { controlPolicy, resolvePolicy } from '@/server/rollout/policy/control-policy';

describe('the policy of a rollout', () => {
  it('[rollout 14.2] has its defaults, and an abort that means now', () => {
    expect(resolvePolicy({})).toEqual({
      paused: false,
      gates: 'none',
      pause: { duration: undefined },
      requiredSoakTime: 0,
      minReadySeconds: 0,
      progressDeadlineSeconds: 600,
      progressDeadlineAbort: false,
      autoAbort: { failureLimit: undefined, consecutiveErrorLimit: 4, intervalSeconds: 10 },
      abortScaleDownDelaySeconds: 0,
      scaleDownDelaySeconds: 30,
      autoPromotionEnabled: true,
      approvals: { required: 1, groups: [], allowSelf: true },
    });
  });

  it('[rollout 14.2] reads durations as operators write them, numbers as seconds', () => {
    const { pause, requiredSoakTime } = resolvePolicy(controlPolicy.parse({ requiredSoakTime: '1h30m', pause: { duration: 90 } }));
    expect([requiredSoakTime, pause.duration]).toEqual([5_400_000, 90_000]);
  });

  it('[issue 9.3] refuses a field that it does not know: a gate that is misspelt must not be a gate that is missing', () => {
    const parsed = controlPolicy.safeParse({ gate: 'every-stage' });
    expect(parsed.error?.issues[0]?.message).toContain('gate');
  });

  it('[issue 9.3] gives the editor the sentences and defaults of the schema itself', () => {
    const policies = readField(applicationSchema(), 'properties', 'spec', 'properties', 'policies', 'items', 'oneOf') as readonly unknown[];
    const rollout = policies.find((one) => readField(one, 'properties', 'type', 'const') === 'rollout');
    const control = (name: string) => readField(rollout, 'properties', 'properties', 'properties', 'control', 'properties', name);
    expect(readString(control('autoPromotionEnabled'), 'description')).toBe('False waits for a person before the first stage.');
    expect(readString(control('pause'), 'properties', 'duration', 'description')).toBe(
      'A gate opens automatically after this time, such as 30m; absent, it waits for a person.',
    );
    expect(readField(control('progressDeadlineSeconds'), 'default')).toBe(600);
  });

  it('[issue 9.3] is told in words by the same schema', () => {
    expect(summarisePolicy({ control: { autoPromotionEnabled: false, pause: { duration: '30m' } } })).toEqual([
      'in stages',
      'new replicas come up before old ones go',
      'it waits for a person before stage 1',
      'a gate opens automatically after 30m',
    ]);
    expect(summarisePolicy({ control: { gates: 'sometimes' } })[0]).toBe(
      'cannot be read: control.gates must be none, every-stage, or a list of stages such as {"atPercent": 50}, found "sometimes"',
    );
    expect(summarisePolicy({ control: { gates: [{ atPercent: 400 }] } })[0]).toBe(
      'cannot be read: control.gates[0].atPercent must be at most 100, found 400',
    );
  });
});
