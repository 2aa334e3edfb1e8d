import { isFields, readList, readString } from '@/lib/kube/fields';
import type { TypeRef } from '@/lib/kube/object';
import { groupOf, versionOf } from '@/lib/kube/object';
import type { Clock, Log } from '@/server/platform';
import type { ApiResource, Discovery } from '../cluster';
import { DiscoveryFailedError, getApiStatus, NoMatchError } from '../errors';

const AGE_MS = 600_000;
const PARTIAL_AGE_MS = 10_000;
const UNKNOWN_KIND_AGE_MS = 500;
const AGGREGATED = ['v2', 'v2beta1'].map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`).join(',');

/** Reads one discovery document. With an etag the answer may be `unchanged`. */
export type ReadDocument = (path: string, accept: string, etag?: string, signal?: AbortSignal) => Promise<Document | 'unchanged'>;

export interface Document {
  readonly body: unknown;
  readonly etag: string | undefined;
}

/** What one root (`/api`, `/apis`) told. */
interface Root {
  readonly resources: readonly ApiResource[];
  /** Group or group/version → why it could not be asked. */
  readonly failed: ReadonlyMap<string, unknown>;
  readonly etag: string | undefined;
}

interface Known {
  readonly byType: ReadonlyMap<string, ApiResource>;
  readonly resources: readonly ApiResource[];
  readonly failed: ReadonlyMap<string, unknown>;
  readonly at: number;
}

/** Discovery over HTTP: the aggregated documents where the server has them, one document per group version otherwise. */
export function createDiscovery({ read, clock, log }: { readonly read: ReadDocument; readonly clock: Clock; readonly log: Log }): Discovery {
  const roots = new Map<string, Root>();
  let known: Known | undefined;
  let stale = true;
  let reading: Promise<Known> | undefined;

  async function readAll(): Promise<Known> {
    stale = false;
    const [core, groups] = await Promise.all([readRoot('/api'), readRoot('/apis')]);
    const resources = [...core.resources, ...groups.resources];
    const failed = new Map([...core.failed, ...groups.failed]);
    if (failed.size > 0) log.warn({ groups: [...failed.keys()] }, 'some API groups could not be discovered');
    const byType = new Map(resources.map((resource) => [typeKey(toApiVersion(resource), resource.kind), resource]));
    known = { byType, resources, failed, at: clock.now() };
    return known;
  }

  async function readRoot(path: '/api' | '/apis'): Promise<Root> {
    const held = roots.get(path);
    try {
      // Discovery is shared by all callers, so no caller's signal may cut it short.
      const document = await read(path, `${AGGREGATED},application/json`, held?.etag);
      if (document === 'unchanged' && held !== undefined) return held;
      const root = document === 'unchanged' ? NOTHING : await toRoot(path, document);
      roots.set(path, root);
      return root;
    } catch (error) {
      return { resources: held?.resources ?? [], failed: new Map([[path, error]]), etag: held?.etag };
    }
  }

  async function toRoot(path: string, { body, etag }: Document): Promise<Root> {
    if (readString(body, 'kind') === 'APIGroupDiscoveryList') return fromAggregated(body, etag);
    const resources: ApiResource[] = [];
    const failed = new Map<string, unknown>();
    for (const groupVersion of legacyVersions(body)) {
      try {
        const document = await read(`${path}/${groupVersion}`, 'application/json');
        if (document !== 'unchanged') resources.push(...fromLegacy(groupVersion, document.body));
      } catch (error) {
        if (getApiStatus(error)?.code !== 404) failed.set(groupVersion, error); // 404: it went away meanwhile
      }
    }
    return { resources, failed, etag: undefined };
  }

  async function current(maxAgeMs: number, signal: AbortSignal | undefined): Promise<Known> {
    signal?.throwIfAborted();
    const limitMs = known !== undefined && known.failed.size > 0 ? Math.min(maxAgeMs, PARTIAL_AGE_MS) : maxAgeMs;
    if (known !== undefined && !stale && clock.now() - known.at <= limitMs) return known;
    reading ??= readAll().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  return {
    async resolve(type, signal) {
      const key = typeKey(type.apiVersion, type.kind);
      const found = (await current(AGE_MS, signal)).byType.get(key);
      if (found !== undefined) return found;
      const fresh = await current(UNKNOWN_KIND_AGE_MS, signal);
      const resource = fresh.byType.get(key);
      if (resource !== undefined) return resource;
      throw missing(type, fresh.failed);
    },
    async all(signal) {
      return (await current(AGE_MS, signal)).resources;
    },
    invalidate() {
      stale = true;
    },
  };
}

const NOTHING: Root = { resources: [], failed: new Map(), etag: undefined };

function missing(type: TypeRef, failed: ReadonlyMap<string, unknown>): Error {
  const group = groupOf(type.apiVersion);
  const cause = failed.get(type.apiVersion) ?? failed.get(group) ?? failed.get(group === '' ? '/api' : '/apis');
  return cause === undefined ? new NoMatchError(type) : new DiscoveryFailedError(group, { cause });
}

const typeKey = (apiVersion: string, kind: string) => `${apiVersion}|${kind}`;
const toApiVersion = ({ group, version }: ApiResource) => (group === '' ? version : `${group}/${version}`);

function fromAggregated(body: unknown, etag: string | undefined): Root {
  const resources: ApiResource[] = [];
  const failed = new Map<string, unknown>();
  for (const item of readList(body, 'items')) {
    const group = readString(item, 'metadata', 'name') ?? '';
    for (const entry of readList(item, 'versions')) {
      const version = readString(entry, 'version') ?? '';
      const found = readList(entry, 'resources').flatMap((resource) => toAggregatedResource(group, version, resource));
      resources.push(...found);
      // A stale version is one whose server did not answer the aggregator; what it last told is still used.
      if (readString(entry, 'freshness') === 'Stale' && found.length === 0) {
        failed.set(group === '' ? version : `${group}/${version}`, new Error(`its server does not answer (group ${group}, version ${version})`));
      }
    }
  }
  return { resources, failed, etag };
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

function legacyVersions(body: unknown): readonly string[] {
  if (readString(body, 'kind') === 'APIVersions') return readList(body, 'versions').map(String);
  return readList(body, 'groups').flatMap((group) => readList(group, 'versions').flatMap((version) => readString(version, 'groupVersion') ?? []));
}

function fromLegacy(groupVersion: string, body: unknown): ApiResource[] {
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
