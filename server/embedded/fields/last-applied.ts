import { isFields, readFields, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { parseExact } from '@/lib/std/exact-json';
import type { Draft } from '../kinds/draft';
import type { Resource } from '../kinds/resource';
import { apiVersionOf } from '../kinds/resource';
import { compareFields } from './compare';
import { toGoJson } from './elements';
import type { FieldSet } from './field-set';
import { difference } from './field-set';
import { shapeOfResource } from './shape';
import { checkTyped, toFieldSet } from './typed';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
const MAX_ANNOTATIONS = 256 * 1024;

/** Fields that the client applied by itself before, and that are still as it said; undefined when it never did. */
export function allowedByLastApplied(resource: Resource, live: KubeObject): FieldSet | undefined {
  const config = parseObject(live.metadata.annotations?.[ANNOTATION]);
  if (config === undefined || readString(config, 'apiVersion') !== apiVersionOf(resource)) return undefined;
  const shape = shapeOfResource(resource);
  if (checkTyped(config, shape).length > 0) return undefined;
  const { added, removed, modified } = compareFields(config, live, shape);
  return [modified, added, removed].reduce((set, changed) => difference(set, changed), toFieldSet(config, shape));
}

function parseObject(text: string | undefined): Draft | undefined {
  if (!text) return undefined;
  try {
    const read = parseExact(text);
    return isFields(read) ? (read as Draft) : undefined; // plain JSON, just parsed
  } catch {
    return undefined; // somebody else's annotation of that name allows nothing
  }
}

// As Go writes a map.
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}

/** The object with the configuration in its annotation, where it has one: clients that go by it shall not be misled. */
export function withLastApplied(object: Draft, config: Draft): Draft {
  const metadata = readFields(object, 'metadata');
  const annotations = readFields(metadata, 'annotations');
  if (!annotations[ANNOTATION]) return object;
  const { annotations: said, ...rest } = readFields(config, 'metadata');
  const { [ANNOTATION]: _itself, ...others } = isFields(said) ? said : {};
  const kept = { ...config, metadata: { ...(said === undefined ? {} : { annotations: others }), ...rest } };
  const text = `${toGoJson(sorted(kept))}\n`;
  const { [ANNOTATION]: _before, ...without } = annotations;
  const size = Object.entries({ ...without, [ANNOTATION]: text }).reduce((sum, [key, value]) => sum + key.length + String(value).length, 0);
  return { ...object, metadata: { ...metadata, annotations: size > MAX_ANNOTATIONS ? without : { ...without, [ANNOTATION]: text } } };
}
