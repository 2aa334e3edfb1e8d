import { isFields, readList, readString } from '@/lib/kube/fields';
import { groupOf, versionOf } from '@/lib/kube/object';
import type { ApiResource } from '../cluster';

/** What discovery documents told. */
export interface DiscoveryResult {
  readonly resources: readonly ApiResource[];
  /** Group or group/version → why it could not be asked. */
  readonly failed: ReadonlyMap<string, unknown>;
}

/** What an aggregated document tells. */
export function fromAggregated(body: unknown): DiscoveryResult {
  const resources: ApiResource[] = [];
  const failed = new Map<string, unknown>();
  for (const item of readList(body, 'items')) {
    const group = readString(item, 'metadata', 'name') ?? '';
    for (const entry of readList(item, 'versions')) {
      const version = readString(entry, 'version') ?? '';
      const found = readList(entry, 'resources').flatMap((resource) => toAggregatedResource(group, version, resource));
      resources.push(...found);
      // A stale version is one whose server did not answer the aggregator; what it last told is still used, and no kind is missing by it.
      if (readString(entry, 'freshness') === 'Stale') {
        failed.set(
          group === '' ? version : `${group}/${version}`,
          new Error(`its server does not answer (group ${group}, version ${version})`),
        );
      }
    }
  }
  return { resources, failed };
}

function toAggregatedResource(group: string, version: string, resource: unknown): ApiResource[] {
  const kind = readString(resource, 'responseKind', 'kind');
  const plural = readString(resource, 'resource');
  if (kind === undefined || plural === undefined) return []; // a group that has only subresources under a name
  return [
    {
      group,
      version,
      kind,
      plural,
      singular: readString(resource, 'singularResource') ?? '',
      shortNames: readList(resource, 'shortNames').map(String),
      categories: readList(resource, 'categories').map(String),
      namespaced: readString(resource, 'scope') === 'Namespaced',
      verbs: readList(resource, 'verbs').map(String),
      subresources: readList(resource, 'subresources').flatMap((sub) => readString(sub, 'subresource') ?? []),
    },
  ];
}

/** The group versions that a root without aggregated documents lists. */
export function legacyVersions(body: unknown): readonly string[] {
  if (readString(body, 'kind') === 'APIVersions') return readList(body, 'versions').map(String);
  return readList(body, 'groups').flatMap((group) =>
    readList(group, 'versions').flatMap((version) => readString(version, 'groupVersion') ?? []),
  );
}

/** What the document of one group version tells. */
export function fromLegacy(groupVersion: string, body: unknown): ApiResource[] {
  const entries = readList(body, 'resources').filter(isFields);
  const names = entries.map((entry) => String(entry.name));
  return entries.flatMap((entry) => {
    const plural = String(entry.name);
    const kind = readString(entry, 'kind');
    if (plural.includes('/') || kind === undefined) return [];
    return [
      {
        group: groupOf(groupVersion),
        version: versionOf(groupVersion),
        kind,
        plural,
        singular: readString(entry, 'singularName') ?? '',
        shortNames: readList(entry, 'shortNames').map(String),
        categories: readList(entry, 'categories').map(String),
        namespaced: entry.namespaced === true,
        verbs: readList(entry, 'verbs').map(String),
        subresources: names.filter((name) => name.startsWith(`${plural}/`)).map((name) => name.slice(plural.length + 1)),
      },
    ];
  });
}
