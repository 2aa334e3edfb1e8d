import { readString } from '@/lib/kube/fields';
import type { TypeRef } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import type { Clock, Log } from '@/server/platform';
import { monotonicMsOf } from '@/server/platform';
import type { ApiResource, Discovery } from '../cluster';
import { DiscoveryFailedError, getApiStatus, NoMatchError } from '../errors';
import { findServed, servedVersions, toApiVersion, toKindRef } from '../served';
import type { DiscoveryResult } from './discovery-documents';
import { fromAggregated, fromLegacy, legacyVersions } from './discovery-documents';

const AGE_MS = 600_000;
const PARTIAL_AGE_MS = 10_000;
const UNKNOWN_KIND_AGE_MS = 500;
const UNSERVED_KIND_AGE_MS = 10_000;
/** Groups that are known not to be there: whoever may ask for a kind can think of any number. */
const MAX_ABSENT = 1000;
const AGGREGATED = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',');

/** Reads one discovery document. With an etag the answer may be `unchanged`. */
export type ReadDocument = (path: string, accept: string, etag?: string, signal?: AbortSignal) => Promise<Document | 'unchanged'>;

export interface Document {
  readonly body: unknown;
  readonly etag: string | undefined;
}

/** What one root (`/api`, `/apis`) told. */
interface Root extends DiscoveryResult {
  readonly etag: string | undefined;
  /** Groups that are not listed, and that the server does not know by their path either. */
  readonly absent: Set<string>;
}

interface Known extends DiscoveryResult {
  readonly byType: ReadonlyMap<string, ApiResource>;
  readonly absent: Set<string>;
  readonly at: number;
}

/** Discovery over HTTP: the aggregated documents where the server has them, one document per group version otherwise. */
export function createDiscovery({
  read,
  clock,
  log,
}: {
  readonly read: ReadDocument;
  readonly clock: Clock;
  readonly log: Log;
}): Discovery {
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
    known = { byType, resources, failed, absent: groups.absent, at: monotonicMsOf(clock) };
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
      return { resources: held?.resources ?? [], failed: new Map([[path, error]]), etag: held?.etag, absent: new Set() };
    }
  }

  async function toRoot(path: string, { body, etag }: Document): Promise<Root> {
    if (readString(body, 'kind') === 'APIGroupDiscoveryList') return { ...fromAggregated(body), etag, absent: new Set() };
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
    return { resources, failed, etag: undefined, absent: new Set() };
  }

  async function current(maxAgeMs: number, signal: AbortSignal | undefined): Promise<Known> {
    signal?.throwIfAborted();
    const limitMs = known !== undefined && known.failed.size > 0 ? Math.min(maxAgeMs, PARTIAL_AGE_MS) : maxAgeMs;
    if (known !== undefined && !stale && monotonicMsOf(clock) - known.at <= limitMs) return known;
    reading ??= readAll().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  /**
   * Throws unless it is certain that what a group is not listed with is not served. Right after its start an API server lists less than it serves,
   * and answers 503, not 404, for the paths that it does not know yet.
   */
  async function mustBeAbsent(group: string, { resources, failed, absent }: Known): Promise<void> {
    const cause = failureOf(group, failed);
    if (cause !== undefined) throw new DiscoveryFailedError(group, { cause });
    if (absent.has(group) || resources.some((resource) => resource.group === group)) return;
    try {
      await read(`/apis/${group}`, 'application/json');
    } catch (error) {
      if (getApiStatus(error)?.code !== 404) throw new DiscoveryFailedError(group, { cause: error });
      const [oldest] = absent;
      if (absent.size >= MAX_ABSENT && oldest !== undefined) absent.delete(oldest);
      absent.add(group);
      return;
    }
    stale = true;
    throw new DiscoveryFailedError(group, { cause: new Error('the server serves the group but does not list it yet') });
  }

  return {
    async resolve(type, signal) {
      const key = typeKey(type.apiVersion, type.kind);
      const found = (await current(AGE_MS, signal)).byType.get(key);
      if (found !== undefined) return found;
      const fresh = await current(UNKNOWN_KIND_AGE_MS, signal);
      const resource = fresh.byType.get(key);
      if (resource !== undefined) return resource;
      throw missing(type, fresh);
    },
    async resolveKind(of, signal) {
      const found = findServed((await current(AGE_MS, signal)).resources, of);
      if (found !== undefined) return found;
      const fresh = await current(UNSERVED_KIND_AGE_MS, signal);
      const resource = findServed(fresh.resources, of);
      if (resource !== undefined) return resource;
      await mustBeAbsent(of.group, fresh);
      throw new NoMatchError({ apiVersion: toApiVersion({ group: of.group, version: of.version ?? '*' }), kind: of.kind });
    },
    async all(signal) {
      return (await current(AGE_MS, signal)).resources;
    },
    invalidate() {
      stale = true;
    },
  };
}

const NOTHING: Root = { resources: [], failed: new Map(), etag: undefined, absent: new Set() };

function missing({ apiVersion, kind }: TypeRef, { resources, failed }: DiscoveryResult): Error {
  const of = toKindRef({ apiVersion, kind });
  const cause = failed.get(apiVersion) ?? failed.get(of.group) ?? failed.get(rootOf(of.group));
  return cause === undefined
    ? new NoMatchError({ apiVersion, kind }, servedVersions(resources, of))
    : new DiscoveryFailedError(of.group, { cause });
}

/** Why a group could not be asked, in whole or at one of its versions. */
function failureOf(group: string, failed: ReadonlyMap<string, unknown>): unknown {
  const [, cause] =
    [...failed].find(([name]) => (name.startsWith('/') ? name === rootOf(group) : name === group || groupOf(name) === group)) ?? [];
  return cause;
}

const rootOf = (group: string) => (group === '' ? '/api' : '/apis');
const typeKey = (apiVersion: string, kind: string) => `${apiVersion}|${kind}`;
