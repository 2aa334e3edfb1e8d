import type { StatusReference, WaitOutcome } from '@/lib/contract/object-statuses';
import { KINDS } from '@/lib/kube/kinds';
import type { ObjectKey } from '@/lib/kube/object';
import { groupOf, toObjectKey } from '@/lib/kube/object';
import { inParallel } from '@/lib/std/in-parallel';
import type { Cluster } from '@/server/kube';
import { isNotFound } from '@/server/kube';
import type { Clock } from '@/server/platform';
import type { ObjMetadata } from '../identifier';
import { toIdentifierKey } from '../identifier';
import type { Provenance } from '../live/provenance';
import type { ResourceStatus } from '../resource-status';
import type { ApplicationMembers } from './application-set';
import { ApplicationSet } from './application-set';
import { FollowedSet } from './followed-set';
import { ObjectsSet } from './objects-set';
import type { Followed, StatusSet, StatusStream } from './status-set';

const AT_ONCE = 16;

export interface StatusesDeps {
  readonly cluster: Pick<Cluster, 'get' | 'discovery'>;
  readonly stream: StatusStream;
  /** What an application consists of beside itself, and when that may have changed. The same array again means the same objects. */
  readonly ledgerOf: (
    application: ObjectKey,
  ) => { readonly objects: () => readonly ObjectReference[] } & Pick<ApplicationMembers, 'sentence' | 'onChange'>;
  readonly clock: Pick<Clock, 'schedule'>;
  readonly onFailure: (error: unknown) => void;
}

/** An object of an application's record. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** The statuses of applications and of any other objects, to be read once, followed or waited for. */
export interface Statuses {
  /** Where the object of a reference is: cluster-scoped ones are in no namespace, others at least in the one given. Throws NoMatchError. */
  locate(reference: StatusReference, namespace: string): Promise<Followed>;
  /** An application and what its trackers list; those who ask for the same one share one set. */
  ofApplication(place: { readonly ns: string; readonly name: string }): StatusSet;
  ofObjects(followed: readonly Followed[]): StatusSet;
  /** How a status that is told is known; undefined where it tells why nothing is. */
  provenanceOf(status: ResourceStatus): Provenance | undefined;
  /**
   * True when the cluster itself agrees with what made a wait end so: copies may be a moment behind, and somebody who changes an object and
   * then waits must not be answered by what was before.
   */
  confirm(set: StatusSet, outcome: WaitOutcome): Promise<boolean>;
}

/** Statuses over a stream of them. */
export function createStatuses(deps: StatusesDeps): Statuses {
  const shared = new Map<string, { readonly set: ApplicationSet; uses: number }>();

  const ofApplication = ({ ns, name }: { readonly ns: string; readonly name: string }): StatusSet => {
    const key = toObjectKey({ namespace: ns, name });
    const entry = shared.get(key) ?? { set: new ApplicationSet({ ...deps, ledger: toLedger(key, deps) }), uses: 0 };
    shared.set(key, entry);
    entry.uses++;
    let released = false;
    return sharing(entry.set, () => {
      if (released) return;
      released = true;
      if (--entry.uses > 0) return;
      shared.delete(key);
      entry.set.release();
    });
  };

  return {
    ofApplication,
    async locate({ apiVersion, kind, namespace, name }, fallback) {
      const { namespaced } = await deps.cluster.discovery.resolve({ apiVersion, kind });
      return toFollowed({ apiVersion, kind, name, ...(namespaced ? { namespace: namespace ?? fallback } : {}) });
    },
    ofObjects(followed) {
      const applications = new Map<string, StatusSet>();
      for (const { identifier } of followed) {
        const key = toIdentifierKey(identifier);
        if (isApplication(identifier) && !applications.has(key))
          applications.set(key, ofApplication({ ns: identifier.namespace, name: identifier.name }));
      }
      const others = followed.filter(({ identifier }) => !isApplication(identifier));
      return new ObjectsSet({ followed, plain: new FollowedSet(deps.stream, others, deps.onFailure), applications });
    },
    provenanceOf: ({ identifier, error }) => (error === undefined ? deps.stream.provenanceOf(identifier) : undefined),
    async confirm(set, outcome) {
      const told = ({ identifier }: Followed) => set.statusOf(toIdentifierKey(identifier));
      const decisive = set
        .followed()
        .filter((one) => outcome === 'reached' || told(one)?.status === 'Failed' || isApplication(one.identifier));
      let agrees = true;
      await inParallel(decisive, AT_ONCE, async (one) => {
        if (agrees && !(await isAsTold(deps, one, deps.stream.latest(one.identifier)))) agrees = false;
      });
      return agrees;
    },
  };
}

const isApplication = ({ group, kind }: ObjMetadata) => kind === KINDS.application.kind && group === groupOf(KINDS.application.apiVersion);

function toFollowed({ apiVersion, kind, namespace = '', name }: ObjectReference): Followed {
  return { apiVersion, kind, identifier: { group: groupOf(apiVersion), kind, namespace, name } };
}

/** The application itself, then what it consists of. */
function toLedger(application: ObjectKey, { ledgerOf }: StatusesDeps): ApplicationMembers {
  const { objects, sentence, onChange } = ledgerOf(application);
  const [namespace = '', name = ''] = application.split('/');
  const own = toFollowed({ ...KINDS.application, namespace, name });
  let listed: readonly ObjectReference[] | undefined;
  let members: readonly Followed[] = [];
  return {
    onChange,
    sentence,
    members() {
      const now = objects();
      if (now !== listed) members = [own, ...now.map(toFollowed)];
      listed = now;
      return members;
    },
  };
}

function sharing(set: StatusSet, release: () => void): StatusSet {
  return {
    complete: set.complete,
    followed: () => set.followed(),
    isComplete: () => set.isComplete(),
    statuses: () => set.statuses(),
    statusOf: (key) => set.statusOf(key),
    evaluate: () => set.evaluate(),
    subscribe: (listener) => set.subscribe(listener),
    release,
  };
}

/** True when the cluster has the very object that was told of, and it is judged now as it was: status changes where the generation does not. */
async function isAsTold(
  { cluster, stream }: StatusesDeps,
  { apiVersion, kind, identifier }: Followed,
  told: ResourceStatus | undefined,
): Promise<boolean> {
  const { namespace, name } = identifier;
  const held = told?.resource;
  try {
    const live = await cluster.get({ apiVersion, kind, ...(namespace === '' ? {} : { namespace }), name });
    if (held === undefined || held.metadata.uid !== live.metadata.uid || held.metadata.generation !== live.metadata.generation)
      return false;
    return held.metadata.resourceVersion === live.metadata.resourceVersion || stream.of(live).status === told?.status;
  } catch (error) {
    // Who cannot be asked agrees to nothing: the wait goes on.
    return isNotFound(error) && held === undefined;
  }
}
