import type { Scalar, ScalarTag } from 'yaml';

type AddToMap = NonNullable<Scalar['addToJSMap']>;

const BINARY: ScalarTag = {
  tag: 'tag:yaml.org,2002:binary',
  resolve(text: string, onError) {
    try {
      return new TextDecoder().decode(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)));
    } catch {
      onError('it is not base64');
      return text;
    }
  },
};

/** In Go what `<<` brings wins over what stands before it, and not over what follows. */
function overBefore(add: AddToMap): AddToMap {
  return (context, map, value) => {
    const brought = new Map<PropertyKey, unknown>();
    add(context, brought, value);
    for (const [key, member] of brought) {
      if (map instanceof Map) map.set(key, member);
      else Object.defineProperty(map, key, { value: member, writable: true, enumerable: true, configurable: true });
    }
  };
}

/** A tag of the parser as Go means it. */
export function goTag(tag: ScalarTag): ScalarTag {
  if (tag.tag !== 'tag:yaml.org,2002:merge') return tag;
  return {
    ...tag,
    resolve: (...given) => {
      const key = tag.resolve(...given) as Scalar;
      if (key.addToJSMap) key.addToJSMap = overBefore(key.addToJSMap);
      return key;
    },
  };
}

export const GO_TEXTS: readonly ScalarTag[] = [BINARY];
