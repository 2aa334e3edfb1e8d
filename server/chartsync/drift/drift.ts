import { createHash } from 'node:crypto';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { groupOf, toObjectId, versionOf } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import type { Cluster } from '@/server/kube';
import { ignoreNotFound, isNoMatch } from '@/server/kube';
import type { LiveObjects } from '../cluster/live-objects';
import type { DeviatingObject, Deviation } from '../model/drift-policy';
import type { Impersonation } from '../model/impersonation';
import { releaseKey } from '../model/release';
import type { ReleaseAct } from '../ports';
import type { CachedObject, LiveCopies } from './cached-objects';
import { FIELD_MANAGER } from './differing-fields';
import type { Stored } from './pointers';
import { pathsOf } from './pointers';
import { revertOperations } from './revert-operations';

/** More than one engine has; older ones are compared again. */
const MAX_RELEASES = 5000;
/** By label or annotation; the word is that of helm-controller. */
const EXCLUDED = 'helm.toolkit.fluxcd.io/driftDetection';

interface DriftDeps {
  readonly objects: Pick<LiveObjects, 'read' | 'addressOf'>;
  readonly copies: Pick<LiveCopies, 'follow' | 'of'>;
  readonly clusterFor: (who: Impersonation) => Cluster;
}

/** What was found of a release the last time, and is this time. */
interface Comparing {
  readonly act: ReleaseAct;
  readonly cluster: Cluster;
  readonly before: ReadonlyMap<string, Found> | undefined;
  readonly now: Map<string, Found>;
}

/** In what a live object was found to deviate, what that rested on, and the labels by which rules choose. */
interface Found {
  readonly basis: string;
  readonly paths: readonly string[];
}

/**
 * Fields in which live objects differ from the stored manifest, by the same comparison as everywhere: only what the manifest says counts (X-DRIFT-1). It is made
 * from watched copies. The cluster is asked, as the account, for what a copy says to differ, since a copy may be behind and has no managers of fields, for
 * Secrets that moved, and for what is not watched; of an object that stands as it was compared last nothing is asked.
 */
export class Drift {
  readonly #deps: DriftDeps;
  /** Of each release the objects that were compared last, by their address. */
  readonly #found = new Map<string, ReadonlyMap<string, Found>>();

  constructor(deps: DriftDeps) {
    this.#deps = deps;
  }

  /** Every deviation; of an object that is missing the whole of it. The objects of the release are followed from then on. */
  async find(act: ReleaseAct): Promise<readonly Deviation[]> {
    const cluster = this.#deps.clusterFor(act.onBehalfOf);
    const key = releaseKey(act.release);
    const stored = await this.#addressed(act, cluster);
    this.#deps.copies.follow(
      key,
      stored.flatMap(({ at, isServed }) => (isServed ? [at] : [])),
    );
    const comparing: Comparing = { act, cluster, before: this.#found.get(key), now: new Map() };
    const deviations: Deviation[] = [];
    for (const one of stored)
      deviations.push(...(one.isServed ? await this.#compare(one, comparing) : [{ object: describe(one.at, one.manifest), path: '' }]));
    this.#keep(key, comparing.now);
    return deviations;
  }

  /** Puts back what deviates: missing objects are created, fields patched, and no other. */
  async correct(act: ReleaseAct, deviations: readonly Deviation[]): Promise<void> {
    const cluster = this.#deps.clusterFor(act.onBehalfOf);
    for (const manifest of await this.#deps.objects.read(act)) {
      const at = await this.#deps.objects.addressOf(manifest, act, cluster);
      const paths = deviations.filter(({ object }) => isSame(object, at)).map(({ path }) => path);
      if (paths.length === 0) continue;
      const live = await ignoreNotFound(cluster.get(at));
      if (live === undefined) await cluster.create(asHelmMadeIt(manifest, { act, at }), { fieldManager: FIELD_MANAGER });
      else {
        const body = {
          ...manifest,
          metadata: { ...manifest.metadata, ...(at.namespace === undefined ? {} : { namespace: at.namespace }) },
        };
        const wanted = await cluster.patch(at, { type: 'apply', body }, { fieldManager: FIELD_MANAGER, force: true, dryRun: true });
        await cluster.patch(at, { type: 'json', body: revertOperations(paths, { live, wanted }) }, { fieldManager: FIELD_MANAGER });
      }
    }
  }

  /** Nothing of a release is followed or remembered any more. */
  forget(release: ReleaseAct['release']): void {
    this.#deps.copies.follow(releaseKey(release), []);
    this.#found.delete(releaseKey(release));
  }

  /** The objects of the manifest but those that it leaves out itself; of a kind that is not served there is none. */
  async #addressed(act: ReleaseAct, cluster: Cluster): Promise<readonly (Stored & { readonly isServed: boolean })[]> {
    const stored: (Stored & { readonly isServed: boolean })[] = [];
    for (const manifest of await this.#deps.objects.read(act)) {
      if (isExcluded(manifest)) continue;
      const at = await this.#deps.objects.addressOf(manifest, act, cluster).catch((error: unknown) => {
        if (isNoMatch(error)) return undefined;
        throw error;
      });
      const { apiVersion, kind, metadata } = manifest;
      stored.push({
        manifest,
        at: at ?? { apiVersion, kind, name: metadata.name ?? '', namespace: metadata.namespace ?? act.release.namespace },
        isServed: at !== undefined,
      });
    }
    return stored;
  }

  async #compare(one: Stored, comparing: Comparing): Promise<readonly Deviation[]> {
    const copied = this.#deps.copies.of(one.at);
    const told = fromCopy(one, copied, comparing);
    if (told !== undefined) return told;
    const live = await ignoreNotFound(comparing.cluster.get(one.at));
    if (live === undefined) return [{ object: describe(one.at, one.manifest), path: '' }];
    return isExcluded(live) ? [] : deviationsOf(one, live, { comparing, paths: () => pathsOf(one, live) });
  }

  #keep(release: string, found: ReadonlyMap<string, Found>): void {
    this.#found.delete(release); // it is the newest now
    this.#found.set(release, found);
    if (this.#found.size > MAX_RELEASES) this.#found.delete(this.#found.keys().next().value ?? '');
  }
}

/** What a copy tells; undefined where the cluster is to be asked. */
function fromCopy(one: Stored, copied: CachedObject, comparing: Comparing): readonly Deviation[] | undefined {
  const { object: live } = copied;
  if (live === undefined) return undefined;
  if (isExcluded(live)) return [];
  if (comparing.before?.get(toObjectId(one.at))?.basis === basisOf(one, live, comparing.act))
    return deviationsOf(one, live, { comparing, paths: () => [] });
  if (copied.kind === 'metadata') return undefined;
  const paths = pathsOf(one, live);
  return paths.length === 0 ? deviationsOf(one, live, { comparing, paths: () => paths }) : undefined;
}

/** The deviations of one object; they are worked out where it is not as it was the last time. */
function deviationsOf(
  one: Stored,
  live: KubeObject,
  { comparing: { act, before, now }, paths: find }: { readonly comparing: Comparing; readonly paths: () => readonly string[] },
): readonly Deviation[] {
  const id = toObjectId(one.at);
  const basis = basisOf(one, live, act);
  const known = before?.get(id);
  const paths = known?.basis === basis ? known.paths : find();
  now.set(id, { basis, paths });
  return paths.map((path) => ({ object: describe(one.at, live), path }));
}

function basisOf({ manifest }: Stored, { metadata: { uid, resourceVersion } }: KubeObject, { onBehalfOf }: ReleaseAct): string {
  return createHash('sha256')
    .update(toStableJson([uid, resourceVersion, manifest, onBehalfOf]))
    .digest('hex');
}

/** The labels and annotations by which Helm knows its own. */
function asHelmMadeIt(
  manifest: KubeObject,
  { act: { release }, at }: { readonly act: ReleaseAct; readonly at: ObjectAddress },
): KubeObject {
  const { metadata } = manifest;
  const labels = { ...metadata.labels, 'app.kubernetes.io/managed-by': 'Helm' };
  const annotations = {
    ...metadata.annotations,
    'meta.helm.sh/release-name': release.name,
    'meta.helm.sh/release-namespace': release.namespace,
  };
  return {
    ...manifest,
    metadata: { ...metadata, labels, annotations, ...(at.namespace === undefined ? {} : { namespace: at.namespace }) },
  };
}

function isExcluded({ metadata }: KubeObject): boolean {
  return metadata.labels?.[EXCLUDED] === 'disabled' || metadata.annotations?.[EXCLUDED] === 'disabled';
}

function describe({ apiVersion, kind, name, namespace = '' }: ObjectAddress, { metadata }: KubeObject): DeviatingObject {
  const { labels = {}, annotations = {} } = metadata;
  return { group: groupOf(apiVersion), version: versionOf(apiVersion), kind, name, namespace, labels, annotations };
}

function isSame(object: DeviatingObject, { apiVersion, kind, name, namespace = '' }: ObjectAddress): boolean {
  return object.group === groupOf(apiVersion) && object.kind === kind && object.name === name && object.namespace === namespace;
}
