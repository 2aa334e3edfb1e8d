import { describe, expect, it } from 'vitest';
import { controlPolicy, resolvePolicy } from '@/server/rollout/policy/control-policy';
import { rolloutPolicy } from '@/server/rollout/policy/rollout-policy';
import { termsSchema } from '@/server/rollout/policy/strictness';
import { summarisePolicy } from '@/server/rollout/policy/summary';

const TEN_YEARS = 315_360_000;

describe('what a policy may say', () => {
  it.each<{ readonly field: string; readonly good: readonly unknown[]; readonly bad: readonly unknown[] }>([
    {
      field: 'requiredSoakTime',
      good: [0, TEN_YEARS, '90s', '1h30m', '0s'],
      bad: [-1, TEN_YEARS + 1, '87600h1s', '-1s', 'soon', '', null, true],
    },
    { field: 'minReadySeconds', good: [0, 60, TEN_YEARS], bad: [-1, 1.5, TEN_YEARS + 1, '60'] },
    { field: 'progressDeadlineSeconds', good: [0, 600], bad: [-1, TEN_YEARS + 1] },
    { field: 'abortScaleDownDelaySeconds', good: [0], bad: [-1] },
    { field: 'scaleDownDelaySeconds', good: [0], bad: [-1] },
    {
      field: 'gates',
      good: ['none', 'every-stage', [], [{ atPercent: 0 }, { atPercent: 100 }]],
      bad: ['all', [{ atPercent: -1 }], [{ atPercent: 101 }], [{}], [{ atPercent: 5, by: 'x' }]],
    },
    {
      field: 'approvals',
      good: [{}, { required: 1 }, { groups: [] }],
      bad: [{ required: 0 }, { required: 1.5 }, { groups: 'sre' }, { people: 2 }],
    },
    {
      field: 'autoAbort',
      good: [{ failureLimit: 0 }, { consecutiveErrorLimit: 0 }, { intervalSeconds: 1 }],
      bad: [{ failureLimit: -1 }, { failureLimit: 0.5 }, { intervalSeconds: 0 }, { limit: 1 }],
    },
    { field: 'pause', good: [{}, { duration: '1h' }], bad: [{ duration: 'later' }, { time: 1 }] },
    { field: 'paused', good: [true], bad: ['yes'] },
  ])('[issue 10.7] of $field', ({ field, good, bad }) => {
    for (const value of good) expect([value, controlPolicy.safeParse({ [field]: value }).success]).toEqual([value, true]);
    for (const value of bad) expect([value, controlPolicy.safeParse({ [field]: value }).success]).toEqual([value, false]);
  });

  it.each<{ readonly field: string; readonly good: readonly unknown[]; readonly bad: readonly unknown[] }>([
    { field: 'ratio', good: [1, 100], bad: [0, 101, 1.5] },
    { field: 'stageTimeoutMinutes', good: [1], bad: [0, 0.5] },
    { field: 'strategy', good: ['availability', 'resourceutil'], bad: ['sideways'] },
    { field: 'overlap', good: [true, false], bad: ['no'] },
    { field: 'step', good: [], bad: [10] },
  ])('[issue 10.7] of $field of a rollout', ({ field, good, bad }) => {
    for (const value of good) expect([value, rolloutPolicy.safeParse({ [field]: value }).success]).toEqual([value, true]);
    for (const value of bad) expect([value, rolloutPolicy.safeParse({ [field]: value }).success]).toEqual([value, false]);
  });

  it('[issue 10.7] of a rollout where nothing is said: a tenth at a time, overlapping, without gates', () => {
    expect(rolloutPolicy.parse({})).toEqual({ strategy: 'availability', ratio: 10, overlap: true, stageTimeoutMinutes: 2, control: {} });
    expect(termsSchema.parse({ ratio: 20, control: {} })).toEqual({ ratio: 20, overlap: true, control: {} });
  });

  it('[issue 10.7] is taken as it is said, and durations as their time', () => {
    const said = {
      paused: true,
      gates: 'every-stage' as const,
      pause: { duration: '1m' },
      requiredSoakTime: 5,
      minReadySeconds: 1,
      progressDeadlineSeconds: 2,
      progressDeadlineAbort: true,
      autoAbort: { failureLimit: 0, consecutiveErrorLimit: 0, intervalSeconds: 3 },
      abortScaleDownDelaySeconds: 4,
      scaleDownDelaySeconds: 5,
      autoPromotionEnabled: false,
      approvals: { required: 2, groups: ['sre'], allowSelf: false },
    };
    expect(resolvePolicy(said)).toEqual({ ...said, pause: { duration: 60_000 }, requiredSoakTime: 5000 });
    expect(resolvePolicy({ pause: { duration: 0 } }).pause.duration).toBe(0);
    expect(resolvePolicy({ pause: {} }).pause.duration).toBeUndefined();
  });
});

describe('a policy in words', () => {
  const words = (properties: unknown) => summarisePolicy(properties).slice(2);

  it.each<{ readonly properties: unknown; readonly said: readonly string[] }>([
    { properties: {}, said: [] },
    {
      properties: { ratio: 10, overlap: false, stageTimeoutMinutes: 1 },
      said: ['10% at a time', 'a stage waits until old pods are gone', 'a stage has 1 minute'],
    },
    { properties: { overlap: true, control: {} }, said: [] },
    { properties: { control: { gates: 'every-stage' } }, said: ['a gate after every stage'] },
    { properties: { control: { gates: 'none' } }, said: ['no gates'] },
    { properties: { control: { gates: [] } }, said: [] },
    { properties: { control: { gates: [{ atPercent: 50 }] } }, said: ['a gate at 50%'] },
    { properties: { control: { gates: [{ atPercent: 20 }, { atPercent: 50 }] } }, said: ['gates at 20% and 50%'] },
    { properties: { control: { autoPromotionEnabled: true, paused: false, progressDeadlineAbort: false } }, said: [] },
    {
      properties: { control: { autoPromotionEnabled: false, paused: true, progressDeadlineAbort: true } },
      said: ['it waits for a person before stage 1', 'aborts automatically when a stage makes no progress', 'paused'],
    },
    { properties: { control: { autoAbort: { failureLimit: 0 } } }, said: ['aborts automatically when the new revision fails'] },
    { properties: { control: { autoAbort: { intervalSeconds: 5 } } }, said: [] },
    {
      properties: { control: { approvals: { required: 2, groups: ['sre', 'dev'], allowSelf: false } } },
      said: ['2 approvals a gate', 'approved by sre and dev', 'not by who requested the change'],
    },
    { properties: { control: { approvals: { required: 1, allowSelf: true } } }, said: ['1 approval a gate'] },
    { properties: { control: { approvals: {} } }, said: [] },
    {
      properties: { control: { requiredSoakTime: 90, scaleDownDelaySeconds: 60, abortScaleDownDelaySeconds: 30 } },
      said: ['a stage soaks for 1m 30s', 'old pods stay 1m after the end', 'rejected pods stay 30s after an abort'],
    },
  ])('[issue 10.7] says what it was given, and nothing of what it leaves open: $properties', ({ properties, said }) => {
    expect(words(properties)).toEqual(said);
  });

  it('[issue 10.7] begins with what is replaced, and how', () => {
    expect(summarisePolicy({ component: 'web', strategy: 'resourceutil' })).toEqual([
      'web in stages',
      'old replicas go before new ones come up',
    ]);
    expect(summarisePolicy({ ratio: 0, overlap: 1 })[0]).toMatch(/^cannot be read: ratio .*found 0, overlap .*found 1$/);
    expect(summarisePolicy({ step: 1 })[0]).toMatch(/^cannot be read: \S/);
  });
});
