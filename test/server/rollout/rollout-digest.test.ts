import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { rolloutDigest } from '@/server/rollout';
import { anEntry } from './simulation';

const at = '2026-01-01T09:00:00Z';
const TARGET = anEntry('web-v2', 4);
const GATED = { gates: 'every-stage', approvals: { required: 2 } };
const ATTEMPT = { id: 'a1', target: [TARGET], startedAt: at };
const CONTROL = { state: 'boundary', phase: 'Paused', attempt: ATTEMPT, stage: 1, since: at };
const SPEC = { targetRevisions: [TARGET], rolloutStrategy: 'availability', overConsumptionRatio: 25, control: GATED };

interface Seen {
  readonly uid?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly control?: object;
}

/** What somebody saw of a rollout, with what is another. */
function digestOf({ uid = 'ro-1', annotations = {}, spec, control }: Seen = {}): string {
  const metadata = { name: 'web', namespace: 'shop', uid, generation: 1, annotations };
  const status = { control: { ...CONTROL, ...control } };
  const ro = { ...KINDS.rolloutOrchestrator, metadata, spec: { ...SPEC, ...spec }, status };
  return rolloutDigest(JSON.parse(JSON.stringify(ro)) as KubeObject);
}

describe('the digest of what a person decides about', () => {
  it.each<readonly [string, Seen]>([
    ['the rollout', { uid: 'ro-2' }],
    ['the revision that it goes to', { spec: { targetRevisions: [anEntry('web-v3', 4)] } }],
    ['how much goes to it', { spec: { targetRevisions: [{ ...TARGET, percent: 90 }] } }],
    ['what it goes to, where nothing is asked for any more', { spec: { targetRevisions: undefined } }],
    ['the attempt', { control: { attempt: { ...ATTEMPT, id: 'a2' } } }],
    ['when the attempt began, as with a retry', { control: { attempt: { ...ATTEMPT, startedAt: '2026-01-01T09:00:01Z' } } }],
    ['the stage', { control: { stage: 2 } }],
    ['the phase', { control: { phase: 'Degraded' } }],
    ['the policy', { spec: { control: { ...GATED, approvals: { required: 3 } } } }],
    ['whether the spec pauses it', { spec: { paused: true } }],
    ['how much a stage moves', { spec: { overConsumptionRatio: 50 } }],
    ['the strategy', { spec: { rolloutStrategy: 'resourceutil' } }],
    ['whether stages overlap', { spec: { overlap: false } }],
  ])('[design 5] is another with another of it: %s', (_what, seen) => {
    expect(digestOf(seen)).not.toBe(digestOf());
  });

  it('[design 5] is another where what is in force behind a looser policy is', () => {
    const under = (required: number) =>
      digestOf({ control: { terms: { ratio: 25, control: { gates: 'every-stage', approvals: { required } } } } });
    expect(under(4)).not.toBe(under(3));
    expect(under(2)).toBe(digestOf());
  });

  it('[design 5] goes by the policy of an annotation where the spec has none, and by that of the spec where it has', () => {
    const annotated = (required: number, control?: object) =>
      digestOf({
        annotations: { 'slipway.dev/control': JSON.stringify({ gates: 'every-stage', approvals: { required } }) },
        spec: { control },
      });
    expect(annotated(2)).not.toBe(annotated(3));
    expect(annotated(2, GATED)).toBe(annotated(3, GATED));
  });

  it('[design 5] is the same for the same, however it is written', () => {
    expect(digestOf()).toMatch(/^[0-9a-f]{32}$/);
    expect(digestOf({ control: { message: 'waits for ben', history: [] } })).toBe(digestOf());
    expect(digestOf({ spec: { rolloutStrategy: 'Availability' } })).toBe(digestOf());
    expect(digestOf({ spec: { overlap: true } })).toBe(digestOf());
  });

  it('[design 5] is that of a rollout nobody looked at yet where nothing is remembered of it', () => {
    const bare = { ...KINDS.rolloutOrchestrator, metadata: { name: 'web', namespace: 'shop', uid: 'ro-1' }, spec: SPEC };
    expect(rolloutDigest(bare)).toMatch(/^[0-9a-f]{32}$/);
    expect(rolloutDigest(bare)).not.toBe(digestOf());
  });
});
