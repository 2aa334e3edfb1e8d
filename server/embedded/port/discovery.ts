import type { TypeRef } from '@/lib/kube/object';
import type { ApiResource, Discovery, KindRef } from '@/server/kube';
import { findServed, NoMatchError, servedVersions, toApiVersion, toKindRef } from '@/server/kube';
import type { Registry } from '../kinds/registry';
import type { Resource } from '../kinds/resource';
import { byVersionPriority } from '../kinds/version-priority';

/** Discovery straight from what is served: never old, never partial. */
export function createDiscovery(registry: Registry): Discovery {
  return {
    async resolve(type) {
      return toApiResource(resourceOf(registry, type));
    },
    async resolveKind(of) {
      const found = findServed(versionsOf(registry, of), of);
      if (found === undefined)
        throw new NoMatchError({ apiVersion: toApiVersion({ group: of.group, version: of.version ?? '*' }), kind: of.kind });
      return found;
    },
    all: async () => registry.all().map(toApiResource),
    invalidate: () => undefined, // nothing is cached
  };
}

/** The resource of a type; throws `NoMatchError`, which names the versions that are served instead. */
export function resourceOf(registry: Registry, { apiVersion, kind }: TypeRef): Resource {
  const found = registry.byType({ apiVersion, kind });
  if (found !== undefined) return found;
  const of = toKindRef({ apiVersion, kind });
  throw new NoMatchError({ apiVersion, kind }, servedVersions(versionsOf(registry, of), of));
}

/** The resources of a kind, that of the preferred version first. */
function versionsOf(registry: Registry, { group, kind }: KindRef): readonly ApiResource[] {
  const served = registry.all().filter((resource) => resource.group === group && resource.kind === kind);
  return served.sort((left, right) => byVersionPriority(left.version, right.version)).map(toApiResource);
}

function toApiResource(resource: Resource): ApiResource {
  const { group, version, kind, plural, singular, shortNames, categories, namespaced, verbs, subresources } = resource;
  return {
    group,
    version,
    kind,
    plural,
    singular,
    shortNames,
    categories,
    namespaced,
    verbs,
    subresources: subresources.map(({ name }) => name),
  };
}
