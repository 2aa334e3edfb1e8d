import type { KubeObject, TypeRef } from '@/lib/kube/object';
import type { Cluster, WatchEvent, WatchPosition, WatchRoundEnd } from '@/server/kube';
import { isNoMatch, isUnserved, listAll, listAndWatch } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import { supervise } from '@/server/platform';
import { describeDifference } from './difference';

/** What is known of one object of the deployment; `differs` says in what. */
export type PolicyState =
  | { readonly kind: 'kept' | 'missing' | 'unread' | 'unserved' }
  | { readonly kind: 'differs'; readonly difference: string };

export interface PolicyStateDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** How the policies and bindings of the deployment stand in the cluster. */
export interface PolicyStates {
  stateOf(object: KubeObject): PolicyState;
  /** Reads all of them now. */
  readNow(): Promise<void>;
}

const AGAIN_MS = 5_000;
/** Bookmarks come every minute; of a watch that is open and dead a weaker policy would never be heard. */
const SILENT_MS = 150_000;
const idOf = ({ kind, metadata }: KubeObject) => `${kind}/${metadata.name ?? ''}`;

/** Compares objects with those of the cluster, and follows every change: one list and one watch a kind. */
export async function watchPolicyStates(objects: readonly KubeObject[], deps: PolicyStateDeps): Promise<PolicyStates> {
  const known = new Map<string, PolicyState>();
  const kinds = [...new Map(objects.map(({ apiVersion, kind }) => [kind, { apiVersion, kind }])).values()];
  const ofKind = ({ kind }: TypeRef) => objects.filter((object) => object.kind === kind);
  const take = (object: KubeObject, found: KubeObject | undefined) => void known.set(idOf(object), evaluate(object, found));

  /** Gives the version that was read; a cluster that cannot be asked counts as one where they are missing. */
  async function read(kind: TypeRef): Promise<string | undefined> {
    try {
      const { items, resourceVersion } = await listAll(deps.cluster, kind, { signal: deps.signal });
      const byName = new Map(items.map((item) => [item.metadata.name, item]));
      for (const object of ofKind(kind)) take(object, byName.get(object.metadata.name));
      return resourceVersion;
    } catch (error) {
      const state: PolicyState = { kind: isNoMatch(error) || isUnserved(error) ? 'unserved' : 'unread' };
      for (const object of ofKind(kind)) known.set(idOf(object), state);
      return undefined;
    }
  }

  function keep(kind: TypeRef, { cluster, clock, log, signal }: PolicyStateDeps): Promise<void> {
    const hear = ({ type, object }: WatchEvent) => {
      const ours = ofKind(kind).find(({ metadata }) => metadata.name === object.metadata.name);
      if (ours !== undefined) take(ours, type === 'DELETED' ? undefined : object);
    };
    const restMs = (end: WatchRoundEnd, place: WatchPosition) => {
      if (end.kind === 'failed') log.debug({ kind: kind.kind, error: end.error }, 'a watch of policies ended; they are read again');
      place.version = undefined;
      return AGAIN_MS;
    };
    return listAndWatch({ cluster: () => cluster, of: kind, clock, signal, list: () => read(kind), hear, silentMs: SILENT_MS, restMs });
  }

  const readNow = async () => void (await Promise.all(kinds.map(read)));
  await readNow();
  for (const kind of kinds) void supervise(`policies of kind ${kind.kind}`, () => keep(kind, deps), deps);
  return { stateOf: (object) => known.get(idOf(object)) ?? { kind: 'unread' }, readNow };
}

/** An object is ours as the API server stores it, or it is another one: whether another is stricter nobody can tell. */
function evaluate(ours: KubeObject, found: KubeObject | undefined): PolicyState {
  if (found === undefined) return { kind: 'missing' };
  const difference = describeDifference('spec', ours.spec, found.spec);
  return difference === undefined ? { kind: 'kept' } : { kind: 'differs', difference };
}
