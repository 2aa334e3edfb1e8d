import type { ReleaseDecisionSpec } from '@/lib/contract/release-decision';
import { decidedTypeOf } from '@/lib/contract/release-decision';
import type { ReleaseKindName } from '@/lib/contract/release-kind';
import { RELEASE_KIND_NAMES, RELEASE_TYPES, releaseKindOf } from '@/lib/contract/release-kind';
import type { EngineMode } from '@/lib/contract/system-rows';
import { readString } from '@/lib/kube/fields';
import { KINDS, nameOfKind } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress, ObjectKey, TypeRef } from '@/lib/kube/object';
import { toAddress, toObjectKey } from '@/lib/kube/object';
import { formatRelease } from '@/lib/words/format-release';
import type { ReleaseMessage } from '@/lib/words/release-message';
import type { Identities, OwnRepository, ReconcileHistory, ReleaseDescription, ReleaseSummary } from '@/server/chartsync';
import {
  countedAlreadyReason,
  createReleaseObserver,
  describeRelease,
  notCountedReason,
  RELEASE_KINDS,
  StoredReleases,
  summarizeRelease,
} from '@/server/chartsync';
import type { Informers } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import { capitalise } from '../capitalise';
import type { ClusterView } from '../cluster-view';

/** A release as the read model sees it: the resource that declares it, and what is told of that. */
export interface DescribedRelease {
  readonly object: KubeObject;
  readonly kind: ReleaseKindName;
  readonly told: ReleaseDescription;
}

/** The same of a line in a table, which tells less of it. */
export interface ListedRelease {
  readonly object: KubeObject;
  readonly kind: ReleaseKindName;
  readonly told: ReleaseSummary;
}

/** The resource that declares a release. */
interface Declaring {
  readonly kind: ReleaseKindName;
  readonly ns: string;
  readonly name: string;
}

/** Somebody who may decide about a gate, by the groups that they are in. */
interface Approver {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Where the page of a release is: `namespace/kind/name`. */
export type ReleasePage = string;

/** The releases of the copies of the cluster, as chart sync tells them. */
export interface Releases {
  see(page: ReleasePage): DescribedRelease | undefined;
  /** What its line in the table is made of. */
  list(page: ReleasePage): ListedRelease | undefined;
  /** The object whose page that is. */
  objectOf(page: ReleasePage): KubeObject | undefined;
  /** The pages that what happened to an object may change: its own, and those of resources that name the same release. */
  pagesOf(object: KubeObject): readonly ReleasePage[];
  /** What was decided about a release, by the resource that declares it. */
  decisionsAbout(object: KubeObject): readonly KubeObject[];
  /** The page of what a decision is about. */
  pageOfDecision(decision: KubeObject): ReleasePage;
  /** Every page there is. */
  pages(): readonly ReleasePage[];
  /** How the loops of this process are, as a text that differs when anything about it does. */
  age(): string;
  /** Why what a person decides about the gate of a release would not count; null where it would, and where there is no gate. */
  notCountedReason(release: Declaring, verb: 'approve' | 'loosen', person: Approver): string | null;
  /** Why a decision about its gate would count for nothing beside one of the same person; null where none counts. */
  countedAlreadyReason(
    release: Declaring,
    decided: Pick<ReleaseDecisionSpec, 'verb' | 'commit' | 'digest' | 'seen' | 'actor'>,
  ): string | null;
  /** Hears of every look at a release, and when Helm stored something of it. */
  onReconcile(listener: (page: ReleasePage) => void): Release;
  /** Ends what it follows. */
  release(): void;
}

interface ReleasesDeps {
  readonly view: ClusterView;
  readonly clock: Clock;
  readonly journal: ReconcileHistory;
  readonly informers: Pick<Informers, 'open'>;
  readonly own: OwnRepository;
  readonly identities: Pick<Identities, 'accountOf'>;
  readonly engine: () => EngineMode;
}

/** Builds them over the copies of the cluster and what the loops of this process tell. */
export function createReleases({ view, clock, journal, informers, own, identities, engine }: ReleasesDeps): Releases {
  const stores = RELEASE_KINDS.map((kind) => view.open(kind));
  const stored = new StoredReleases({ informers, stores });
  const observer = createReleaseObserver({ stores, decisions: view.open(KINDS.releaseDecision), journal, stored, own, identities });
  const objectOf = (page: ReleasePage) => {
    const { kind, key } = parsePage(page);
    return kind && view.get(RELEASE_TYPES[kind], key);
  };
  // One that has nothing to do as it is configured says so itself, and more exactly.
  const refusalReason = (type: TypeRef) => {
    const { mode, why, kinds } = engine();
    return mode === 'off' ? null : (why ?? kinds?.[nameOfKind(type)] ?? null);
  };
  const gateOf = ({ kind, ns, name }: Declaring): KnownGate | undefined => {
    const object = objectOf(`${ns}/${kind}/${name}`);
    const gate = object && summarizeRelease(observer.observe(object, refusalReason(object)), clock.now()).gate;
    return object === undefined || gate == null ? undefined : { gate, decisions: observer.decisionsAbout(object) };
  };
  return {
    objectOf,
    see(page) {
      const [object, kind] = [objectOf(page), kindOf(page)];
      return object && kind && { object, kind, told: describeRelease(observer.observe(object, refusalReason(object)), clock.now()) };
    },
    list(page) {
      const [object, kind] = [objectOf(page), kindOf(page)];
      return object && kind && { object, kind, told: summarizeRelease(observer.observe(object, refusalReason(object)), clock.now()) };
    },
    decisionsAbout: (object) => observer.decisionsAbout(object),
    pageOfDecision(decision) {
      const type = decidedTypeOf(decision);
      const name = readString(decision, 'spec', 'releaseRef', 'name') ?? '';
      return `${decision.metadata.namespace ?? ''}/${type === undefined ? '' : (releaseKindOf(type) ?? '')}/${name}`;
    },
    pagesOf: (object) => [...new Set([pageOf(object), ...observer.rivalsOf(object).map(pageOfAddress)])],
    pages: () => RELEASE_KINDS.flatMap((kind) => view.open(kind).list().map(pageOf)),
    ...gateReasons(gateOf),
    age: () => JSON.stringify(journal.loops()),
    onReconcile(listener) {
      const reconciles = journal.onReconcile((at) => listener(pageOfAddress(at)));
      const storage = stored.onChange((release) => {
        for (const at of observer.declaring(release)) listener(pageOfAddress(at));
      });
      return () => {
        reconciles();
        storage();
      };
    },
    release: () => stored[Symbol.dispose](),
  };
}

/** A gate as it is told, and what was decided about its release. */
interface KnownGate {
  readonly gate: NonNullable<ReleaseSummary['gate']>;
  readonly decisions: readonly KubeObject[];
}

/** Tells why what people decide about gates would not count. */
function gateReasons(gateOf: (release: Declaring) => KnownGate | undefined): Pick<Releases, 'notCountedReason' | 'countedAlreadyReason'> {
  const say = (why: ReleaseMessage | null, user: string) => why && capitalise(formatRelease(why), [user]);
  return {
    notCountedReason(release, verb, person) {
      const known = gateOf(release);
      if (known === undefined) return null;
      const { gate, decisions } = known;
      const { user } = person;
      if (verb === 'approve') return say(notCountedReason(gate, person), user);
      // Who approved the commit that waits may agree to demand less all the same.
      const loosening = { verb, seen: { gate: gate.loosening ?? '' }, actor: { user } } as const;
      return say(notCountedReason({ ...gate, approvers: [] }, person) ?? countedAlreadyReason(loosening, gate, decisions), user);
    },
    countedAlreadyReason(release, decided) {
      const known = gateOf(release);
      const isByGate = decided.verb === 'approve' || decided.verb === 'loosen';
      return known === undefined || !isByGate ? null : say(countedAlreadyReason(decided, known.gate, known.decisions), decided.actor.user);
    },
  };
}

/** The page of a resource that declares a release. */
const pageOfAddress = (at: ObjectAddress): ReleasePage => `${at.namespace ?? ''}/${releaseKindOf(at) ?? ''}/${at.name}`;
const pageOf = (object: KubeObject): ReleasePage => pageOfAddress(toAddress(object));

function parsePage(page: ReleasePage): { readonly kind: ReleaseKindName | undefined; readonly key: ObjectKey } {
  const [namespace = '', , name = ''] = page.split('/');
  return { kind: kindOf(page), key: toObjectKey({ namespace, name }) };
}

function kindOf(page: ReleasePage): ReleaseKindName | undefined {
  return RELEASE_KIND_NAMES.find((known) => known === page.split('/')[1]);
}
