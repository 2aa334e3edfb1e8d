import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import { readKindSchema } from '@/server/commands/objects/read-kind-schema';
import type { ObjectsRig } from './rig';
import { ANN, createObjectsRig } from './rig';

const SPEC = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { size: { type: 'string', enum: ['small', 'large'] } } } },
};
const GADGET = { apiVersion: 'example.com/v1', kind: 'Gadget' };

describe('the schema of a kind', () => {
  let rig: ObjectsRig;
  beforeAll(async () => {
    rig = await createObjectsRig();
    await rig.cluster.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: SPEC } },
          { name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      },
    });
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
  });

  it('[issue 14.3] is what the definition in the cluster says of the version that is written', async () => {
    expect(await readKindSchema(rig.deps, ANN, GADGET)).toEqual({ schema: SPEC });
    expect(await readKindSchema(rig.deps, ANN, { ...GADGET, apiVersion: 'example.com/v2' })).toEqual({ schema: { type: 'object' } });
  });

  it.each([
    ['a kind of Kubernetes itself', { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' }],
    ['a kind that nobody defined', { apiVersion: 'example.com/v1', kind: 'Gizmo' }],
    ['a version that is not served', { apiVersion: 'example.com/v3', kind: 'Gadget' }],
  ])('[issue 14.3] is not known of %s', async (_what, type) => {
    expect(await readKindSchema(rig.deps, ANN, type)).toEqual({ schema: null });
  });

  it('[issue 14.3] is not told as unknown where the cluster does not answer', async () => {
    const get = () => Promise.reject(new Error('no answer'));
    await expect(readKindSchema({ ...rig.deps, cluster: { ...rig.deps.cluster, get } }, ANN, GADGET)).rejects.toThrow('no answer');
  });

  it('[issue 14.3] is told to nobody who is not signed in', async () => {
    rig.refuse = (act) => (act.kind === 'see-self' ? new AppError('unauthenticated', 'they may not') : undefined);
    await expect(readKindSchema(rig.deps, ANN, GADGET)).rejects.toThrow('they may not');
  });
});
