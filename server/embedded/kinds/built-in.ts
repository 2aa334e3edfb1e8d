import type { PublishedResource } from '../schemas/built-in';
import { DISCOVERY } from '../schemas/built-in';
import type { Resource, Subresource } from './resource';

// Resources that a newer group took over, or that are stored in another version than the one asked for.
const STORED: Readonly<Record<string, { readonly storage: string; readonly version: string }>> = {
  'events.k8s.io/v1/events': { storage: 'events', version: 'v1' },
  'autoscaling/v1/horizontalpodautoscalers': { storage: 'horizontalpodautoscalers.autoscaling', version: 'v2' },
};
const NOT_SERVED = new Set([
  'componentstatuses',
  'ipaddresses',
  'servicecidrs',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);
const SUBRESOURCES = new Set(['status', 'scale', 'token', 'binding', 'log', 'exec', 'attach', 'portforward', 'eviction', 'finalize']);

/** The resources of Kubernetes itself. */
export const BUILT_IN: readonly Resource[] = DISCOVERY.flatMap(({ group, version, resources }) =>
  resources
    .filter(({ name }) => !name.includes('/') && !NOT_SERVED.has(name))
    .map((published) =>
      toResource(
        group,
        version,
        published,
        resources.filter(({ name }) => name.startsWith(`${published.name}/`)),
      ),
    ),
); // prettier-ignore

function toResource(group: string, version: string, of: PublishedResource, below: readonly PublishedResource[]): Resource {
  const stored = STORED[`${group}/${version}/${of.name}`];
  return {
    group,
    version,
    kind: of.kind,
    listKind: `${of.kind}List`,
    plural: of.name,
    singular: of.singularName,
    shortNames: of.shortNames ?? [],
    categories: of.categories ?? [],
    namespaced: of.namespaced,
    verbs: of.verbs,
    subresources: below.map((sub) => toSubresource(group, version, sub)).filter(({ name }) => SUBRESOURCES.has(name)),
    storage: stored?.storage ?? (group === '' ? of.name : `${of.name}.${group}`),
    storageVersion: stored?.version ?? version,
  };
}

function toSubresource(group: string, version: string, { name, kind, verbs, ...other }: PublishedResource): Subresource {
  return { name: name.slice(name.indexOf('/') + 1), verbs, kind: { group: other.group ?? group, version: other.version ?? version, kind } };
}
