import type { SavePreview } from '@/lib/contract/change-rows';
import type { RecordEntry } from '@/lib/contract/record-entry';
import type { DecisionRequest } from '@/lib/contract/requests';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { createChangePlanner } from '@/server/application';
import type { Session } from '@/server/auth';
import type { Commands, TextReader } from '@/server/commands';
import { createCommands } from '@/server/commands';
import type { CommandDeps, ObjectReader, StoredPlan } from '@/server/commands/command-deps';
import { answerText } from '@/server/commands/editor/answer-text';
import { createTextReader } from '@/server/commands/editor/text-reader';
import type { OwnedPod } from '@/server/commands/logs/pod-source';
import type { DesiredObject, NotCompared } from '@/server/dispatch';
import type { OwnRights } from '@/server/kube';
import { realClock, systemIds } from '@/server/platform';
import { rolloutDigest } from '@/server/rollout';
import type { FakeApiServer } from '../../support/dispatch-server';
import { FakeInformers } from '../../support/fake-informers';
import type { FakeCluster, FakeRules } from '../auth/fake-cluster';
import type { AuthRig } from '../auth/rig';
import { createAuthRig } from '../auth/rig';

export const SHOP = { ns: 'shop', name: 'web' };

export interface CommandRig extends AuthRig {
  readonly commands: Commands;
  /** Reads texts on this thread, so that no test waits for another to start. */
  readonly texts: TextReader;
  readonly session: Session;
  readonly cookie: string;
  readonly recorded: RecordEntry[];
  /** What was shown of changes, by digest. */
  readonly previews: Map<string, StoredPlan<SavePreview>>;
  stale: { readonly since: string; readonly reason: string } | null;
  decisionsBlockedReason: string | null;
  /** Why the engine that would answer does not drive. */
  standing: string | null;
  /** What an engine is that does not drive. */
  mode: 'observe' | 'stopped';
  /** The same, of each engine. */
  standingOf: (engine: 'application' | 'rollout' | 'chartsync') => string | null;
  /** Why nothing can be put on record. */
  unrecorded: Error | null;
  /** What the cluster's definitions drop, as `Kind field`. */
  dropped: (kind: string, field: string, value?: string) => string | null;
  notCountedReason: CommandDeps['notCountedReason'];
  countedAlreadyReason: CommandDeps['countedAlreadyReason'];
  approvedAlready: CommandDeps['approvedAlreadyReason'];
  consequencesOf: CommandDeps['consequencesOf'];
  /** What is kept of what people were told, by decision. */
  readonly told: Map<string, StoredPlan<readonly string[]>>;
  /** What the newest revision wants of an object. */
  wanted: (at: ObjectAddress) => DesiredObject | NotCompared;
  /** What goes with any object that is deleted; `{place}` stands for the application that was told, `{how}` for what the plan says. */
  blast: readonly string[];
  /** The pods of every application, and who hears that they are others. */
  readonly pods: OwnedPod[];
  readonly podListeners: Set<() => void>;
  /** What the copies tell of objects: that all are well, and none is below another. */
  readonly sight: ObjectReader;
}

export interface CommandRules extends FakeRules {
  readonly ownRights?: OwnRights;
  readonly terminals?: boolean;
  readonly nothingRuns?: string;
  /** Signs in with a token of the cluster, in mode token. */
  readonly token?: string;
}

/** The commands over a fake cluster, with somebody signed in. */
export async function createCommandRig({
  ownRights,
  terminals = true,
  nothingRuns,
  token,
  ...rules
}: CommandRules = {}): Promise<CommandRig> {
  const base = createAuthRig({ objects: [anApplication(), aRollout()], ...rules }, token === undefined ? {} : { mode: 'token' });
  const { session, cookie } = await base.signIn(token);
  const recorded: RecordEntry[] = [];
  const previews = new Map<string, StoredPlan<SavePreview>>();
  const told = new Map<string, StoredPlan<readonly string[]>>();
  const texts = createTextReader(async (_owner, task) => ({ kind: 'answered', answer: answerText(task) }));
  const sight: ObjectReader = {
    healthOf: () => ({ health: 'Current', message: 'as wanted' }),
    below: () => ({ objects: [], more: 0 }),
    latest: (object) => object,
    isPartOf: () => false,
    applicationsOf: () => [],
    namespacesOf: ({ metadata }) => [metadata.namespace ?? 'default'],
    find: (text) => [...base.cluster.objects.values()].filter(({ metadata }) => metadata.name?.includes(text)),
  };
  const rig: CommandRig = {
    ...base,
    texts,
    session,
    cookie,
    recorded,
    stale: null,
    decisionsBlockedReason: null,
    standing: null,
    mode: 'observe',
    standingOf: () => rig.standing,
    unrecorded: null,
    dropped: () => null,
    notCountedReason: () => null,
    countedAlreadyReason: () => null,
    approvedAlready: () => null,
    consequencesOf: () => null,
    told,
    wanted: () => ({ uncompared: 'the application has no revision yet' }),
    blast: [],
    pods: [],
    podListeners: new Set(),
    sight,
    previews,
    commands: createCommands({
      planner: createChangePlanner({ cluster: base.cluster, informers: informersOver(base.cluster), clock: realClock, ownRights }),
      previews: {
        keep: async (preview) => void previews.set(preview.digest, preview),
        read: async (digest) => previews.get(digest),
      },
      consequencesOf: (place, verb) => rig.consequencesOf(place, verb),
      consequencesShown: {
        keep: async (kept) => void told.set(kept.digest, kept),
        read: async (digest) => told.get(digest),
      },
      cluster: base.cluster,
      auth: base.auth,
      clock: base.clock,
      terminals,
      nothingRuns,
      ids: systemIds,
      texts,
      desiredOf: (_place, at) => rig.wanted(at),
      blastRadiusOf: ({ ns, name }, _object, by) => {
        const how = `${by?.item.propagation ?? 'alone'} among ${by?.going.size ?? 1}`;
        return rig.blast.map((sentence) => sentence.replace('{place}', `${ns}/${name}`).replace('{how}', how));
      },
      podsOf: () => ({
        pods: () => [...rig.pods],
        onChange(listener) {
          rig.podListeners.add(listener);
          return () => void rig.podListeners.delete(listener);
        },
      }),
      notCountedReason: (release, verb, person) => rig.notCountedReason(release, verb, person),
      countedAlreadyReason: (release, decided) => rig.countedAlreadyReason(release, decided),
      notDeletedReason: () => null,
      approvedAlreadyReason: (place, approval) => rig.approvedAlready(place, approval),
      objectReader: sight,
      freshness: () => ({ stale: rig.stale }),
      installation: {
        decisionsBlockedReason: () => rig.decisionsBlockedReason,
        stateOf: (engine) => ({ mode: rig.standingOf(engine) === null ? 'drive' : rig.mode, why: rig.standingOf(engine) }),
        dropped: (kind, field, value) => rig.dropped(kind, field, value),
      },
      requireRecord: async () => {
        if (rig.unrecorded !== null) throw rig.unrecorded;
      },
      async record(entry) {
        if (rig.unrecorded !== null) throw rig.unrecorded;
        recorded.push(entry);
      },
      recordStop: async (entry) => void recorded.push(entry),
    }),
  };
  return rig;
}

/** Copies of what the fake cluster holds, never behind. */
function informersOver({ objects }: FakeCluster): FakeInformers {
  const server = { all: () => [...objects.values()], watchers: new Set() };
  return new FakeInformers(server as unknown as FakeApiServer); // copies use no more of it
}

/** An application with a web service of three replicas and some plain objects, among them a Secret. */
export function anApplication(over: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    ...KINDS.application,
    metadata: { name: 'web', namespace: 'shop', uid: 'app-uid', resourceVersion: '7', generation: 2, ...over },
    spec: {
      components: [
        { name: 'front', type: 'webservice', properties: { image: 'web:1' }, traits: [{ type: 'scaler', properties: { replicas: 3 } }] },
        { name: 'settings', type: 'k8s-objects', properties: { objects: [aSecret()] } },
      ],
    },
  };
}

export const CANARY = 'canary-a9c1e7';

/** A Secret with a planted value. */
export function aSecret(): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'key',
      namespace: 'shop',
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"stringData":{"key":"${CANARY}"}}` },
    },
    stringData: { key: CANARY },
  };
}

/** A rollout of the application. */
export function aRollout(over: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    ...KINDS.rolloutOrchestrator,
    metadata: { name: 'web', namespace: 'shop', uid: 'ro-uid', resourceVersion: '9', labels: { 'app.oam.dev/name': 'web' }, ...over },
    spec: { targetRevisions: [{ revisionName: 'front-v2', percent: 100 }], rolloutStrategy: 'availability' },
  };
}

/** A stored revision of the application that ran another image. */
export function aRevision(name: string, image: string, owner = 'app-uid'): KubeObject {
  const { spec } = anApplication() as unknown as { spec: { components: { properties: object }[] } };
  const [front, ...rest] = spec.components;
  return {
    ...KINDS.applicationRevision,
    metadata: {
      name,
      namespace: 'shop',
      uid: `${name}-uid`,
      labels: { 'app.oam.dev/name': 'web' },
      ownerReferences: [{ ...KINDS.application, name: 'web', uid: owner }],
    },
    spec: {
      application: {
        ...KINDS.application,
        metadata: { name: 'web', namespace: 'shop' },
        spec: { components: [{ ...front, properties: { image } }, ...rest] },
      },
    },
  };
}

/** A request for a decision that lacks nothing. */
export function aRequest(over: Partial<DecisionRequest> = {}): DecisionRequest {
  return {
    verb: 'approve',
    uid: 'ro-uid',
    stage: 1,
    revision: 'front-v2',
    reason: 'all is well',
    seen: { rollout: rolloutDigest(aRollout()), policy: 'both' },
    ...over,
  };
}

/** The request without one of its members. */
export function without(member: keyof DecisionRequest, request: DecisionRequest): DecisionRequest {
  return Object.fromEntries(Object.entries(request).filter(([name]) => name !== member)) as unknown as DecisionRequest;
}
