import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ControlInput } from '@/server/rollout/policy/control-policy';
import { resolvePolicy } from '@/server/rollout/policy/control-policy';
import type { RolloutTerms } from '@/server/rollout/policy/strictness';
import { loosenedFields, stricterOf, TERMS } from '@/server/rollout/policy/strictness';

const GATED: ControlInput = { gates: 'every-stage' };
const terms = (control: ControlInput, ratio = 10, overlap = true): RolloutTerms => ({ ratio, overlap, control });
const loosened = (inForce: ControlInput, asked: ControlInput) =>
  loosenedFields(terms({ ...GATED, ...inForce }), terms({ ...GATED, ...asked }));

type Row = readonly [field: string, stricter: ControlInput, looser: ControlInput];

const ORDERED: readonly Row[] = [
  ['gates', { gates: 'every-stage' }, { gates: 'none' }],
  ['gates', { gates: 'every-stage' }, { gates: [{ atPercent: 50 }] }],
  ['gates', { gates: [{ atPercent: 20 }, { atPercent: 50 }] }, { gates: [{ atPercent: 50 }] }],
  ['gates', { gates: [{ atPercent: 20 }] }, { gates: [] }],
  ['pause.duration', {}, { pause: { duration: '1h' } }],
  ['pause.duration', { pause: { duration: '1h' } }, { pause: { duration: 60 } }],
  ['requiredSoakTime', { requiredSoakTime: '10m' }, { requiredSoakTime: 599 }],
  ['minReadySeconds', { minReadySeconds: 10 }, {}],
  ['progressDeadlineAbort', { progressDeadlineAbort: true }, {}],
  ['autoAbort.failureLimit', { autoAbort: { failureLimit: 3 } }, {}],
  ['autoAbort.failureLimit', { autoAbort: { failureLimit: 3 } }, { autoAbort: { failureLimit: 4 } }],
  ['autoAbort.consecutiveErrorLimit', {}, { autoAbort: { consecutiveErrorLimit: 5 } }],
  ['autoAbort.intervalSeconds', {}, { autoAbort: { intervalSeconds: 60 } }],
  ['autoPromotionEnabled', { autoPromotionEnabled: false }, {}],
  ['approvals.required', { approvals: { required: 2 } }, {}],
  ['approvals.groups', { approvals: { groups: ['sre'] } }, {}],
  ['approvals.groups', { approvals: { groups: ['sre'] } }, { approvals: { groups: ['sre', 'dev'] } }],
  ['approvals.allowSelf', { approvals: { allowSelf: false } }, {}],
];

describe('a change of policy', () => {
  it.each(ORDERED)('[design 14] is looser in %s from %j to %j, and not the other way', (field, stricter, looser) => {
    expect(loosened(stricter, looser)).toEqual([`control.${field}`]);
    expect(loosened(looser, stricter)).toEqual([]);
    expect(loosened(stricter, stricter)).toEqual([]);
  });

  it('[issue 13] is looser where stages come to overlap', () => {
    expect(loosenedFields(terms(GATED, 10, false), terms(GATED))).toEqual(['overlap']);
    expect(loosenedFields(terms(GATED), terms(GATED, 10, false))).toEqual([]);
    expect(stricterOf(terms(GATED, 10, false), terms(GATED, 20)).terms.overlap).toBe(false);
  });

  it('[design 14] is looser where its values cannot be compared', () => {
    expect(loosened({ gates: [{ atPercent: 50 }] }, { gates: [{ atPercent: 49 }] })).toEqual(['control.gates']);
    expect(loosened({ approvals: { groups: ['sre'] } }, { approvals: { groups: ['dev'] } })).toEqual(['control.approvals.groups']);
  });

  it('[design 14] is looser where stages grow, for there are fewer to stop at', () => {
    expect(loosenedFields(terms(GATED, 10), terms(GATED, 100))).toEqual(['ratio']);
    expect(loosenedFields(terms(GATED, 10), terms(GATED, 5))).toEqual([]);
  });

  it('[design 14] needs no decision where the policy in force asks nobody', () => {
    const inForce: ControlInput = { requiredSoakTime: '1h', autoAbort: { failureLimit: 1 }, minReadySeconds: 60 };
    expect(loosenedFields(terms(inForce), terms({}, 100))).toEqual([]);
    expect(stricterOf(terms(inForce), terms({}, 100))).toEqual({ terms: terms({}, 100), loosened: [] });
  });

  it('[design 14] says of each field which direction is looser', () => {
    expect(TERMS.filter(({ looser }) => looser === 'any')).toEqual([]);
    expect(TERMS.filter(({ looser }) => looser === 'neither').map(({ path }) => path.join('.'))).toEqual([
      'control.paused',
      'control.progressDeadlineSeconds',
      'control.abortScaleDownDelaySeconds',
      'control.scaleDownDelaySeconds',
    ]);
  });

  it('[design 14] keeps the stricter side field by field', () => {
    const inForce = terms({ gates: 'every-stage', approvals: { required: 2, groups: ['sre'] }, requiredSoakTime: '5m' }, 20);
    const asked = terms(
      { gates: 'none', approvals: { required: 1, groups: ['sre'], allowSelf: false }, requiredSoakTime: '10m', paused: true },
      50,
    );
    expect(stricterOf(inForce, asked).terms).toEqual(
      terms(
        { gates: 'every-stage', approvals: { required: 2, groups: ['sre'], allowSelf: false }, requiredSoakTime: '10m', paused: true },
        20,
      ),
    );
  });

  it('[design 14] keeps gates that open by themselves as they are where they are given up together with their time', () => {
    const timed: ControlInput = { gates: 'every-stage', pause: { duration: '10m' } };
    expect(stricterOf(terms(timed), terms({})).terms).toEqual(terms(timed));
    expect(stricterOf(terms({ ...timed, autoPromotionEnabled: false }), terms({})).terms).toEqual(
      terms({ ...timed, autoPromotionEnabled: false }),
    );
    // Whoever keeps a gate and takes its time away wants a person there.
    expect(stricterOf(terms(timed), terms({ gates: [{ atPercent: 50 }] })).terms).toEqual(terms({ gates: 'every-stage' }));
    expect(stricterOf(terms(timed), terms({ autoPromotionEnabled: false })).terms).toEqual(
      terms({ gates: 'every-stage', autoPromotionEnabled: false }),
    );
  });

  const control: fc.Arbitrary<ControlInput> = fc.record(
    {
      gates: fc.oneof(
        fc.constantFrom('none' as const, 'every-stage' as const),
        fc.array(fc.record({ atPercent: fc.constantFrom(20, 40, 60) }), { maxLength: 3 }),
      ),
      pause: fc.record({ duration: fc.constantFrom('10m', 60, 900) }, { requiredKeys: [] }),
      requiredSoakTime: fc.constantFrom('1m', 0, 600),
      paused: fc.boolean(),
      autoPromotionEnabled: fc.boolean(),
      autoAbort: fc.record({ failureLimit: fc.nat(3), consecutiveErrorLimit: fc.nat(5) }, { requiredKeys: [] }),
      approvals: fc.record(
        { required: fc.integer({ min: 1, max: 3 }), groups: fc.subarray(['sre', 'dev', 'qa']), allowSelf: fc.boolean() },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  );
  const anyTerms = fc.record({ ratio: fc.constantFrom(5, 10, 50), overlap: fc.boolean(), control });

  it('[design 14] never leaves a policy that is looser than the one in force, and decides once only', () => {
    fc.assert(
      fc.property(anyTerms, anyTerms, (inForce, asked) => {
        const { terms: kept } = stricterOf(inForce, asked);
        expect(loosenedFields(inForce, kept)).toEqual([]);
        expect(stricterOf(kept, asked).terms).toEqual(kept);
        if (loosenedFields(inForce, asked).length === 0) expect(resolvePolicy(kept.control)).toEqual(resolvePolicy(asked.control));
      }),
      { numRuns: 500 },
    );
  });
});
