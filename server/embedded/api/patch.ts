import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { PatchBody } from '@/server/kube';
import { toServed } from '../kinds/convert';
import type { Draft } from '../kinds/draft';
import type { Resource } from '../kinds/resource';
import { applyJsonPatch } from '../patch/json-patch';
import { applyMergePatch } from '../patch/merge-patch';
import { applyStrategicPatch, toGoMap } from '../patch/strategic-patch';
import { schemaNameOf } from '../schemas/built-in';
import { clone } from '../schemas/decode';
import { admitWrite } from './admission';
import type { ApiContext, Call } from './context';
import { decodeBody, UndecodableError } from './decode-body';
import { invalid, invalidValue, unsupportedMediaType } from './failures';
import { readStored } from './read';
import type { Writing } from './write';
import { changeObject, ownersByUpdate } from './write';

/** The object that a patch makes of another, which stays as it is. */
export function applyPatch(
  resource: Pick<Resource, 'group' | 'version' | 'kind' | 'custom'>,
  object: KubeObject,
  { type, body }: PatchBody,
): Draft {
  switch (type) {
    case 'json':
      return patchedApart(object, body);
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
export function patchObject(context: ApiContext, call: Call, { target, body, flags }: Writing<PatchBody>): KubeObject {
  const { resource } = target;
  const previous = toServed(resource, readStored(context, target));
  const next = decodePatched({ target, body, flags }, applyPatch(resource, previous, body), call);
  admitWrite(context, target, next, previous, call);
  return changeObject(context, {
    target,
    verb: 'patch',
    previous,
    next,
    flags,
    ownersOf: ownersByUpdate(context, call, { target, flags }),
  });
}

// What a patch makes unreadable is its fault, not that of the body.
function decodePatched({ target, body, flags }: Writing<PatchBody>, patched: Draft, call: Call): Draft {
  try {
    return decodeBody(target.resource, patched, call, flags);
  } catch (error) {
    if (!(error instanceof UndecodableError)) throw error;
    const shown = body.type === 'strategic' ? toGoMap(body.body) : JSON.stringify(patched);
    throw invalid({ group: '', kind: '' }, '', [invalidValue('patch', shown, error.why)]);
  }
}

// Who owns what is large, and hardly ever patched: it is not copied unless it is.
function patchedApart(object: KubeObject, body: unknown): Draft {
  const { managedFields, ...metadata } = object.metadata ?? {};
  const isMeant = JSON.stringify(body ?? null).includes('managedFields') || managedFields === undefined;
  if (isMeant) return applyJsonPatch(clone(object) as Draft, body);
  const patched = applyJsonPatch(clone({ ...object, metadata }) as Draft, body);
  const kept = patched.metadata;
  return isFields(kept) ? { ...patched, metadata: { ...kept, managedFields } } : patched;
}

const noApply = () => unsupportedMediaType('a Scale cannot be applied here; use another kind of patch');
