import { isFields, readField } from '@/lib/kube/fields';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { sensitivePlaces } from '@/lib/kube/sensitive';
import { readReference } from './reference';

/** The Secrets that an application refers to for its values, as keys; those of applications in it included. */
export function referencedSecrets(application: KubeObject): readonly ObjectKey[] {
  const keys = sensitivePlaces(application).flatMap(({ value, owner }) => {
    const name = readReference(value, owner)?.name;
    return name === undefined ? [] : toObjectKey({ namespace: owner.namespace, name });
  });
  return [...new Set(keys)];
}

/** The same of an ApplicationRevision, by what it recorded. */
export function secretsReferencedByRevision(revision: KubeObject): readonly ObjectKey[] {
  const recorded = readField(revision, 'spec', 'application');
  if (!isFields(recorded) || !isFields(recorded.metadata)) return [];
  return referencedSecrets(recorded as unknown as KubeObject); // an application, whose metadata was looked at
}
