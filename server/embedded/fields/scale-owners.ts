import type { KubeObject } from '@/lib/kube/object';
import { apiVersionOf } from '../kinds/resource';
import { toFieldElement } from './elements';
import { difference, hasPath, isEmpty, setOfPath } from './field-set';
import type { ManagedField } from './managers';
import { decodeManagers, encodeManagers, idOf, toEntry } from './managers';
import type { FieldWrite } from './ownership';

interface Scaled {
  readonly path: readonly string[];
  readonly had: number;
  readonly has: number;
}

const SCALE = 'autoscaling/v1';

/**
 * Who owns which field once replicas were written through the scale subresource, as the original has it with all its turns:
 *
 * 1. A Scale has the managers that own the replicas of its object. Where nobody does, nobody comes to.
 * 2. Those that update are others there, for a Scale has a version of its own; so they come back as entries of their own, without a time.
 * 3. Nobody owns replicas of zero.
 */
export function ownersAfterScale(write: FieldWrite, previous: KubeObject, { path, had, has }: Scaled): readonly ManagedField[] | undefined {
  const { resource, manager, subresource = '' } = write;
  const elements = path.map(toFieldElement);
  const replicas = setOfPath(elements);
  const held = decodeManagers(previous.metadata.managedFields) ?? new Map<string, ManagedField>();
  const scaling = [...held.values()]
    .filter(({ fieldsV1 }) => hasPath(fieldsV1, elements))
    .map((entry) => ({ ...entry, apiVersion: SCALE }));
  const own = { manager: manager || 'unknown', operation: 'Update', apiVersion: SCALE, subresource } as const;
  const after = had === has || scaling.length === 0 ? scaling : has === 0 ? [] : [own];
  const left = new Map(after.map((entry) => [idOf(entry), entry]));
  const owners = new Map<string, ManagedField>();
  for (const [id, entry] of held) {
    const isKept = !hasPath(entry.fieldsV1, elements) || left.delete(id);
    const rest = isKept ? entry.fieldsV1 : difference(entry.fieldsV1, replicas);
    if (!isEmpty(rest)) owners.set(id, isKept ? entry : toEntry(entry, rest, entry.time));
  }
  for (const [id, entry] of left) owners.set(id, toEntry({ ...entry, apiVersion: apiVersionOf(resource) }, replicas, undefined));
  return encodeManagers(owners);
}
