import type { ApiResource, Discovery } from '@/server/kube';
import { NoMatchError } from '@/server/kube';
import type { Registry } from '../kinds/registry';
import type { Resource } from '../kinds/resource';

/** Discovery straight from what is served: never old, never partial. */
export function createDiscovery(registry: Registry): Discovery {
  return {
    async resolve(type) {
      const found = registry.byType(type);
      if (found === undefined) throw new NoMatchError({ apiVersion: type.apiVersion, kind: type.kind });
      return toApiResource(found);
    },
    all: async () => registry.all().map(toApiResource),
    invalidate: () => undefined, // nothing is cached
  };
}

function toApiResource(resource: Resource): ApiResource {
  const { group, version, kind, plural, singular, shortNames, categories, namespaced, verbs, subresources } = resource;
  return { group, version, kind, plural, singular, shortNames, categories, namespaced, verbs, subresources: subresources.map(({ name }) => name) };
}
