import { AppError } from '@/lib/contract/app-error';
import { GATE_VERB } from '@/lib/contract/release-decision';
import type { GatePolicy, KeptGate } from '@/lib/contract/release-gate';
import { keptGate } from '@/lib/contract/release-gate';
import { toReleaseKindRef } from '@/lib/contract/release-kind';
import { readField, readString } from '@/lib/kube/fields';
import { describeResource, KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress, toObjectKey } from '@/lib/kube/object';
import { compareResourceVersions } from '@/lib/kube/resource-version';
import { deepEqual } from '@/lib/std/deep-equal';
import { toIso } from '@/lib/std/instant';
import { formatRelease } from '@/lib/words/format-release';
import type { Cluster, Store } from '@/server/kube';
import { isAlreadyExists, isConflict } from '@/server/kube';
import type { Clock } from '@/server/platform';
import type { DeclaredRelease } from '../model/declared';
import { isPulled } from '../model/declared';
import { isSameGatePolicy, NO_GATE_POLICY, readGatePolicy, stricter } from './gate-policy';

const FIELD_MANAGER = 'slipway.dev/chartsync';
const ATTEMPTS = 5;

interface GatesDeps {
  readonly decisions: Store;
  readonly namespaces: Store;
  readonly cluster: Cluster;
  /** How many approvals the server demands of every release. */
  readonly approvals: number;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The gates of releases. What a gate demands, and which commit was approved, stands in the status of a ReleaseDecision that the engine makes, since
 * admission lets nobody else write there: whoever takes an annotation away takes nothing off what is in force.
 */
export class Gates {
  readonly #deps: GatesDeps;
  /** What this process wrote and its copy may not show yet. */
  readonly #written = new Map<string, KubeObject>();

  constructor(deps: GatesDeps) {
    this.#deps = deps;
  }

  /** The gate of a resource as it is kept; undefined where none is in force. Throws where what is kept cannot be read. */
  of({ uid, at }: DeclaredRelease): KeptGate | undefined {
    const object = this.#known(uid, at.namespace ?? '');
    return object && inForce(requireKept(object));
  }

  /** The gate that is in force now, by its namespace as it is or as it was heard of. What is demanded is kept from the moment it is seen; throws while nobody can tell. */
  async enter(resource: DeclaredRelease, home?: KubeObject): Promise<KeptGate | undefined> {
    const wanted = await this.#wantedBy(resource, home);
    const { state, synced } = this.#deps.decisions.health();
    if (!synced || state.kind !== 'watching') {
      const isMissing = state.kind === 'retrying' && state.isMissing;
      if (isMissing && wanted.required === 0) return undefined; // no such kind, so nothing was ever kept
      throw new AppError('unavailable', `ReleaseDecisions are not watched now: ${state.kind}`);
    }
    const kept = this.of(resource);
    if (kept === undefined && wanted.required === 0) return undefined;
    return this.change(resource, (gate) => {
      const inForce = stricter(wanted, gate);
      return { ...gate, ...toGatePolicy(inForce), wanted: isSameGatePolicy(inForce, wanted) ? null : this.#wantedSince(wanted, gate) };
    });
  }

  /** The same looser demand that was seen before, or a new one from now on. */
  #wantedSince(wanted: GatePolicy, { wanted: before }: KeptGate): NonNullable<KeptGate['wanted']> {
    if (before != null && isSameGatePolicy(before, wanted)) return before;
    return { ...toGatePolicy(wanted), since: toIso(this.#deps.clock.now()) };
  }

  /** Changes what is kept of a gate; what changes nothing is not written. Undefined where none is in force afterwards. */
  async change(resource: DeclaredRelease, next: (gate: KeptGate) => KeptGate): Promise<KeptGate | undefined> {
    for (let attempt = 1; ; attempt++) {
      const object = this.#known(resource.uid, resource.at.namespace ?? '') ?? (await this.#create(resource));
      const before = requireKept(object);
      const after = next(before);
      if (deepEqual(before, after)) return inForce(after);
      const { required } = after;
      const message = formatRelease({ id: 'gate.demands', of: isPulled(resource) ? 'archive' : 'commit', required, groups: after.groups });
      const status = { phase: 'Accepted', at: readString(object, 'status', 'at') ?? toIso(this.#deps.clock.now()), message, gate: after };
      try {
        this.#keep(
          resource.uid,
          await this.#deps.cluster.update({ ...object, status }, { subresource: 'status', fieldManager: FIELD_MANAGER }),
        );
        return inForce(after);
      } catch (error) {
        if (!isConflict(error) || attempt === ATTEMPTS) throw error;
        this.#keep(resource.uid, await this.#deps.cluster.get(addressOf(resource)));
      }
    }
  }

  /** Forgets what was written for a resource that is gone. */
  forget({ uid }: DeclaredRelease): void {
    this.#written.delete(uid);
  }

  /** What annotations, the namespace and the server demand of a resource now; throws while nobody can tell. */
  async #wantedBy(resource: DeclaredRelease, heard: KubeObject | undefined): Promise<GatePolicy> {
    const own = readGatePolicy(resource.annotations, describeResource(resource.at));
    const namespace = resource.at.namespace ?? '';
    const { synced, state } = this.#deps.namespaces.health();
    if (!synced) throw new AppError('unavailable', 'namespaces are not watched yet, and one of them may require approvals');
    const at = { ...KINDS.namespace, name: namespace };
    // What it demands since its watch was lost only the server knows.
    const copy = state.kind === 'watching' ? this.#deps.namespaces.get(toObjectKey({ name: namespace })) : undefined;
    const home = heard ?? copy ?? (await this.#deps.cluster.get(at));
    const theirs = readGatePolicy(home.metadata.annotations ?? {}, describeObject(at));
    return stricter({ required: this.#deps.approvals, groups: [] }, stricter(theirs, own));
  }

  #known(uid: string, namespace: string): KubeObject | undefined {
    const copy = this.#deps.decisions.get(toObjectKey({ namespace, name: nameOf(uid) }));
    const written = this.#written.get(uid);
    if (copy === undefined || written === undefined) return copy ?? written;
    const isBehind = compareResourceVersions(copy.metadata.resourceVersion ?? '', written.metadata.resourceVersion ?? '') < 0;
    if (!isBehind) this.#written.delete(uid);
    return isBehind ? written : copy;
  }

  #keep(uid: string, object: KubeObject): void {
    this.#written.set(uid, object);
  }

  /** It goes with the resource that it is about. */
  async #create(resource: DeclaredRelease): Promise<KubeObject> {
    const { apiVersion, kind, name, namespace = '' } = resource.at;
    const { uid } = resource;
    const spec = { releaseRef: { ...toReleaseKindRef(resource.at), name, uid }, verb: GATE_VERB, actor: { user: 'slipway' } };
    const metadata = { name: nameOf(uid), namespace, ownerReferences: [{ apiVersion, kind, name, uid }] };
    try {
      const made = await this.#deps.cluster.create({ ...KINDS.releaseDecision, metadata, spec }, { fieldManager: FIELD_MANAGER });
      this.#keep(uid, made);
      return made;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return this.#deps.cluster.get(addressOf(resource));
    }
  }
}

/**
 * What an object keeps of a gate. Nothing is what one keeps that was made a moment ago; where something was written before and cannot be read, as when the
 * definition drops a part of it, nobody can tell which approvals are required, and nothing is released.
 */
function requireKept(object: KubeObject): KeptGate {
  const isWritten = readField(object, 'status', 'gate') !== undefined || readString(object, 'status', 'phase') !== undefined;
  if (isWritten && !keptGate.safeParse(readField(object, 'status', 'gate')).success) {
    const what = describeObject(toAddress(object));
    throw new AppError(
      'unavailable',
      `it is unknown which approvals are required: status.gate of ${what} cannot be read; run kubectl apply -f deploy/crds/releasedecisions.yaml, and if it still cannot be read, restore it from a backup`,
    );
  }
  return keptIn(object);
}

/** The name of the decision that stands for the gate of a resource. */
export function nameOf(uid: string): string {
  return `gate-${uid}`;
}

/** What an object keeps of a gate; undefined where nothing is demanded. */
export function gateIn(object: KubeObject | undefined): KeptGate | undefined {
  return inForce(keptIn(object));
}

function keptIn(object: KubeObject | undefined): KeptGate {
  const read = keptGate.safeParse(readField(object, 'status', 'gate'));
  return read.success ? read.data : { ...toGatePolicy(NO_GATE_POLICY) };
}

function inForce(gate: KeptGate): KeptGate | undefined {
  return gate.required > 0 ? gate : undefined;
}

function addressOf({ uid, at: { namespace = '' } }: DeclaredRelease) {
  return { ...KINDS.releaseDecision, namespace, name: nameOf(uid) };
}

function toGatePolicy({ required, groups }: GatePolicy): Pick<KeptGate, 'required' | 'groups'> {
  return { required, groups: groups.map((clause) => [...clause]) };
}
