import { AppError } from '@/lib/contract/app-error';
import type { SavePreview } from '@/lib/contract/change-rows';
import type { HealthStatus } from '@/lib/contract/health';
import type { RecordEntry } from '@/lib/contract/record-entry';
import type { ReleaseDecisionSpec } from '@/lib/contract/release-decision';
import type { ReleaseKindName } from '@/lib/contract/release-kind';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import type { Approval, ChangePlanner, DeletionPlan } from '@/server/application';
import type { Auth, Session } from '@/server/auth';
import type { DesiredObject, NotCompared } from '@/server/dispatch';
import type { Cluster } from '@/server/kube';
import { getServed } from '@/server/kube';
import type { Clock, Ids } from '@/server/platform';
import type { TextReader } from './editor/text-reader';
import type { PodSource } from './logs/pod-source';

export interface CommandDeps {
  readonly cluster: Cluster;
  readonly auth: Auth;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Reads what people write, away from the main thread. */
  readonly texts: TextReader;
  /** Since when and why what people see of an application may be out of date; null while it is fresh. */
  readonly freshness: (place: Place) => { readonly stale: { readonly since: string; readonly reason: string } | null };
  /** What the newest revision of an application wants of one of its objects, or why nothing is wanted of it. */
  readonly desiredOf: (place: Place, at: ObjectAddress) => DesiredObject | NotCompared;
  /** What goes or suffers when an object of an application is deleted, by itself or with whatever else a plan takes, a sentence each. */
  readonly blastRadiusOf: (
    place: Place,
    object: KubeObject,
    by?: { readonly item: DeletionPlan['items'][number]['item']; readonly going: ReadonlySet<string> },
  ) => readonly string[];
  /** The pods of an application; throws not-found. */
  readonly podsOf: (place: Place) => PodSource;
  /** Why what a person decides about the gate of a release would not count; null where it would, and where there is no gate. */
  readonly notCountedReason: (
    release: Place & { readonly kind: ReleaseKindName },
    verb: 'approve' | 'loosen',
    person: Session['person'],
  ) => string | null;
  /** Why a decision about such a gate would count for nothing beside one of the same person; null where none counts. */
  readonly countedAlreadyReason: (
    release: Place & { readonly kind: ReleaseKindName },
    decided: Pick<ReleaseDecisionSpec, 'verb' | 'commit' | 'digest' | 'seen' | 'actor'>,
  ) => string | null;
  /** The same of approvals of what waits to be deleted of an application. */
  readonly notDeletedReason: (place: Place, person: Session['person']) => string | null;
  /** Why such an approval would count for nothing beside one of the same person; null where none counts. */
  readonly approvedAlreadyReason: (place: Place, approval: Approval) => string | null;
  /** What a decision about a rollout does, as its page says it now, and the digest of what that is told of; null where it may not be made. */
  readonly consequencesOf: (place: Place, verb: DecisionVerb) => { readonly digest: string; readonly sentences: readonly string[] } | null;
  /** What the server's copies and the status engine tell of any object. */
  readonly objectReader: ObjectReader;
  /** What acts depend on beside the rights of whoever acts. */
  readonly installation: InstallationView;
  /** Whether people may open terminals and forward ports on this server at all. */
  readonly terminals: boolean;
  /** Why nothing can be opened into any pod: no container runs; undefined where they do. */
  readonly nothingRuns: string | undefined;
  /** Works out what a change does, as the server reads and executes. */
  readonly planner: ChangePlanner;
  /** What was shown of changes, by the digest of its plan. */
  readonly previews: Previews;
  /** What people were told that their decisions do, by the uid of the decision. */
  readonly consequencesShown: StoredPlans<readonly string[]>;
  /** Throws unavailable while what people decide cannot be put on record. */
  readonly requireRecord: () => Promise<void>;
  /** Puts an act that is no decision on record; resolves when it is durable. */
  readonly record: (entry: RecordEntry) => Promise<void>;
  /** The same of an act that stops something, which waits in a file while the store does not answer. */
  readonly recordStop: (entry: RecordEntry) => Promise<void>;
}

/** Names an object that something is told of. */
interface NamedPlace {
  readonly apiVersion: string;
  readonly kind: string;
  readonly ns: string | undefined;
  readonly name: string;
}

/** A status in a word and a sentence, and the rule that told it. */
interface Health {
  readonly health: HealthStatus;
  readonly message: string;
  readonly rule?: string;
}

/** What the copies and the status engine tell of any object; who may see it is asked by whoever tells it on. */
export interface ObjectReader {
  healthOf(object: KubeObject): Health;
  /** What an object owns, and an application holds, as far as the copies reach. */
  below(object: KubeObject): {
    readonly objects: readonly { readonly object: KubeObject; readonly depth: number; readonly health: Health }[];
    readonly more: number;
  };
  /** An object as the server's copies hold it now; itself where they hold none, or another one of its name. */
  latest(object: KubeObject): KubeObject;
  /** Whether an object of the copies is the other one, is owned by it, or is part of it as an application. */
  isPartOf(root: KubeObject, of: NamedPlace): boolean;
  /** The applications that hold an object. */
  applicationsOf(object: KubeObject): readonly Place[];
  /** Namespaces in which something of an object lives. */
  namespacesOf(root: KubeObject): readonly string[];
  /** Objects of the copies with a part of a name, at most so many. */
  find(text: string, most: number): readonly KubeObject[];
}

/** Who carries out what people ask for. */
export type EngineName = 'application' | 'rollout' | 'chartsync';

export interface InstallationView {
  /** Why nobody may decide now, or decide this, for instance because nothing ties a decision to its person; null when they may. */
  decisionsBlockedReason(verb?: DecisionVerb): string | null;
  /** Whether the engine that would answer drives; else why not, and whether another controller does. */
  stateOf(engine: EngineName): { readonly mode: 'drive' | 'observe' | 'stopped' | 'off'; readonly why: string | null };
  /** Why a field of a kind would not be kept or taken as written; null when it would. */
  dropped(kind: string, field: string, value?: string): string | null;
}

/** A preview as it was shown, without the values of Secrets; which objects somebody may see is asked when it is looked at. */
export interface StoredPlan<Preview> {
  readonly digest: string;
  readonly ns: string;
  readonly name: string;
  readonly at: string;
  readonly by: string;
  /** The application that it was made on, as text; empty where there was none. */
  readonly base: string;
  readonly preview: Preview;
}

/** Previews by the digest of their plan. */
export interface StoredPlans<Preview> {
  keep(preview: StoredPlan<Preview>): Promise<void>;
  /** Undefined for one that is not kept any more. */
  read(digest: string): Promise<StoredPlan<Preview> | undefined>;
}

/** What was shown of changes of applications. */
export type Previews = StoredPlans<SavePreview>;

/** Where an act of a person happens. */
export interface Place {
  readonly ns: string;
  readonly name: string;
}

/** What a command made or changed. */
export interface Accepted {
  readonly accepted: { readonly kind: string; readonly ns: string | null; readonly name: string; readonly uid: string | null };
}

/** Who wrote a field, as the API server notes it for everything a person does here. */
export const FIELD_MANAGER = 'slipway.dev/console';

/** Where an application lives. */
export function applicationAt({ ns, name }: Place): ObjectAddress {
  return { ...KINDS.application, namespace: ns, name };
}

/** Where the rollout of an application lives. */
export function rolloutAt({ ns, name }: Place): ObjectAddress {
  return { ...KINDS.rolloutOrchestrator, namespace: ns, name };
}

/** Reads an object as the person, by whatever version its kind is served; absent is not-found with a sentence. */
export async function readAs(deps: CommandDeps, session: Session, at: ObjectAddress): Promise<KubeObject> {
  const found = await getServed(deps.cluster.as(session.person), at);
  if (found === undefined) throw new AppError('not-found', `there is no ${describeObject(at)}`);
  return found;
}

/** Refuses, with the sentence why, what only an engine carries out that does not drive: nobody would answer. */
export function requireEngine({ installation }: CommandDeps, engine: EngineName): void {
  const { why } = installation.stateOf(engine);
  if (why !== null) throw new AppError('unavailable', why);
}

/** An object as an answer names it. */
export function toAccepted({ kind, metadata }: KubeObject): Accepted {
  return { accepted: { kind, ns: metadata.namespace ?? null, name: metadata.name ?? '', uid: metadata.uid ?? null } };
}
