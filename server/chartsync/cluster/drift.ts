import type { Fields } from '@/lib/kube/fields';
import { isFields, readField } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { groupOf, versionOf } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Cluster } from '@/server/kube';
import { isNotFound } from '@/server/kube';
import type { DeviatingObject, Deviation } from '../model/drift-policy';
import type { OnBehalfOf } from '../model/on-behalf-of';
import type { ReleaseAct } from '../ports';
import type { LiveObjects } from './live-objects';

const FIELD_MANAGER = 'slipway.dev/chartsync';
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

/** What one object is, and would be were the manifest applied to it. */
interface Compared {
  readonly manifest: KubeObject;
  readonly at: ObjectAddress;
  readonly live: KubeObject | undefined;
  readonly wanted: KubeObject;
}

/** Fields in which live objects differ from the stored manifest, by a dry run of applying it (X-DRIFT-1). */
export class Drift {
  readonly #deps: DriftDeps;

  constructor(deps: DriftDeps) {
    this.#deps = deps;
  }

  /** Every deviation; of an object that is missing the whole of it. */
  async find(act: ReleaseAct): Promise<readonly Deviation[]> {
    const found: Deviation[] = [];
    for (const manifest of await this.#deps.objects.read(act)) {
      const { at, live, wanted } = await this.#compare(manifest, act);
      if (isExcluded(manifest) || (live !== undefined && isExcluded(live))) continue;
      const paths = live === undefined ? [''] : differingPaths(live, wanted, '');
      for (const path of paths) found.push({ object: describe(at, live ?? wanted), path });
    }
    return found;
  }

  /** Puts back what deviates: missing objects are created, fields patched, and no other. */
  async correct(act: ReleaseAct, deviations: readonly Deviation[]): Promise<void> {
    const cluster = this.#deps.clusterFor(act.onBehalfOf);
    for (const manifest of await this.#deps.objects.read(act)) {
      const { at, live, wanted } = await this.#compare(manifest, act);
      const paths = deviations.filter(({ object }) => isSame(object, at)).map(({ path }) => path);
      if (paths.length === 0) continue;
      if (live === undefined) await cluster.create(asHelmMadeIt(manifest, { act, at }), { fieldManager: FIELD_MANAGER });
      else await cluster.patch(at, { type: 'json', body: paths.map((path) => toOperation(path, wanted)) }, { fieldManager: FIELD_MANAGER });
    }
  }

  async #compare(manifest: KubeObject, act: ReleaseAct): Promise<Compared> {
    const cluster = this.#deps.clusterFor(act.onBehalfOf);
    const at = await this.#deps.objects.addressOf(manifest, act, cluster);
    const live = await cluster.get(at).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (live === undefined) return { manifest, at, live, wanted: manifest };
    const body = { ...manifest, metadata: { ...manifest.metadata, ...(at.namespace === undefined ? {} : { namespace: at.namespace }) } };
    const wanted = await cluster.patch(at, { type: 'apply', body }, { fieldManager: FIELD_MANAGER, force: true, dryRun: true });
    return { manifest, at, live, wanted };
  }
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
