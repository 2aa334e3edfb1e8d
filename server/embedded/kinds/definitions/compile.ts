import { isFields, readField, readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { FieldError } from '../../api/failures';
import { invalidValue } from '../../api/failures';
import { freezeDeep } from '../../storage/freeze-deep';
import type { CustomVersion, PrinterColumn, ScalePaths } from '../custom-version';
import type { Draft } from '../draft';
import type { Resource, Subresource } from '../resource';
import { brokenRules } from './cel-rules';
import { checkValue } from './check-value';
import type { Structural } from './structural';
import { fillDefaults, prune } from './structural';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const BELOW_VERBS = ['get', 'patch', 'update'];
const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
// After errors of these kinds no rule is evaluated.
const BLOCKING = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** The resources that an established definition adds, one per served version; the stored one first. Where it replaces another, objects may be stored that do not fit it. */
export function compileDefinition(definition: KubeObject, replaces = false): readonly Resource[] {
  const versions = readList(definition, 'spec', 'versions').filter(isFields);
  const storageVersion =
    readString(
      versions.find((version) => version.storage === true),
      'name',
    ) ?? '';
  return versions
    .filter((version) => version.served === true)
    .map((version) => toResource(definition, { version, storageVersion, replaces }));
} // prettier-ignore

interface Compiled {
  readonly version: Readonly<Record<string, unknown>>;
  readonly storageVersion: string;
  readonly replaces: boolean;
}

function toResource(definition: KubeObject, { version, storageVersion, replaces }: Compiled): Resource {
  const group = readString(definition, 'spec', 'group') ?? '';
  const names = readFields(definition, 'spec', 'names');
  const plural = readString(names, 'plural') ?? '';
  const name = readString(version, 'name') ?? '';
  const kind = readString(names, 'kind') ?? '';
  const compiled = compileVersion(version, () => readField(version, 'schema', 'openAPIV3Schema') as Structural | undefined);
  const custom = replaces ? { ...compiled, asRead: readerOf(compiled) } : compiled;
  const subresources: Subresource[] = [
    ...(custom.hasStatus ? [{ name: 'status', verbs: BELOW_VERBS, kind: { group, version: name, kind } }] : []),
    ...(custom.scale ? [{ name: 'scale', verbs: BELOW_VERBS, kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } }] : []),
  ];
  const words = (member: string) => readList(names, member).filter((word): word is string => typeof word === 'string');
  return {
    group,
    version: name,
    kind,
    listKind: readString(names, 'listKind') ?? `${kind}List`,
    plural,
    singular: readString(names, 'singular') ?? kind.toLowerCase(),
    shortNames: words('shortNames'),
    categories: words('categories'),
    namespaced: readString(definition, 'spec', 'scope') === 'Namespaced',
    verbs: VERBS,
    subresources,
    storage: `${plural}.${group}`,
    storageVersion,
    custom,
  };
}

function compileVersion(version: Readonly<Record<string, unknown>>, readSchema: () => Structural | undefined): CustomVersion {
  const schema = readSchema() ?? {};
  const scale = readField(version, 'subresources', 'scale');
  const hasRules = JSON.stringify(schema).includes('"x-kubernetes-validations"');
  const columns = readList(version, 'additionalPrinterColumns').filter(isFields) as unknown as readonly PrinterColumn[]; // checked when it was stored
  return {
    hasStatus: readField(version, 'subresources', 'status') !== undefined,
    ...(isFields(scale) ? { scale: scale as unknown as ScalePaths } : {}),
    columns,
    selectableFields: readList(version, 'selectableFields').map((field) => readString(field, 'jsonPath') ?? ''),
    schema: schema as Readonly<Record<string, unknown>>,
    complete(object) {
      const dropped = prune(object, schema, true);
      fillDefaults(object, schema);
      return dropped;
    },
    validate: (object, previous) => validate(schema, hasRules, object, previous),
    validateStatus(object, previous) {
      const { status } = schema.properties ?? {};
      const errors = status && object.status !== undefined ? checkValue(object.status, status, { field: 'status', said: '' }) : [];
      return hasRules ? withRules(errors, schema, object, previous) : errors;
    },
  };
}

/** Prunes and completes each stored object once. */
function readerOf({ complete }: CustomVersion): (stored: KubeObject) => KubeObject {
  const known = new WeakMap<KubeObject, KubeObject>();
  return (stored) => {
    const before = known.get(stored);
    if (before !== undefined) return before;
    const draft = structuredClone(stored) as Draft;
    complete(draft);
    const read = deepEqual(draft, stored) ? stored : freezeDeep(draft as KubeObject);
    known.set(stored, read);
    return read;
  };
}

function validate(schema: Structural, hasRules: boolean, object: Draft, previous: KubeObject | undefined): readonly FieldError[] {
  const { metadata: _metadata, ...rest } = object;
  const errors = checkValue(rest, withoutMetadata(schema), { field: '', said: '' });
  return hasRules ? withRules(errors, schema, object, previous) : errors;
}

function withRules(
  errors: readonly FieldError[],
  schema: Structural,
  object: Draft,
  previous: KubeObject | undefined,
): readonly FieldError[] {
  if (errors.some(({ reason }) => BLOCKING.has(reason))) return [...errors, invalidValue('<nil>', null, NOT_CHECKED)];
  return [...errors, ...brokenRules(object, previous, schema, '')];
}

// Metadata has been checked by the rules for metadata.
function withoutMetadata(schema: Structural): Structural {
  const required = schema.required?.filter((key) => key !== 'metadata');
  return { ...schema, ...(required ? { required } : {}) };
}
