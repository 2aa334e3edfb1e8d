import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { readManifests } from '@/server/installation';
import { describeDroppedFields } from '@/server/installation/definitions/describe-dropped-fields';
import { findDroppedFields } from '@/server/installation/definitions/dropped-fields';
import type { Schema } from '../../support/definitions';
import { aDefinition, OPEN } from '../../support/definitions';

type Change = (schema: Schema, definition: KubeObject) => unknown;
const firstVersion = (definition: KubeObject) => (definition.spec as { versions: Record<string, unknown>[] }).versions[0] ?? {};

async function losses(plural: string, change: Change) {
  return findDroppedFields(await aDefinition(plural), await aDefinition(plural, change));
}

const CASES: readonly [string, string, Change, string | undefined][] = [
  ['what is the same loses nothing', 'rolloutorchestrators', () => undefined, undefined],
  ['a field that is not known', 'rolloutorchestrators', (schema) => schema.remove('spec.control.gates'), 'drops spec.control.gates'],
  ['a whole branch, told once', 'rolloutorchestrators', (schema) => schema.remove('spec.control'), 'drops spec.control'],
  [
    'a field in each of a list',
    'resourcetrackers',
    (schema) => schema.remove('spec.managedResources[].uid'),
    'drops spec.managedResources[].uid',
  ],
  [
    'many, the first three by name',
    'rolloutorchestrators',
    (schema) => schema.set('spec.control', { properties: {} }),
    'drops spec.control.paused, spec.control.gates, spec.control.pause and 9 more fields',
  ],
  [
    'a place that takes anything of ours and lists only some of it',
    'rolloutorchestrators',
    (schema) => void delete schema.at('status.control')[OPEN],
    'drops what it does not list of status.control',
  ],
  [
    'a place that takes anything of ours and is told apart by type',
    'rolloutorchestrators',
    (schema) => {
      delete schema.at('spec.control.gates')[OPEN];
      schema.set('spec.control.gates', { type: 'string' });
    },
    'drops what it does not list of spec.control.gates',
  ],
  [
    'a value',
    'stagedecisions',
    (schema) => schema.set('spec.verb', { enum: ['approve', 'advance', 'promote-full', 'pause', 'resume', 'abort', 'loosen'] }),
    'refuses rollback, retry as spec.verb',
  ],
  [
    'another type',
    'rolloutorchestrators',
    (schema) => schema.set('spec.overConsumptionRatio', { type: 'string' }),
    'needs a different type of spec.overConsumptionRatio',
  ],
  [
    'a wider type loses nothing',
    'rolloutorchestrators',
    (schema) => schema.set('spec.overConsumptionRatio', { type: 'number' }),
    undefined,
  ],
  [
    'what keeps unknown fields needs no list of them',
    'rolloutorchestrators',
    (schema) => {
      schema.remove('spec.control');
      schema.set('spec', { [OPEN]: true });
    },
    undefined,
  ],
  [
    'a version that is not served',
    'applications',
    (_schema, definition) => Object.assign(firstVersion(definition), { served: false }),
    'does not serve v1beta1',
  ],
  [
    'no status of its own',
    'stagedecisions',
    (_schema, definition) => void Reflect.deleteProperty(firstVersion(definition), 'subresources'),
    'has no status subresource',
  ],
  ['what only others write is theirs to lose', 'applications', (schema) => schema.remove('spec.workflow'), undefined],
  [
    'a definition that prunes nothing',
    'rolloutorchestrators',
    (schema, definition) => {
      schema.remove('spec.control');
      Object.assign(definition.spec as object, { preserveUnknownFields: true });
    },
    undefined,
  ],
];

describe('a definition beside ours', () => {
  it.each(CASES)('[design 2] %s', async (_what, plural, change, sentence) => {
    const found = await losses(plural, change);
    expect(found.length === 0 ? undefined : describeDroppedFields(found)).toBe(sentence);
  });

  it('[design 2] every definition of ours keeps what we write by it', async () => {
    for (const definition of await readManifests('deploy/crds')) expect(findDroppedFields(definition, definition)).toEqual([]);
  });
});
