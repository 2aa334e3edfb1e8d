import type { KubeObject } from '@/lib/kube/object';
import type { PatchBody } from '@/server/kube';
import { toServed } from '../kinds/convert';
import type { Draft } from '../kinds/draft';
import type { Resource } from '../kinds/resource';
import { applyJsonPatch } from '../patch/json-patch';
import { applyMergePatch } from '../patch/merge-patch';
import { applyStrategicPatch } from '../patch/strategic-patch';
import { schemaNameOf } from '../schemas/built-in';
import { clone } from '../schemas/decode';
import type { ApiContext, Call, Target, WriteFlags } from './context';
import { decodeBody } from './decode-body';
import { unsupportedMediaType } from './failures';
import { readStored } from './read';
import { changeObject } from './write';

/** The object that a patch makes of another, which stays as it is. */
export function applyPatch(resource: Pick<Resource, 'group' | 'version' | 'kind' | 'custom'>, object: KubeObject, { type, body }: PatchBody): Draft {
  switch (type) {
    case 'json':
      return applyJsonPatch(clone(object) as Draft, body);
    case 'merge':
      return applyMergePatch(object as Draft, body);
    case 'strategic':
      if (resource.custom) {
        const taken = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';
        throw unsupportedMediaType(`the body of the request was in an unknown format - accepted media types include: ${taken}`);
      }
      return applyStrategicPatch(object as Draft, body, schemaNameOf(resource.group, resource.version, resource.kind) ?? '');
    case 'apply':
      throw noApply();
  }
}

/** Changes an object, or its status, by a patch. */
export function patchObject(context: ApiContext, call: Call, target: Target, patch: PatchBody, flags: WriteFlags): KubeObject {
  if (patch.type === 'apply') throw noApply();
  const { resource } = target;
  const previous = toServed(resource, readStored(context, target));
  const next = decodeBody(resource, applyPatch(resource, previous, patch), call, flags);
  return changeObject(context, target, 'patch', previous, next, flags);
}

const noApply = () => unsupportedMediaType('server-side apply is not simulated; use another kind of patch');
