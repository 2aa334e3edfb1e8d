import { isFields, readField } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { FieldError } from '../../api/failures';
import { invalidValue, required } from '../../api/failures';
import type { Draft } from '../draft';
import { each, fill, peek, within } from '../draft';
import type { KindRules } from '../rules/rules';
import { checkRules } from './cel-rules';
import { formatWarnings } from './formats';
import type { Structural } from './structural';

/** Rules of CustomResourceDefinition itself. */
export const definitionRules: KindRules = {
  countsGeneration: true,
  needsVersion: true,
  newStatus: (object) => ({
    conditions: [],
    acceptedNames: { plural: '', kind: '' },
    storedVersions: each(object, 'spec', 'versions')
      .filter((version) => version.storage === true)
      .map((version) => version.name),
  }),
  defaults(object) {
    const spec = within(object, 'spec');
    fill(spec, { conversion: { strategy: 'None' } });
    const names = within(spec, 'names');
    const kind = String(names.kind ?? '');
    fill(names, { singular: kind.toLowerCase(), listKind: `${kind}List` });
  },
  validate: checkDefinition,
  warnings: formatWarnings,
}; // prettier-ignore

function checkDefinition(object: Draft, previous: KubeObject | undefined): readonly FieldError[] {
  const spec = peek(object, 'spec');
  const names = peek(spec, 'names');
  const versions = each(spec, 'versions');
  const errors: FieldError[] = [];
  const name = peek(object, 'metadata')?.name;
  if (name !== `${String(names?.plural)}.${String(spec?.group)}`)
    errors.push(invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group'));
  if (!spec?.group) errors.push(required('spec.group'));
  if (!spec?.scope) errors.push(required('spec.scope'));
  for (const member of ['plural', 'kind']) if (!names?.[member]) errors.push(required(`spec.names.${member}`));
  if (versions.filter((version) => version.storage === true).length !== 1) {
    errors.push(invalidValue('spec.versions', versions.map(toGoVersion), 'must have exactly one version marked as storage version'));
    errors.push(...checkStored(object, versions));
  } else errors.push(...checkSchemas(versions));
  if (previous && !deepEqual(peek(previous as Draft, 'spec')?.scope, spec?.scope))
    errors.push(invalidValue('spec.scope', spec?.scope, 'field is immutable'));
  return errors;
}

function checkStored(object: Draft, versions: readonly Draft[]): readonly FieldError[] {
  const field = 'status.storedVersions';
  const stored = versions.filter((version) => version.storage === true).map((version) => version.name);
  const held = readField(object, 'status', 'storedVersions');
  if (stored.length === 0) return [invalidValue(field, null, 'must have at least one stored version')];
  const first = Array.isArray(held) ? held.slice(0, 1) : [];
  return [invalidValue(field, first, `must have the storage version ${String(stored.at(-1))}`)];
}

// As Go prints its own version of these, which sentences quote.
function toGoVersion(version: Draft): object {
  const { name: Name, served: Served, storage: Storage } = version;
  const nothing = { Schema: null, Subresources: null, AdditionalPrinterColumns: null, SelectableFields: null };
  return {
    Name,
    Served: Served === true,
    Storage: Storage === true,
    Deprecated: version.deprecated === true,
    DeprecationWarning: null,
    ...nothing,
  };
}

function checkSchemas(versions: readonly Draft[]): readonly FieldError[] {
  const schemas = versions.map((version) => peek(version, 'schema', 'openAPIV3Schema'));
  // What all versions share is told once, at the place where it was before there were versions.
  const isShared = schemas.every((schema) => schema !== undefined && deepEqual(schema, schemas[0]));
  return schemas.flatMap((schema, at) => {
    if (schema === undefined) return [required(`spec.versions[${at}].schema.openAPIV3Schema`)];
    if (isShared && at > 0) return [];
    const field = isShared ? 'spec.validation.openAPIV3Schema' : `spec.versions[${at}].schema.openAPIV3Schema`;
    return [...checkStructure(schema as Structural, field, true), ...checkRules(schema as Structural, field)];
  });
}

function checkStructure(schema: Structural, field: string, isRoot = false): FieldError[] {
  const errors: FieldError[] = [];
  const isFree = schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (!schema.type && (!isFree || isRoot))
    errors.push(
      required(
        `${field}.type`,
        isRoot
          ? 'must not be empty at the root'
          : `must not be empty for specified ${field.endsWith(']') ? 'object fields' : 'array items'}`,
      ),
    );
  for (const [key, of] of Object.entries(schema.properties ?? {})) errors.push(...checkStructure(of, `${field}.properties[${key}]`));
  if (schema.items) errors.push(...checkStructure(schema.items, `${field}.items`));
  if (schema.type === 'array' && !schema.items) errors.push(required(`${field}.items`, 'must be specified'));
  if (isFields(schema.additionalProperties))
    errors.push(...checkStructure(schema.additionalProperties as Structural, `${field}.additionalProperties`));
  return errors;
} // prettier-ignore
