import { createHash } from 'node:crypto';
import type { Fields } from '@/lib/kube/fields';
import { isFields, readField } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { groupOf, toObjectId, versionOf } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { toStableJson } from '@/lib/std/stable-json';
import type { Cluster } from '@/server/kube';
import { isNotFound } from '@/server/kube';
import type { DeviatingObject, Deviation } from '../model/drift-policy';
import type { OnBehalfOf } from '../model/on-behalf-of';
import { releaseKey } from '../model/release';
import type { ReleaseAct } from '../ports';
import type { LiveObjects } from './live-objects';

const FIELD_MANAGER = 'slipway.dev/chartsync';
/** More than one engine has; older ones are compared again. */
const MOST_RELEASES = 5000;
/** By label or annotation; the word is that of helm-controller. */
const EXCLUDED = 'helm.toolkit.fluxcd.io/driftDetection';
/** Written by the server at every write, whatever is written. */
const SERVERS_OWN = new Set([
  '/metadata/managedFields',
  '/metadata/resourceVersion',
  '/metadata/generation',
  '/metadata/creationTimestamp',
  '/metadata/uid',
  '/status',
]);

interface DriftDeps {
  readonly objects: Pick<LiveObjects, 'read' | 'addressOf'>;
  readonly clusterFor: (who: OnBehalfOf) => Cluster;
}

/** An object as the manifest has it, and as it is. */
interface Live {
  readonly manifest: KubeObject;
  readonly at: ObjectAddress;
  readonly live: KubeObject;
}

/** What was found of a release the last time, and is this time. */
interface Comparing {
  readonly act: ReleaseAct;
  readonly before: ReadonlyMap<string, Found> | undefined;
  readonly now: Map<string, Found>;
}

/** In what a live object was found to deviate, and what that rested on. */
interface Found {
  readonly basis: string;
  readonly paths: readonly string[];
}

/**
 * Fields in which live objects differ from the stored manifest, by a dry run of applying it (X-DRIFT-1). An object is asked about again once it moved, or its
 * manifest or the account did: where nothing moves, no dry run is made.
 */
export class Drift {
  readonly #deps: DriftDeps;
  /** Of each release the objects that were compared last, by their address. */
  readonly #found = new Map<string, ReadonlyMap<string, Found>>();

  constructor(deps: DriftDeps) {
    this.#deps = deps;
  }

  /** Every deviation; of an object that is missing the whole of it. */
  async find(act: ReleaseAct): Promise<readonly Deviation[]> {
    const cluster = this.#deps.clusterFor(act.onBehalfOf);
    const before = this.#found.get(releaseKey(act.release));
    const now = new Map<string, Found>();
    const deviations: Deviation[] = [];
    for (const manifest of await this.#deps.objects.read(act)) {
      if (isExcluded(manifest)) continue;
      const at = await this.#deps.objects.addressOf(manifest, act, cluster);
      const live = await readLive(cluster, at);
      if (live !== undefined && isExcluded(live)) continue;
      const paths = live === undefined ? [''] : await this.#pathsOf({ manifest, at, live }, { act, before, now });
      for (const path of paths) deviations.push({ object: describe(at, live ?? manifest), path });
    }
    this.#keep(releaseKey(act.release), now);
    return deviations;
  }

  /** Puts back what deviates: missing objects are created, fields patched, and no other. */
  async correct(act: ReleaseAct, deviations: readonly Deviation[]): Promise<void> {
    const cluster = this.#deps.clusterFor(act.onBehalfOf);
    for (const manifest of await this.#deps.objects.read(act)) {
      const at = await this.#deps.objects.addressOf(manifest, act, cluster);
      const paths = deviations.filter(({ object }) => isSame(object, at)).map(({ path }) => path);
      if (paths.length === 0) continue;
      if ((await readLive(cluster, at)) === undefined) await cluster.create(asHelmMadeIt(manifest, { act, at }), { fieldManager: FIELD_MANAGER });
      else {
        const wanted = await applied(cluster, { manifest, at });
        await cluster.patch(at, { type: 'json', body: paths.map((path) => toOperation(path, wanted)) }, { fieldManager: FIELD_MANAGER });
      }
    }
  }

  async #pathsOf({ manifest, at, live }: Live, { act, before, now }: Comparing): Promise<readonly string[]> {
    const id = toObjectId(at);
    const { uid, resourceVersion } = live.metadata;
    const basis = createHash('sha256')
      .update(toStableJson([uid, resourceVersion, manifest, act.onBehalfOf]))
      .digest('hex');
    const known = before?.get(id);
    const paths = known?.basis === basis ? known.paths : differingPaths(live, await applied(this.#deps.clusterFor(act.onBehalfOf), { manifest, at }), '');
    now.set(id, { basis, paths });
    return paths;
  }

  #keep(release: string, found: ReadonlyMap<string, Found>): void {
    this.#found.delete(release); // it is the newest now
    this.#found.set(release, found);
    if (this.#found.size > MOST_RELEASES) this.#found.delete(this.#found.keys().next().value ?? '');
  }
}

async function readLive(cluster: Cluster, at: ObjectAddress): Promise<KubeObject | undefined> {
  return cluster.get(at).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** What an object would be were the manifest applied to it. */
async function applied(cluster: Cluster, { manifest, at }: Omit<Live, 'live'>): Promise<KubeObject> {
  const body = { ...manifest, metadata: { ...manifest.metadata, ...(at.namespace === undefined ? {} : { namespace: at.namespace }) } };
  return cluster.patch(at, { type: 'apply', body }, { fieldManager: FIELD_MANAGER, force: true, dryRun: true });
}

/** Pointers of what differs: members one by one, a list as a whole. */
function differingPaths(live: unknown, wanted: unknown, at: string): readonly string[] {
  if (SERVERS_OWN.has(at) || deepEqual(live, wanted)) return [];
  if (!isFields(live) || !isFields(wanted)) return [at];
  const members = new Set([...Object.keys(live), ...Object.keys(wanted)]);
  return [...members].flatMap((member) => differingPaths(live[member], wanted[member], `${at}/${escapePointer(member)}`));
}

function toOperation(path: string, wanted: KubeObject): Fields {
  const value = readField(wanted, ...path.split('/').slice(1).map(unescapePointer));
  return value === undefined ? { op: 'remove', path } : { op: 'add', path, value };
}

const escapePointer = (member: string) => member.replaceAll('~', '~0').replaceAll('/', '~1');
const unescapePointer = (member: string) => member.replaceAll('~1', '/').replaceAll('~0', '~');

/** The labels and annotations by which Helm knows its own. */
function asHelmMadeIt(manifest: KubeObject, { act: { release }, at }: { readonly act: ReleaseAct; readonly at: ObjectAddress }): KubeObject {
  const { metadata } = manifest;
  const labels = { ...metadata.labels, 'app.kubernetes.io/managed-by': 'Helm' };
  const annotations = { ...metadata.annotations, 'meta.helm.sh/release-name': release.name, 'meta.helm.sh/release-namespace': release.namespace };
  return { ...manifest, metadata: { ...metadata, labels, annotations, ...(at.namespace === undefined ? {} : { namespace: at.namespace }) } };
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
