import { readField, readFields, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { PatchBody } from '@/server/kube';
import { ownersAfterScale } from '../fields/scale-owners';
import { toServed } from '../kinds/convert';
import type { Resource } from '../kinds/resource';
import { clone } from '../schemas/decode';
import type { ApiContext, Call, Target, WriteFlags } from './context';
import { conflict, invalid, invalidValue } from './failures';
import { applyPatch } from './patch';
import { readStored } from './read';
import type { Writing } from './write';
import { changeObject, toFieldWrite } from './write';

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
const BUILT_IN = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };

const pathsOf = (resource: Resource) => resource.custom?.scale ?? BUILT_IN;
const stepsOf = (path: string) => path.split('.').filter((step) => step !== '');

/** The Scale of an object. */
export function readScale(context: ApiContext, target: Target): KubeObject {
  return toScale(target.resource, readStored(context, target));
}

function toScale(resource: Resource, object: KubeObject): KubeObject {
  const { specReplicasPath, statusReplicasPath } = pathsOf(resource);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = readNumber(object, ...stepsOf(specReplicasPath)) ?? 0;
  const selector = selectorOf(resource, object);
  return {
    kind: SCALE.kind,
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as KubeObject['metadata'],
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: readNumber(object, ...stepsOf(statusReplicasPath)) ?? 0, ...(selector ? { selector } : {}) },
  };
}

function selectorOf(resource: Resource, object: KubeObject): string | undefined {
  const path = resource.custom?.scale?.labelSelectorPath;
  if (resource.custom) return path === undefined ? undefined : readString(object, ...stepsOf(path));
  const selector = readField(object, 'spec', 'selector');
  const labels = Object.entries(readFields(selector, 'matchLabels')).map(([key, value]) => `${key}=${String(value)}`);
  return labels.join(',');
}

/** Writes the replicas of an object by a Scale that replaces the one there is. */
export function updateScale(context: ApiContext, call: Call, { target, body, flags }: Writing<KubeObject>): KubeObject {
  return writeScale(context, call, { target, verb: 'update', scale: body, flags });
}

/** Writes the replicas of an object by a patch of its Scale. */
export function patchScale(context: ApiContext, call: Call, { target, body, flags }: Writing<PatchBody>): KubeObject {
  const scale = applyPatch(SCALE, readScale(context, target), body) as unknown as KubeObject; // a patch of a Scale is one
  return writeScale(context, call, { target, verb: 'patch', scale, flags });
}

interface Scaling {
  readonly target: Target;
  readonly verb: 'update' | 'patch';
  readonly scale: KubeObject;
  readonly flags: WriteFlags;
}

function writeScale(context: ApiContext, call: Call, { target, verb, scale, flags }: Scaling): KubeObject {
  const { resource, name = '' } = target;
  const previous = toServed(resource, readStored(context, target));
  const { resourceVersion } = scale.metadata ?? {};
  if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== previous.metadata.resourceVersion) {
    throw conflict(resource, name, 'the object has been modified; please apply your changes to the latest version and try again');
  }
  const replicas = readNumber(scale, 'spec', 'replicas') ?? 0;
  if (replicas < 0) throw invalid(SCALE, name, [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')]);
  const path = stepsOf(pathsOf(resource).specReplicasPath);
  const next = clone(previous) as Record<string, unknown>;
  writeAt(next, path, replicas);
  const { subresource: _scale, ...whole } = target;
  const write = toFieldWrite(context, call, { target, flags });
  const had = readNumber(previous, ...path) ?? 0;
  const ownersOf = () => ownersAfterScale(write, previous, { path, had, has: replicas });
  return toScale(resource, changeObject(context, { target: whole, verb, previous, next, flags, ownersOf }));
}

function writeAt(object: Record<string, unknown>, steps: readonly string[], value: unknown): void {
  const [first, ...rest] = steps;
  if (first === undefined) return;
  if (rest.length === 0) object[first] = value;
  else {
    const below = { ...readFields(object, first) };
    object[first] = below;
    writeAt(below, rest, value);
  }
} // prettier-ignore
