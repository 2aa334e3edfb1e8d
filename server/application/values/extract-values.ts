import { createHmac } from 'node:crypto';
import { AppError } from '@/lib/contract/app-error';
import { SECRET, VALUES_OF } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Owner, SensitivePlace } from '@/lib/kube/sensitive';
import { inlinePlaces, isInline, mapSensitive } from '@/lib/kube/sensitive';
import { toStableJson } from '@/lib/std/stable-json';
import { keyOf, toReference, VALUES_TYPE, valuesPrefix } from './reference';

/** An application without a value in it that nobody is to read there, and the Secrets that hold those that it had. */
export interface ExtractedValues {
  readonly object: KubeObject;
  /** By their names the object refers to them; whoever writes it writes them first. */
  readonly secrets: readonly KubeObject[];
}

const DIGEST_SIGNS = 20;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Puts every value that stands inline into a Secret, and what stands for it in its place. Pure: the same values of the same application come to the same
 * Secrets, whoever wrote them, so that console and engine agree. Throws invalid for what no Secret could hold.
 */
export function extractValues(application: KubeObject, key: string): ExtractedValues {
  const groups = new Map<string, Group>();
  for (const place of inlinePlaces(application)) {
    const id = JSON.stringify([place.owner, place.group]);
    const group = groups.get(id) ?? { owner: place.owner, data: new Map() };
    const at = keyOf(place.place);
    if (group.data.has(at)) throw new AppError('invalid', `${place.what} is set twice; remove one`);
    group.data.set(at, encode(place));
    groups.set(id, group);
  }
  if (groups.size === 0) return { object: application, secrets: [] };
  const secrets = new Map([...groups].map(([id, group]) => [id, toSecret(group, key)]));
  const object = mapSensitive(application, (place) => {
    const secret = isInline(place.value) ? secrets.get(JSON.stringify([place.owner, place.group])) : undefined;
    return secret === undefined ? place.value : toReference({ name: secret.metadata.name ?? '', key: keyOf(place.place) });
  });
  return { object, secrets: [...secrets.values()] };
}

interface Group {
  readonly owner: Owner;
  readonly data: Map<string, string>;
}

function toSecret({ owner: { name, namespace }, data }: Group, key: string): KubeObject {
  const content = Object.fromEntries([...data].sort(([left], [right]) => (left < right ? -1 : 1)));
  const digest = createHmac('sha256', key)
    .update(toStableJson([namespace, name, content]))
    .digest('hex')
    .slice(0, DIGEST_SIGNS);
  return {
    ...SECRET,
    metadata: { name: `${valuesPrefix(name)}${digest}`, namespace, labels: { [VALUES_OF]: name } },
    type: VALUES_TYPE,
    immutable: true,
    data: content,
  };
}

/** In the one form that the API server gives it: base64 without breaks. */
function encode({ value, encoding, what }: SensitivePlace): string {
  // The sentence tells no value.
  if (typeof value !== 'string')
    throw new AppError(
      'invalid',
      `${what} must be a string, found ${Array.isArray(value) ? 'a list' : `a ${typeof value}`}; put it in quotes`,
    );
  if (encoding === 'text') return Buffer.from(value, 'utf8').toString('base64');
  const bare = value.replace(/[\r\n]/g, '');
  if (!BASE64.test(bare)) throw new AppError('invalid', `${what} must be base64; to write a plain value, use stringData`);
  return bare;
}
