import type { BlastItem } from '@/lib/contract/tracker-rows';
import { readField, readList, readNumber, readString } from '@/lib/kube/fields';
import { countKind, KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey, TypeRef } from '@/lib/kube/object';
import { describeObject, groupOf, toObjectKey } from '@/lib/kube/object';
import { formatUntilReleased } from '@/lib/words/format-terminating';
import type { GarbageItem, GarbagePlan } from '@/server/dispatch';
import { cachedState } from '@/server/dispatch';
import type { Store } from '@/server/kube';
import { findStaleness } from '@/server/kube';
import { withKindsBelow } from '@/server/status';
import type { ClusterView } from '../cluster-view';
import { kindKey } from '../cluster-view';
import { listsOf } from './listed-objects';
import { podLabels, STATEFUL_SET, selects, WORKLOADS } from './selects';

const MAX_NAMED = 4;
const VOLUME: TypeRef = { apiVersion: 'v1', kind: 'PersistentVolume' };
const CLAIM: TypeRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' };

/** A collection as far as its blast radius depends on it: what goes together, and which trackers know. */
export interface BlastContext {
  readonly view: Pick<ClusterView, 'open' | 'ownedBy' | 'stores' | 'clock'>;
  /** uids of everything that the plan deletes. */
  readonly going: ReadonlySet<string>;
  /** Names of the trackers that the plan compares. */
  readonly compared: ReadonlySet<string>;
}

/** What the deletions of one plan have in common. */
export function toBlastScene({ items, from, to }: GarbagePlan, view: BlastContext['view']): BlastContext {
  const going = new Set(items.flatMap(({ verdict, uid }) => (verdict === 'deleted' && uid !== undefined ? uid : [])));
  return { view, going, compared: new Set([...from, ...(to === undefined ? [] : [to])]) };
}

/** What goes or suffers with the deletion of an object, from the copies alone. What they do not know yet is said to be unknown. */
export function blastRadiusOf(object: KubeObject, item: GarbageItem, scene: BlastContext): readonly BlastItem[] {
  const { finalizers = [] } = object.metadata;
  return [
    ...(item.propagation === 'Orphan' ? [] : [...dependentsOf(object, scene), ...unreadDependentsOf(object, scene)]),
    ...volumeOf(object, scene),
    ...usersOf(object, scene),
    ...claimsOf(object),
    ...instancesOf(object, scene),
    ...contentsOf(object, scene),
    ...servicesLosing(object, scene),
    ...otherTrackersOf(item, scene),
    ...(finalizers.length === 0 ? [] : [{ kind: 'finalizers' as const, names: [...finalizers] }]),
  ];
}

/** One consequence as a sentence for people. */
export function explainBlast(blast: BlastItem): string {
  switch (blast.kind) {
    case 'dependents':
      return `deletes ${countKind(blast.count, blast.of)} with it: ${listing(blast)}`;
    case 'volume':
      return (
        VOLUME_OUTCOMES[blast.policy]?.(blast.name) ?? `its PersistentVolume ${blast.name} is subject to the reclaim policy ${blast.policy}`
      );
    case 'users':
      return `used by ${countKind(blast.count, blast.of)}: ${listing(blast)}`;
    case 'claims':
      return `${blast.outcome === 'kept' ? 'leaves' : 'deletes'} ${countKind(blast.count, blast.of)} with ${blast.count === 1 ? 'its' : 'their'} data: ${listing(blast)}`;
    case 'instances':
      return blast.count === 0
        ? `no ${blast.of} would be deleted with it`
        : `deletes every ${blast.of} in the cluster with it, ${blast.partial === undefined ? '' : 'at least '}${blast.count}: ${listing(blast)}${saidPartial(blast)}`;
    case 'contents':
      return `deletes everything in it, at least ${countKind(blast.count, blast.of)}: ${listing(blast)}`;
    case 'endpoints':
      return `${blast.service} loses its last endpoint`;
    case 'tracker':
      return `ResourceTracker ${blast.name} lists it too`;
    case 'finalizers':
      return `held ${formatUntilReleased(blast.names)}`;
    case 'unknown':
      return `what happens to its ${blast.of} is unknown: ${blast.why}`;
  }
}

const VOLUME_OUTCOMES: Readonly<Record<string, (name: string) => string>> = {
  Delete: (name) => `its PersistentVolume ${name} is deleted with the data on it (reclaim policy Delete)`,
  Retain: (name) => `its PersistentVolume ${name} stays with the data on it, released and unused (reclaim policy Retain)`,
  Recycle: (name) => `its PersistentVolume ${name} is wiped and offered again (reclaim policy Recycle)`,
};

function saidPartial({ partial }: { readonly partial?: string | undefined }): string {
  return partial === undefined ? '' : ` (there may be more: ${partial})`;
}

function listing({ names, count }: { readonly names: readonly string[]; readonly count: number }): string {
  return `${names.join(', ')}${count > names.length ? ', …' : ''}`;
}

function counted<Kind extends 'dependents' | 'instances' | 'contents' | 'users'>(kind: Kind, of: string, objects: readonly KubeObject[]) {
  return { kind, of, count: objects.length, names: objects.slice(0, MAX_NAMED).map(({ metadata }) => metadata.name ?? '') };
}

/** Objects that the cluster collects since all their owners go, by kind; those that the plan itself deletes are told there. */
function dependentsOf(object: KubeObject, { view, going }: BlastContext): readonly BlastItem[] {
  const gone = new Set([...going, object.metadata.uid ?? '']);
  const found = new Map<string, KubeObject[]>();
  const queue = [object];
  for (let owner = queue.shift(); owner !== undefined; owner = queue.shift()) {
    for (const child of view.ownedBy(owner.metadata.uid ?? '')) {
      const { uid = '', ownerReferences = [] } = child.metadata;
      if (gone.has(uid) || !ownerReferences.every((reference) => gone.has(reference.uid))) continue;
      gone.add(uid);
      found.set(child.kind, [...(found.get(child.kind) ?? []), child]);
      queue.push(child);
    }
  }
  return [...found].map(([kind, objects]) => counted('dependents', kind, objects));
}

/** Kinds that its controller makes and that are not known where it lives: that none is listed says nothing of them. */
function unreadDependentsOf({ apiVersion, kind, metadata: { namespace } }: KubeObject, { view }: BlastContext): readonly BlastItem[] {
  const [, ...below] = withKindsBelow({ group: groupOf(apiVersion), kind });
  return below.flatMap((of) => {
    const store = view.open({ apiVersion: of.group === '' ? 'v1' : `${of.group}/v1`, kind: of.kind });
    return unreadIn({ store, namespace, of: `${of.kind}s` }, view);
  });
}

/** The volume behind a claim, and what its reclaim policy does to it. */
function volumeOf({ kind, apiVersion, spec }: KubeObject, { view }: BlastContext): readonly BlastItem[] {
  const name = kind === CLAIM.kind && apiVersion === CLAIM.apiVersion ? readString(spec, 'volumeName') : undefined;
  if (name === undefined || name === '') return [];
  const state = cachedState(view.open(VOLUME), { ...VOLUME, name }, view.clock.now());
  switch (state.kind) {
    case 'unknown':
      return [{ kind: 'unknown', of: `PersistentVolume ${name}`, why: state.why }];
    case 'absent':
      return [];
    case 'present':
      return [{ kind: 'volume', name, policy: readString(state.object, 'spec', 'persistentVolumeReclaimPolicy') ?? 'Retain' }];
  }
}

/** The pods that mount a claim: it goes only once they are gone. */
function usersOf({ kind, apiVersion, metadata: { namespace, name } }: KubeObject, { view }: BlastContext): readonly BlastItem[] {
  if (kind !== CLAIM.kind || apiVersion !== CLAIM.apiVersion) return [];
  const mounts = (pod: KubeObject) =>
    readList(pod, 'spec', 'volumes').some((volume) => readString(volume, 'persistentVolumeClaim', 'claimName') === name);
  const pods = view.open(KINDS.pod).list(namespace).filter(mounts);
  const unread = unreadIn({ store: view.open(KINDS.pod), namespace, of: 'users' }, view);
  return pods.length === 0 ? unread : [counted('users', 'Pod', pods), ...unread];
}

/** The claims that a StatefulSet made for its pods: nobody owns them, unless its policy says so, and those of the next one of its name are they. */
function claimsOf({ kind, apiVersion, metadata: { name }, spec }: KubeObject): readonly BlastItem[] {
  if (kind !== STATEFUL_SET.kind || apiVersion !== STATEFUL_SET.apiVersion) return [];
  const [first, replicas] = [readNumber(spec, 'ordinals', 'start') ?? 0, readNumber(spec, 'replicas') ?? 1];
  const templates = readList(spec, 'volumeClaimTemplates').flatMap((template) => readString(template, 'metadata', 'name') ?? []);
  const named = Array.from({ length: Math.min(replicas, MAX_NAMED) }, (_, at) =>
    templates.map((template) => `${template}-${name}-${first + at}`),
  ).flat();
  const isDeleted = readString(spec, 'persistentVolumeClaimRetentionPolicy', 'whenDeleted') === 'Delete';
  const told = isDeleted ? ({ outcome: 'deleted', fate: 'go' } as const) : ({ outcome: 'kept', fate: 'stay' } as const);
  const count = templates.length * replicas;
  return count === 0 ? [] : [{ kind: 'claims', of: CLAIM.kind, count, names: named.slice(0, MAX_NAMED), ...told }];
}

/** The custom resources of a definition, in whatever namespace, whoever made them. */
function instancesOf(object: KubeObject, { view }: BlastContext): readonly BlastItem[] {
  if (object.kind !== 'CustomResourceDefinition') return [];
  const of = readString(object, 'spec', 'names', 'kind') ?? '';
  const version = readList(object, 'spec', 'versions').find((one) => readField(one, 'served') === true);
  const type = { apiVersion: `${readString(object, 'spec', 'group')}/${readString(version, 'name')}`, kind: of };
  const store = view.open(type);
  const objects = store.list();
  const partial = partialReason(store, view);
  if (partial === undefined) return [counted('instances', of, objects)];
  // Polls of namespaces, or of single objects, tell what there is at least; a watch that is lost tells not even that.
  const isLowerBound = store.health().state.kind === 'refused' && objects.length > 0;
  return [isLowerBound ? { ...counted('instances', of, objects), partial } : { kind: 'unknown', of: `${of} objects`, why: partial }];
}

/** What lives in a namespace, of the kinds that are watched. */
function contentsOf(object: KubeObject, { view, going }: BlastContext): readonly BlastItem[] {
  if (object.kind !== 'Namespace' || object.apiVersion !== 'v1') return [];
  return view.stores().flatMap((store) => {
    const objects = store.list(object.metadata.name).filter(({ metadata }) => !going.has(metadata.uid ?? ''));
    return objects.length === 0 ? [] : [counted('contents', store.scope.kind, objects)];
  });
}

/** Services that stay and whose selected workloads all go. Pods that nobody controls count as workloads. */
function servicesLosing(workload: KubeObject, { view, going }: BlastContext): readonly BlastItem[] {
  const { namespace, uid = '' } = workload.metadata;
  const labels = podLabels(workload);
  if (labels === undefined) return [];
  const isLeft = ({ metadata }: KubeObject) => metadata.uid !== uid && !going.has(metadata.uid ?? '');
  const others = [...WORKLOADS, KINDS.pod].flatMap((type) => view.open(type).list(namespace)).filter(isLeft);
  const services = view.open(KINDS.service);
  const losing = services
    .list(namespace)
    .filter((service) => isLeft(service) && selects(service, labels) && !others.some((other) => selects(service, podLabels(other))))
    .map((service): BlastItem => ({ kind: 'endpoints', service: describeObject({ kind: 'Service', ...service.metadata }) }));
  return [...losing, ...unreadIn({ store: services, namespace, of: 'Services' }, view)];
}

function otherTrackersOf({ entry }: GarbageItem, { view, compared }: BlastContext): readonly BlastItem[] {
  const trackers = view.open(KINDS.resourceTracker).list();
  return trackers.flatMap((tracker): BlastItem[] => {
    const name = tracker.metadata.name ?? '';
    return compared.has(name) || !listsOf(tracker).has(`${kindKey(entry)} ${toObjectKey(entry)}`) ? [] : [{ kind: 'tracker', name }];
  });
}

/** A kind in one namespace. */
interface Part {
  readonly store: Store;
  readonly namespace: string | undefined;
  /** What its objects are to whatever goes. */
  readonly of: string;
}

/** That nobody knows what there is of a kind in a namespace; nothing where that is known, and of a kind that is not served. */
function unreadIn({ store, namespace, of }: Part, view: Pick<ClusterView, 'clock'>): readonly BlastItem[] {
  const part = toObjectKey({ namespace, name: '' });
  const why = store.knowledge(part).kind === 'unserved' ? undefined : partialReason(store, view, part);
  return why === undefined ? [] : [{ kind: 'unknown', of, why }];
}

/** Why the copy of a kind is not all that there is now, in the cluster or in a part of it; undefined where it is. */
function partialReason(store: Store, { clock }: Pick<ClusterView, 'clock'>, part: ObjectKey = ''): string | undefined {
  const known = store.knowledge(part);
  if (known.kind !== 'watched' && known.kind !== 'polled') return known.reason;
  return findStaleness(store, part, clock.now())?.reason;
}
