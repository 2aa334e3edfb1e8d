import type { Registry } from '../kinds/registry';
import type { Resource, Subresource } from '../kinds/resource';
import { apiVersionOf } from '../kinds/resource';
import { byVersionPriority } from '../kinds/version-priority';

const FIRST_GROUPS = [
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
];

interface Group {
  readonly name: string;
  /** Versions, the preferred one first. */
  readonly versions: readonly string[];
}

/** Groups in the order in which they are told. */
export function groupsOf(registry: Registry): readonly Group[] {
  const groups = new Map<string, string[]>();
  for (const { group, version } of registry.all()) {
    const versions = groups.get(group) ?? [];
    if (!versions.includes(version)) versions.push(version);
    groups.set(group, versions);
  }
  const rank = (name: string) => (FIRST_GROUPS.includes(name) ? FIRST_GROUPS.indexOf(name) : FIRST_GROUPS.length);
  return [...groups]
    .map(([name, versions]) => ({ name, versions: versions.sort(byVersionPriority) }))
    .filter(({ name }) => name !== '')
    .sort((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1));
}

const toVersion = (group: string, version: string) => ({ groupVersion: apiVersionOf({ group, version }), version });

/** `/apis`. */
export function groupList(registry: Registry): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(registry).map(toGroup) };
}

function toGroup({ name, versions }: Group): object {
  return { name, versions: versions.map((version) => toVersion(name, version)), preferredVersion: toVersion(name, versions[0] ?? '') };
}

/** `/apis/<group>`. */
export function oneGroup(registry: Registry, name: string): object | undefined {
  const found = groupsOf(registry).find((group) => group.name === name);
  return found && { kind: 'APIGroup', apiVersion: 'v1', ...toGroup(found) };
}

/** `/api`. */
export function coreVersions(): object {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1' }] };
}

/** `/api/v1`, `/apis/<group>/<version>`. */
export function resourceList(registry: Registry, group: string, version: string): object | undefined {
  const resources = registry.all().filter((resource) => resource.group === group && resource.version === version);
  if (resources.length === 0) return undefined;
  const rows = resources.flatMap((resource) => [toRow(resource), ...resource.subresources.map((sub) => toSubrow(resource, sub))]);
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersionOf({ group, version }), resources: rows };
}

function toRow({ plural, singular, namespaced, kind, verbs, shortNames, categories }: Resource): object {
  return { name: plural, singularName: singular, namespaced, kind, verbs, ...lists(shortNames, categories) };
}

function toSubrow({ plural, namespaced, group, version }: Resource, { name, verbs, kind }: Subresource): object {
  const other = kind.group === group && kind.version === version ? {} : { group: kind.group, version: kind.version };
  return { name: `${plural}/${name}`, singularName: '', namespaced, ...other, kind: kind.kind, verbs };
}

const lists = (shortNames: readonly string[], categories: readonly string[]) => ({
  ...(shortNames.length > 0 ? { shortNames } : {}),
  ...(categories.length > 0 ? { categories } : {}),
});

/** All of `/api` or `/apis` in one document. */
export function aggregated(registry: Registry, isCore: boolean): object {
  const groups = isCore ? [{ name: '', versions: ['v1'] }] : groupsOf(registry);
  const items = groups.map(({ name, versions }) => ({
    metadata: name === '' ? {} : { name },
    versions: versions.map((version) => ({
      version,
      resources: registry
        .all()
        .filter((resource) => resource.group === name && resource.version === version)
        .map(toAggregatedRow),
      freshness: 'Current',
    })),
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function toAggregatedRow(resource: Resource): object {
  const { plural, singular, namespaced, kind, group, version, verbs, shortNames, categories, subresources } = resource;
  return {
    resource: plural,
    responseKind: resource.custom ? { group, version, kind } : { group: '', version: '', kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...lists(shortNames, categories),
    ...(subresources.length > 0 ? { subresources: subresources.map((sub) => toAggregatedSub(resource, sub)) } : {}),
  };
}

// Built-in kinds leave out what the place tells anyway.
function toAggregatedSub({ custom, group, version }: Resource, { name, kind, verbs }: Subresource): object {
  const isOwn = !custom && kind.group === group && kind.version === version;
  return { subresource: name, responseKind: isOwn ? { group: '', version: '', kind: kind.kind } : kind, verbs };
}
