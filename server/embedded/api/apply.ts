import { isFields, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { groupOf, versionOf } from '@/lib/kube/object';
import { KubeApiError } from '@/server/kube';
import { applyConfiguration, describeManager } from '../fields/apply';
import type { FieldSet } from '../fields/field-set';
import { EMPTY, LEAF, pathsOf } from '../fields/field-set';
import { shapeOfResource } from '../fields/shape';
import { checkTyped } from '../fields/typed';
import { toServed } from '../kinds/convert';
import type { Draft } from '../kinds/draft';
import { apiVersionOf, toKey } from '../kinds/resource';
import { clone } from '../schemas/decode';
import { admitWrite } from './admission';
import type { ApiContext, Call, Target } from './context';
import { authorise } from './context';
import { createObject } from './create';
import { decodeBody } from './decode-body';
import { badRequest, notFound } from './failures';
import type { Writing } from './write';
import { changeObject, hasStatus, toFieldWrite, withoutReason } from './write';

/** Server-side apply: makes what the configuration says so, creating the object if there is none. */
export function applyObject(context: ApiContext, call: Call, { target, body, flags }: Writing<unknown>): KubeObject {
  const { resource, namespace, name = '', subresource } = target;
  const config = checkConfiguration(target, body);
  const stored = context.store.get(resource.storage, toKey(resource, namespace, name));
  if (stored === undefined && subresource !== undefined) throw notFound(resource, name);
  if (stored === undefined) authorise(context, call, 'create', target);
  const live = stored && toServed(resource, stored);
  const write = { ...toFieldWrite(context, call, { target, flags }), untouched: untouchedBy(target) };
  const applied = applyConfiguration(write, live, { config, force: flags.force === true });
  if (applied.kind === 'conflicts') throw applyConflict(applied.conflicts);
  const ownersOf = () => applied.owners;
  if (live) {
    const next = decodeBody(resource, applied.object, call, flags);
    admitWrite(context, target, next, live, call);
    return changeObject(context, { target, verb: 'patch', previous: live, next, flags, ownersOf });
  }
  const said = readString(config, 'metadata', 'name');
  if (said !== name) throw badRequest(`the name of the object (${said ?? ''}) does not match the name on the URL (${name})`);
  const created = createObject(context, call, { target, body: applied.object, flags, ownersOf });
  call.created?.();
  return created;
}

function checkConfiguration({ resource }: Target, body: unknown): Draft {
  if (!isFields(body))
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${typeof body} into Go value of type map[string]interface {}`,
    );
  const config = clone(body) as Draft;
  const apiVersion = readString(config, 'apiVersion') ?? '';
  const kind = readString(config, 'kind') ?? '';
  const typed = `${groupOf(apiVersion)}/${versionOf(apiVersion)}, Kind=${kind}`;
  if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind) throw badRequest(`invalid object type: ${typed}`);
  if (isFields(config.metadata) && config.metadata.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
  const wrong = checkTyped(config, shapeOfResource(resource));
  if (wrong.length === 0) return config;
  const who = `${readString(config, 'metadata', 'namespace') ?? ''}/${readString(config, 'metadata', 'name') ?? ''}; ${typed}`;
  const [first = ''] = wrong;
  throw withoutReason(
    `failed to create typed patch object (${who}): ${wrong.length === 1 ? first : ['errors:', ...wrong.map((text) => `  ${text}`)].join('\n')}`,
  );
} // prettier-ignore

// What a write leaves as it is belongs to nobody who says something of it there.
function untouchedBy({ resource, subresource }: Target): FieldSet {
  if (subresource === 'status') return { 'f:spec': LEAF, ...(resource.custom ? { 'f:metadata': LEAF } : {}) };
  return hasStatus(resource) ? { 'f:status': LEAF } : EMPTY;
}

/** 409 with one cause per field and manager. */
function applyConflict(conflicts: ReadonlyMap<string, FieldSet>): KubeApiError {
  const found = [...conflicts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, set]) => ({ who: describeManager(id), fields: pathsOf(set) }));
  const causes = found.flatMap(({ who, fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  );
  const [only] = causes;
  const told = found.flatMap(({ who, fields }) => [`conflicts with ${who}:`, ...fields.map((field) => `- ${field}`)]).join('\n');
  const message =
    causes.length === 1 && only
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${causes.length} conflicts: ${told}`;
  return new KubeApiError({ code: 409, reason: 'Conflict', message, details: { causes } });
}
