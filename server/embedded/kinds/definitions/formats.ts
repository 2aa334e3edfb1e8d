import type { KubeObject } from '@/lib/kube/object';
import type { Draft } from '../draft';
import { each, peek } from '../draft';
import type { Structural } from './structural';

/** Of texts, without dashes, as the API server compares them. */
const OF_TEXTS = new Set(
  [
    'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor',
    'byte password date duration datetime k8sshortname k8slongname',
  ].flatMap((names) => names.split(' ')),
);
const OF_NUMBERS: Readonly<Record<string, readonly string[]>> = { integer: ['int32', 'int64'], number: ['float', 'double'] };

/** What is said of the formats of a definition that are ignored; those that it had before are told no more. */
export function formatWarnings(object: Draft, previous: KubeObject | undefined): readonly string[] {
  const before = new Set(previous === undefined ? [] : ignoredIn(previous as Draft));
  return ignoredIn(object)
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function ignoredIn(definition: Draft): readonly string[] {
  return each(peek(definition, 'spec'), 'versions').flatMap((version) =>
    ignoredFormats(peek(version, 'schema', 'openAPIV3Schema') as Structural | undefined),
  );
}

function ignoredFormats(schema: Structural | boolean | undefined): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, format, items, additionalProperties, properties = {}, allOf = [], anyOf = [], oneOf = [], not } = schema;
  const below = [items, additionalProperties, not, ...allOf, ...anyOf, ...oneOf, ...Object.values(properties)].flatMap(ignoredFormats);
  return format === undefined || format === '' || isKnown(type, format) ? below : [format, ...below];
}

function isKnown(type = 'string', format: string): boolean {
  return type === 'string' || type === '' ? OF_TEXTS.has(format.replaceAll('-', '')) : (OF_NUMBERS[type]?.includes(format) ?? false);
}
