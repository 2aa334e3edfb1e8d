import type { ObjectMeta } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { FieldError } from '../api/failures';
import { forbiddenField, invalidValue, required } from '../api/failures';
import type { NameRule } from './names';
import { labelValue, qualifiedName } from './names';

// The last one is what the server itself puts on definitions, whose later writes carry it along.
const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion', 'customresourcecleanup.apiextensions.k8s.io']);
const MAX_ANNOTATIONS = 256 * 1024;

/** What is wrong with the metadata of a new object. */
export function checkMetadata(metadata: ObjectMeta, nameRule: NameRule): readonly FieldError[] {
  const { name = '', generateName = '' } = metadata;
  const errors: FieldError[] = [];
  // The name of a prefix ends where the generated part begins.
  if (generateName !== '')
    errors.push(...nameRule(generateName.replace(/[-.]$/, 'a')).map((text) => invalidValue('metadata.generateName', generateName, text)));
  if (name === '') errors.push(required('metadata.name', 'name or generateName is required'));
  else errors.push(...nameRule(name).map((text) => invalidValue('metadata.name', name, text)));
  return [...errors, ...checkMutableMetadata(metadata)];
}

function checkMutableMetadata(metadata: ObjectMeta): readonly FieldError[] {
  return [
    ...checkLabels('metadata.labels', metadata.labels),
    ...checkAnnotations(metadata.annotations),
    ...(metadata.ownerReferences ?? []).flatMap((owner) => checkOwner(owner)),
    ...checkControllers(metadata),
    ...(metadata.finalizers ?? []).flatMap((finalizer, at) => checkFinalizer(finalizer, at)),
  ];
}

/** What is wrong with labels at a path. */
export function checkLabels(field: string, labels: Readonly<Record<string, string>> | undefined): readonly FieldError[] {
  return Object.entries(labels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, value]) => [
      ...qualifiedName(key).map((text) => invalidValue(field, key, text)),
      ...labelValue(value).map((text) => invalidValue(field, value, text)),
    ]); // prettier-ignore
}

function checkAnnotations(annotations: Readonly<Record<string, string>> | undefined): readonly FieldError[] {
  let total = 0;
  const errors = Object.entries(annotations ?? {}).flatMap(([key, value]) => {
    total += key.length + value.length;
    return qualifiedName(key.toLowerCase()).map((text) => invalidValue('metadata.annotations', key, text));
  });
  if (total <= MAX_ANNOTATIONS) return errors;
  return [
    ...errors,
    { reason: 'FieldValueTooLong', field: 'metadata.annotations', message: `Too long: may not be more than ${MAX_ANNOTATIONS} bytes` },
  ];
}

function checkOwner(owner: {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (!owner.apiVersion)
    errors.push(invalidValue('metadata.ownerReferences.apiVersion', owner.apiVersion ?? '', 'version must not be empty'));
  for (const member of ['kind', 'name', 'uid'] as const) {
    if (!owner[member]) errors.push(invalidValue(`metadata.ownerReferences.${member}`, owner[member] ?? '', 'must not be empty'));
  }
  return errors;
}

function checkControllers({ ownerReferences = [] }: ObjectMeta): readonly FieldError[] {
  const [first, second] = ownerReferences.filter(({ controller }) => controller === true);
  if (first === undefined || second === undefined) return [];
  const both = `Found "true" in references for ${first.kind}/${first.name} and ${second.kind}/${second.name}`;
  return [invalidValue('metadata.ownerReferences', ownerReferences, `Only one reference can have Controller set to true. ${both}`)];
}

function checkFinalizer(finalizer: string, at: number): readonly FieldError[] {
  const field = `metadata.finalizers[${at}]`;
  const wrong = qualifiedName(finalizer);
  if (wrong.length > 0) return wrong.map((text) => invalidValue(field, finalizer, text));
  if (finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)) return [];
  return [invalidValue(field, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')];
}

/** What is wrong with the metadata of a changed object. */
export function checkMetadataUpdate(next: ObjectMeta, previous: ObjectMeta): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (previous.deletionTimestamp !== undefined) {
    const added = (next.finalizers ?? []).filter((finalizer) => !previous.finalizers?.includes(finalizer));
    const named = `[]string{${added.map((text) => JSON.stringify(text)).join(', ')}}`;
    const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${named}`;
    if (added.length > 0) errors.push(forbiddenField('metadata.finalizers', why));
  }
  for (const member of ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (!deepEqual(next[member], previous[member])) errors.push(invalidValue(`metadata.${member}`, next[member], 'field is immutable'));
  }
  return [...errors, ...checkMutableMetadata(next)];
}
