import { parseAllDocuments } from 'yaml';
import { AppError, messageOf } from '@/lib/contract/app-error';
import { isFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { describeObject, groupOf } from '@/lib/kube/object';
import { inParallel } from '@/lib/std/in-parallel';
import { hasPlainKeys } from '@/lib/std/yaml/documents';
import { GO_YAML } from '@/lib/std/yaml/go-yaml';
import type { Cluster } from '@/server/kube';
import { getServed, ignoreError, isNoMatch, isNotFound, isUnserved, toApiVersion, toKindRef } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { yieldToEventLoop } from '@/server/platform';
import type { StoredHook } from '../helm/decoder';
import type { HelmStorage } from '../helm/storage';
import type { Mark } from '../model/declared';
import { laterOwnersOf } from '../model/declared';
import type { Impersonation } from '../model/impersonation';
import type { ReleaseRef } from '../model/release';
import type { ReleaseAct } from '../ports';

const FIELD_MANAGER = 'slipway.dev/chartsync';
const AT_ONCE = 8;
const MAX_ALIASES = 20;
/** What Helm stored may be anybody's: each key would be compared with all before it, and lines be quoted of each error. */
/** Read otherwise than Helm reads it, a manifest would never be as it is live, and drift would be put back to what Helm never wrote. */
const PARSED = { ...GO_YAML, logLevel: 'silent', prettyErrors: false } as const;

interface LiveObjectsDeps {
  readonly storage: Pick<HelmStorage, 'readHistory' | 'readManifest' | 'readHooks'>;
  /** The cluster as the account that acts for a resource. */
  readonly clusterFor: (who: Impersonation) => Cluster;
  /** The cluster as the server. */
  readonly cluster: Pick<Cluster, 'get'>;
  readonly clock: Clock;
}

/** The objects that a release made, as its stored manifest names them. */
export class LiveObjects {
  readonly #deps: LiveObjectsDeps;

  constructor(deps: LiveObjectsDeps) {
    this.#deps = deps;
  }

  /** Marks every object by an annotation; one that is gone is passed over, and what fails is told at the end, all of it tried. */
  async mark(act: ReleaseAct, { annotation, value }: Mark): Promise<void> {
    const cluster = this.#deps.clusterFor(act.onBehalfOf);
    const patch = { type: 'merge', body: { metadata: { annotations: { [annotation]: value } } } } as const;
    const failures: string[] = [];
    await inParallel(await this.read(act), AT_ONCE, async (object) => {
      const at = await this.addressOf(object, act, cluster);
      try {
        await cluster.patch(at, patch, { fieldManager: FIELD_MANAGER });
      } catch (error) {
        if (!isNotFound(error)) failures.push(`${describeObject(at)}: ${messageOf(error)}`);
      }
    });
    if (failures.length > 0)
      throw new AppError('rejected', `${failures.length} objects of the release could not be marked: ${failures.slice(0, 3).join('; ')}`);
  }

  /**
   * The annotation of the release's first object, or the resource of a later operator that it names beside it and that exists: that one
   * has taken the release. Undefined when the object is gone or bears none.
   */
  async readMark(act: ReleaseAct, annotation: string): Promise<string | undefined> {
    const first = await this.#readFirstLive(act);
    if (first === undefined) return undefined;
    for (const owner of laterOwnersOf(first.metadata, { annotation, home: act.release.namespace }))
      if ((await ignoreError(isAbsent, this.#deps.cluster.get(owner))) !== undefined)
        return `${describeObject(owner)} of ${groupOf(owner.apiVersion)}`;
    return first.metadata.annotations?.[annotation];
  }

  /** Every annotation of the release's first object. */
  async readMarks(act: ReleaseAct): Promise<Readonly<Record<string, string>>> {
    return (await this.#readFirstLive(act))?.metadata.annotations ?? {};
  }

  /**
   * The release's first object, at whatever version its kind is served. Undefined when it is gone, or when its kind is served at no version,
   * with which its objects went. Thrown while nobody can tell: a release whose mark is not seen looks like nobody's.
   */
  async #readFirstLive(act: ReleaseAct): Promise<KubeObject | undefined> {
    const cluster = this.#deps.clusterFor(act.onBehalfOf);
    const first = await this.#readFirst(act);
    if (first === undefined) return undefined;
    const served = await ignoreError(isNoMatch, cluster.discovery.resolveKind(toKindRef(first)));
    if (served === undefined) return undefined;
    const { kind, metadata } = first;
    const namespace = served.namespaced ? { namespace: metadata.namespace ?? act.release.namespace } : {};
    return getServed(cluster, { apiVersion: toApiVersion(served), kind, name: metadata.name ?? '', ...namespace });
  }

  /** Every object of the newest revision's manifest; hooks are none of them. */
  async read({ release }: ReleaseAct): Promise<readonly KubeObject[]> {
    const newest = (await this.#deps.storage.readHistory(release)).at(-1);
    return newest === undefined ? [] : this.readAt(release, newest.revision);
  }

  /** The first of them; what follows it is not parsed. */
  async #readFirst({ release }: ReleaseAct): Promise<KubeObject | undefined> {
    const newest = (await this.#deps.storage.readHistory(release)).at(-1);
    if (newest === undefined) return undefined;
    for await (const object of this.#parseEach(await this.#deps.storage.readManifest(release, newest.revision))) return object;
    return undefined;
  }

  /** Every object of one revision's manifest. */
  async readAt(release: ReleaseRef, revision: number): Promise<readonly KubeObject[]> {
    return this.parse(await this.#deps.storage.readManifest(release, revision));
  }

  /** Every object that the hooks of one revision make at any of some events. */
  async readHooksAt(release: ReleaseRef, revision: number, events: readonly string[]): Promise<readonly KubeObject[]> {
    const hooks = (await this.#deps.storage.readHooks(release, revision)).filter((hook) =>
      hook.events.some((event) => events.includes(event)),
    );
    return this.parse(hooks.map(({ manifest }) => manifest).join('\n---\n'));
  }

  /** Every hook of one revision, each with the first object that it makes. */
  async readEachHook(
    release: ReleaseRef,
    revision: number,
  ): Promise<readonly { readonly hook: StoredHook; readonly object: KubeObject }[]> {
    const hooks = await this.#deps.storage.readHooks(release, revision);
    const found = await Promise.all(hooks.map(async (hook) => ({ hook, object: (await this.parse(hook.manifest))[0] })));
    return found.flatMap(({ hook, object }) => (object === undefined ? [] : [{ hook, object }]));
  }

  /** The objects of a manifest as Helm renders it. */
  async parse(manifest: string): Promise<readonly KubeObject[]> {
    const objects: KubeObject[] = [];
    for await (const object of this.#parseEach(manifest)) objects.push(object);
    return objects;
  }

  /** One document at a time: a manifest of thousands of them would be one long turn. */
  async *#parseEach(manifest: string): AsyncGenerator<KubeObject> {
    for (const text of manifest.split(/^---\s*$/m)) {
      await yieldToEventLoop(this.#deps.clock);
      for (const document of parseAllDocuments(text, PARSED)) {
        if (!hasPlainKeys(document)) throw new AppError('invalid', 'the manifest that Helm stored has a key that is not a string');
        yield* unpack(document.toJS({ maxAliasCount: MAX_ALIASES }));
      }
    }
  }

  /** Objects that name no namespace are in that of the release, unless their kind has none. */
  async addressOf({ apiVersion, kind, metadata }: KubeObject, { release }: ReleaseAct, cluster: Cluster): Promise<ObjectAddress> {
    const name = metadata.name ?? '';
    const { namespaced } = await cluster.discovery.resolve({ apiVersion, kind });
    return { apiVersion, kind, name, ...(namespaced ? { namespace: metadata.namespace ?? release.namespace } : {}) };
  }

  /** The same for whoever only shows it: of a kind that the cluster does not serve any more, as the manifest has it. */
  async shownAddressOf(object: KubeObject, act: ReleaseAct, cluster: Cluster): Promise<ObjectAddress> {
    const { apiVersion, kind, metadata } = object;
    const written = { apiVersion, kind, namespace: metadata.namespace ?? act.release.namespace, name: metadata.name ?? '' };
    return this.addressOf(object, act, cluster).catch(() => written);
  }
}

const isAbsent = (error: unknown) => isNotFound(error) || isUnserved(error);

/** The objects of one document; a List stands for what it holds. */
function unpack(value: unknown): readonly KubeObject[] {
  if (!isFields(value)) return [];
  const kind = readString(value, 'kind') ?? '';
  if (kind.endsWith('List') && Array.isArray(value.items)) return readList(value, 'items').flatMap(unpack);
  return isObject(value) ? [value] : [];
}

function isObject(value: unknown): value is KubeObject {
  return (
    readString(value, 'kind') !== undefined &&
    readString(value, 'apiVersion') !== undefined &&
    readString(value, 'metadata', 'name') !== undefined
  );
}
