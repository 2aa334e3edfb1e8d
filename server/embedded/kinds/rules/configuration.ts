import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
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
  return [...mark, ...members.filter((member) => !deepEqual(object[member], previous[member])).map((member) => forbiddenField(member, IS_IMMUTABLE))];
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
    const errors = [...configKeys('data', isFields(data) ? data : {})];
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

export const claimRules: KindRules = {
  newStatus: () => ({ phase: 'Pending' }),
  defaults: (object) => void fill(within(object, 'spec'), { volumeMode: 'Filesystem' }),
  validate(object, previous) {
    if (previous === undefined) return [];
    const free = (spec: Draft | undefined) => ({ ...spec, resources: undefined, volumeAttributesClassName: undefined, volumeName: undefined });
    if (deepEqual(free(peek(object, 'spec')), free(peek(previous as Draft, 'spec')))) return [];
    return [forbiddenField('spec', 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims')];
  },
};
