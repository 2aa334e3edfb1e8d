import { isFields, readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { parseQuantity } from '@/lib/kube/quantity';
import { deepEqual } from '@/lib/std/deep-equal';
import type { FieldError } from '../../api/failures';
import { duplicate, forbiddenField, invalidValue } from '../../api/failures';
import type { Draft } from '../draft';
import { fill, peek, within } from '../draft';
import { configKeys, labelName } from '../names';
import type { KindRules } from './rules';

const IS_IMMUTABLE = 'field is immutable when `immutable` is set';

function checkImmutable(object: Draft, previous: KubeObject | undefined, members: readonly string[]): readonly FieldError[] {
  if (previous?.immutable !== true) return [];
  const mark = object.immutable === true ? [] : [forbiddenField('immutable', IS_IMMUTABLE)];
  return [
    ...mark,
    ...members.filter((member) => !deepEqual(object[member], previous[member])).map((member) => forbiddenField(member, IS_IMMUTABLE)),
  ];
}

const MAX_BYTES = 1024 * 1024;

function checkSize(field: string, bytes: number): readonly FieldError[] {
  return bytes <= MAX_BYTES ? [] : [{ reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${MAX_BYTES} bytes` }];
}

function sizeOf(values: Draft, encoding: BufferEncoding): number {
  return Object.values(values).reduce<number>((sum, value) => sum + Buffer.byteLength(String(value), encoding), 0);
}

export const configMapRules: KindRules = {
  validate(object, previous) {
    const { data, binaryData } = object;
    const text = isFields(data) ? data : {};
    const binary = isFields(binaryData) ? binaryData : {};
    const twice = Object.keys(text).filter((key) => Object.hasOwn(binary, key));
    return [
      ...configKeys('data', text),
      ...configKeys('binaryData', binary),
      ...twice.map((key) => duplicate(`data[${key}]`, key)),
      ...checkSize('[]', sizeOf(text, 'utf8') + sizeOf(binary, 'base64')),
      ...checkImmutable(object, previous, ['data', 'binaryData']),
    ];
  },
};

export const secretRules: KindRules = {
  defaults(object) {
    fill(object, { type: 'Opaque' });
    const { stringData } = object;
    delete object.stringData;
    if (!isFields(stringData)) return;
    const data = within(object, 'data');
    for (const [key, value] of Object.entries(stringData)) data[key] = Buffer.from(String(value)).toString('base64');
  },
  validate(object, previous) {
    const { data } = object;
    const values = isFields(data) ? data : {};
    const errors = [...configKeys('data', values), ...checkSize('data', sizeOf(values, 'base64'))];
    if (previous && previous.type !== object.type) errors.push(invalidValue('type', object.type, 'field is immutable'));
    return [...errors, ...checkImmutable(object, previous, ['data'])];
  },
};

export const namespaceRules: KindRules = {
  names: labelName,
  newStatus: () => ({ phase: 'Active' }),
  defaults(object) {
    const metadata = within(object, 'metadata');
    if (metadata.name) within(metadata, 'labels')['kubernetes.io/metadata.name'] = metadata.name;
  },
  prepare(object, previous) {
    const metadata = within(object, 'metadata');
    const spec = within(object, 'spec');
    within(metadata, 'labels')['kubernetes.io/metadata.name'] = metadata.name;
    // Only the `finalize` subresource writes these.
    spec.finalizers = previous ? (peek(previous as Draft, 'spec')?.finalizers ?? []) : ['kubernetes'];
  },
};

const CLAIM_IS_WRITTEN_ONCE = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection';

export const claimRules: KindRules = {
  newStatus: () => ({ phase: 'Pending' }),
  defaults: (object) => void fill(within(object, 'spec'), { volumeMode: 'Filesystem' }),
  prepare(object, previous) {
    if (previous !== undefined) return;
    const metadata = within(object, 'metadata');
    const held = readList(metadata, 'finalizers');
    if (!held.includes(CLAIM_PROTECTION)) metadata.finalizers = [...held, CLAIM_PROTECTION];
  },
  validate(object, previous) {
    if (previous === undefined) return [];
    const [spec, old] = [peek(object, 'spec'), peek(previous as Draft, 'spec')];
    const isBound = readString(previous, 'status', 'phase') === 'Bound';
    const sized = isBound ? { resources: undefined, volumeAttributesClassName: undefined } : {};
    const free = (of: Draft | undefined) => ({ ...of, volumeName: undefined, ...sized });
    const errors = deepEqual(free(spec), free(old)) ? [] : [forbiddenField('spec', CLAIM_IS_WRITTEN_ONCE)];
    const size = (of: unknown) => parseQuantity(readFields(of, 'resources', 'requests').storage) ?? 0;
    const capacity = parseQuantity(readFields(previous, 'status', 'capacity').storage) ?? 0;
    if (!isBound || size(spec) >= size(old) || size(spec) > capacity) return errors;
    return [...errors, forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity')];
  },
};
