import { isFields, readField, readFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { schemaOf } from './definitions';

/** Fields of an object beside its metadata that the schema of its definition does not list. */
export function unlistedFields(definition: KubeObject, object: KubeObject): readonly string[] {
  const { metadata: _metadata, kind, apiVersion: _apiVersion, ...content } = object;
  const { metadata: _of, kind: _kind, apiVersion: _version, ...properties } = readFields(schemaOf(definition), 'properties');
  return unlisted({ ...schemaOf(definition), properties }, content, kind);
}

/** Fields of a value that a schema does not list, although it lists fields beside them; `status.control` is known to take more. */
function unlisted(schema: unknown, value: unknown, at: string): readonly string[] {
  if (at === 'RolloutOrchestrator.status.control') return [];
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => unlisted(readField(schema, 'items'), item, `${at}[]`)))];
  const properties = readFields(schema, 'properties');
  if (!isFields(value) || Object.keys(properties).length === 0) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const known = properties[name];
    return known === undefined ? [`${at}.${name}`] : unlisted(known, member, `${at}.${name}`);
  });
}
