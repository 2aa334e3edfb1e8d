import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { DroppedReason } from '@/server/rollout';
import { lostPolicyReason, toStoredSettings } from '@/server/rollout';
import { statusOfLostPolicy } from '@/server/rollout/policy-storage';

const WHY = 'the definition of rolloutorchestrators does not know it';
const keepsAll: DroppedReason = () => null;
const drops =
  (...fields: readonly string[]): DroppedReason =>
  (kind, field) =>
    kind === KINDS.rolloutOrchestrator.kind && fields.includes(field) ? WHY : null;
const dropsPolicy = drops('spec.control');

const POLICY = 'slipway.dev/control';
const LOST = 'slipway.dev/policy-lost';
const JSON_POLICY = { [POLICY]: '{"gates":"every-stage"}' };

const aRollout = ({ annotations = {}, spec = {}, status = {} }: { annotations?: object; spec?: object; status?: object }): KubeObject => ({
  ...KINDS.rolloutOrchestrator,
  metadata: { name: 'web', namespace: 'shop', generation: 3, annotations: annotations as Readonly<Record<string, string>> },
  spec,
  status,
});

describe('[issue 9.3] the settings of a rollout', () => {
  const settings = {
    strategy: 'availability',
    ratio: 25,
    stageTimeoutMinutes: 5,
    overlap: false,
    control: { gates: 'every-stage' },
  } as const;

  it('are fields where the definition keeps them, and no annotation speaks beside them', () => {
    expect(toStoredSettings(settings, keepsAll)).toEqual({
      spec: {
        rolloutStrategy: 'availability',
        overConsumptionRatio: 25,
        stageTimeoutMinutes: 5,
        overlap: false,
        control: { gates: 'every-stage' },
      },
      annotations: {},
    });
    expect(toStoredSettings({ ...settings, overlap: true }, keepsAll)).toMatchObject({ spec: { overlap: undefined }, annotations: {} });
  });

  it.each([
    ['spec.control', 'control', POLICY, '{"gates":"every-stage"}'],
    ['spec.overConsumptionRatio', 'overConsumptionRatio', 'rollout.knative.dev/over-consumption-ratio', '25'],
    ['spec.stageTimeoutMinutes', 'stageTimeoutMinutes', 'rollout.knative.dev/stage-rollout-timeout-minutes', '5'],
    ['spec.overlap', 'overlap', 'slipway.dev/overlap', 'false'],
  ] as const)('are annotations where the definition drops %s, and only there', (dropped, field, annotation, text) => {
    const kept = toStoredSettings(settings, keepsAll);
    const stored = toStoredSettings(settings, drops(dropped));
    expect(stored.spec).toEqual({ ...kept.spec, [field]: undefined });
    expect(stored.annotations).toEqual({ [annotation]: text });
  });

  it('say nothing of overlap where stages overlap, whatever is dropped', () => {
    const { spec, annotations } = toStoredSettings({ ...settings, overlap: true }, drops('spec.overlap'));
    expect([spec.overlap, annotations['slipway.dev/overlap']]).toEqual([undefined, undefined]);
  });
});

describe('[issue 9.3] whether a rollout has gates', () => {
  it('is known where its policy is kept, or where an annotation holds it in place of the field', () => {
    const bare = { ...aRollout({}), metadata: { name: 'web' } };
    for (const rollout of [aRollout({}), bare]) expect(lostPolicyReason(rollout, keepsAll)).toBeNull();
    expect(lostPolicyReason(aRollout({ annotations: JSON_POLICY }), dropsPolicy)).toBeNull();
  });

  it('is unknown while parts of it are dropped, also beside an annotation, since the field is read first', () => {
    for (const rollout of [aRollout({}), aRollout({ annotations: JSON_POLICY, spec: { control: {} } })])
      expect(lostPolicyReason(rollout, dropsPolicy)).toBe(
        `it is unknown whether this rollout has gates: ${WHY}, and so does the policy as JSON in the annotation ${POLICY} instead of spec.control`,
      );
  });

  it('stays unknown once the definition is mended, until the rollout is written again', () => {
    const noted = (generation: string) => aRollout({ status: { annotations: { [LOST]: generation } } });
    expect(lostPolicyReason(noted('3'), keepsAll)).toMatch(/^it is unknown whether this rollout has gates: it was written while/);
    expect(lostPolicyReason(noted('2'), keepsAll)).toBeNull();
  });
});

describe('[issue 9.3] that a policy was dropped', () => {
  it('is noted with the generation that lost it, beside what the status says', () => {
    const status = { conditions: [], observedGeneration: 2, annotations: { 'a.b/c': 'kept' } };
    expect(statusOfLostPolicy(aRollout({ status }), dropsPolicy)).toEqual({ ...status, annotations: { 'a.b/c': 'kept', [LOST]: '3' } });
  });

  it('is not noted where nothing is dropped, where it is noted already, and where a pass has gone by this generation', () => {
    expect(statusOfLostPolicy(aRollout({}), keepsAll)).toBeUndefined();
    expect(statusOfLostPolicy(aRollout({ status: { annotations: { [LOST]: '3' } } }), dropsPolicy)).toBeUndefined();
    expect(statusOfLostPolicy(aRollout({ status: { observedGeneration: 3 } }), dropsPolicy)).toBeUndefined();
  });
});
