import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { readRollout } from '@/server/rollout/objects';
import { anEntry } from './simulation';

const target = anEntry('web-v2', 4);
const approvals = { required: 2 };
const SPEC = { targetRevisions: [target], control: { approvals } };

function read(spec: Readonly<Record<string, unknown>>, status: Readonly<Record<string, unknown>> = {}) {
  const { fault, rollout, config, asked, policy } = readRollout({
    ...KINDS.rolloutOrchestrator,
    metadata: { name: 'web', namespace: 'shop' },
    spec,
    status,
  });
  return { fault, rollout, config, asked, policy };
}

it.each([
  ['a list', { initialRevisions: null }],
  ['a text', { rolloutStrategy: null }],
  ['a field of a revision', { targetRevisions: [{ ...target, tag: null, direction: null }] }],
  ['a field of the policy', { control: { approvals, gates: null } }],
  ['a field deep in the policy', { control: { approvals: { ...approvals, allowSelf: null } } }],
])('[rollout 1] null means not set, as %s', (_where, holding) => {
  const found = read({ ...SPEC, ...holding });
  expect(found.fault).toBeUndefined();
  expect(found.rollout.spec.targetRevisions).toEqual([target]);
  expect(found).toEqual(read(SPEC));
});

it('[rollout 1] null means not set, in the status', () => {
  const found = read(SPEC, { stageRevisionStatus: [{ ...target, tag: null }] });
  expect(found.fault).toBeUndefined();
  expect(found.rollout.status.stageRevisionStatus).toEqual([target]);
});

it.each([
  ['rollout.knative.dev/over-consumption-ratio', '25%'],
  ['rollout.knative.dev/stage-rollout-timeout-minutes', 'ten'],
])('[issue 9.3] an annotation that cannot be read is a fault that names it, and no silent default: %s', (name, text) => {
  const rollout = { ...KINDS.rolloutOrchestrator, metadata: { name: 'web', namespace: 'shop', annotations: { [name]: text } }, spec: SPEC };
  expect(readRollout(rollout).fault).toEqual({ field: `metadata.annotations.${name}`, problem: `must be a whole number, found "${text}"` });
  const fields = { overConsumptionRatio: 25, stageTimeoutMinutes: 10 };
  expect(readRollout({ ...rollout, spec: { ...SPEC, ...fields } }).fault, 'a field is read first').toBeUndefined();
});
