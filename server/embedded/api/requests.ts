import type { KubeObject } from '@/lib/kube/object';
import type { PatchBody } from '@/server/kube';
import { findSubresource } from '../kinds/resource';
import { admitDeletion } from '../rights/engine-kinds';
import { createReview } from '../rights/reviews';
import { applyObject } from './apply';
import { checkWriteFlags } from './check-flags';
import type { ApiContext, Call, Target, WriteFlags } from './context';
import { authorise, toObservedRequest } from './context';
import { createObject } from './create';
import type { DeleteFlags } from './delete';
import { deleteCollection, deleteObject } from './delete';
import { badRequest, methodNotAllowed, noSuchPath, notFound } from './failures';
import { nameSelected } from './field-selector';
import { patchObject } from './patch';
import type { Listed, ListFlags } from './read';
import { listObjects, readObject } from './read';
import { patchScale, readScale, updateScale } from './scale';
import { createSubresource, finalizeNamespace } from './subresources';
import type { WatchFlags } from './watch';
import { Watch } from './watch';
import { updateObject } from './write';

/** The verbs of the API. Both doors come here; each asks who interferes, and rights, first, then does its work without a pause. */
export function createRequests(context: ApiContext) {
  async function enter(call: Call, verb: string, target: Target): Promise<void> {
    if (context.interference !== undefined) await context.interference.before(toObservedRequest(verb, target));
    authorise(context, call, verb, target);
    const { resource, subresource, name = '' } = target;
    if (subresource === undefined || findSubresource(resource, subresource)) return;
    throw resource.custom ? notFound(resource, name) : noSuchPath();
  }

  return {
    async get(call: Call, target: Target): Promise<KubeObject> {
      await enter(call, 'get', target);
      return target.subresource === 'scale' ? readScale(context, target) : readObject(context, target);
    },

    /** The pod that a connection is asked into; whatever the method, that requires the right to create one. */
    async connect(call: Call, target: Target, verb: 'get' | 'create'): Promise<KubeObject> {
      await enter(call, verb, target);
      authorise(context, call, 'create', target);
      return readObject(context, target);
    },

    async list(call: Call, target: Target, flags: ListFlags): Promise<Listed> {
      await enter(call, 'list', named(target, flags));
      return listObjects(context, target, flags);
    },

    async watch(call: Call, target: Target, flags: WatchFlags): Promise<Watch> {
      await enter(call, 'watch', named(target, flags));
      return new Watch(context, target, flags);
    },

    async create(call: Call, target: Target, body: KubeObject, flags: WriteFlags): Promise<KubeObject> {
      await enter(call, 'create', target);
      checkWriteFlags('CreateOptions', flags);
      if (target.subresource !== undefined) return createSubresource(context, target, body, flags);
      if (!target.resource.verbs.includes('list')) return createReview(context, call, target, body);
      return createObject(context, call, { target, body, flags });
    },

    async update(call: Call, target: Target, body: KubeObject, flags: WriteFlags): Promise<KubeObject> {
      await enter(call, 'update', target);
      checkWriteFlags('UpdateOptions', flags);
      const { resource, subresource } = target;
      if (subresource === 'scale') return updateScale(context, call, { target, body, flags });
      if (subresource === 'finalize') return finalizeNamespace(context, target, body, flags);
      if (subresource !== undefined && subresource !== 'status') throw methodNotAllowed(resource, 'update');
      return updateObject(context, call, { target, body, flags });
    },

    async patch(call: Call, target: Target, patch: PatchBody, flags: WriteFlags): Promise<KubeObject> {
      await enter(call, 'patch', target);
      checkWriteFlags('PatchOptions', flags, patch.type);
      const { resource, subresource } = target;
      if (subresource === 'scale') return patchScale(context, call, { target, body: patch, flags });
      if (subresource !== undefined && subresource !== 'status') throw methodNotAllowed(resource, 'patch');
      if (patch.type === 'apply') return applyObject(context, call, { target, body: patch.body, flags });
      return patchObject(context, call, { target, body: patch, flags });
    },

    async delete(call: Call, target: Target, flags: DeleteFlags): Promise<KubeObject> {
      if (!target.name) throw badRequest('a deletion names an object');
      await enter(call, 'delete', target);
      admitDeletion(context, target, call);
      return deleteObject(context, target, flags);
    },

    async deleteCollection(call: Call, target: Target, flags: DeleteFlags & ListFlags): Promise<readonly KubeObject[]> {
      await enter(call, 'deletecollection', target);
      return deleteCollection(context, target, flags, (one) => admitDeletion(context, one, call));
    },
  };
}

export type Requests = ReturnType<typeof createRequests>;

// Rights may name one object; a list that selects only this one is within them.
function named(target: Target, flags: ListFlags): Target {
  const name = nameSelected(flags.fieldSelector);
  return name === undefined ? target : { ...target, name };
}
