import { isAppError } from '@/lib/contract/app-error';
import type { SavePreview, WaitingPage } from '@/lib/contract/change-rows';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { getCondition } from '@/lib/kube/condition';
import { readString } from '@/lib/kube/fields';
import { KINDS, VALUES_OF } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import { toObjectId, toObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { createApplicationEngine, createChangePlanner } from '@/server/application';
import type { Session } from '@/server/auth';
import { createAuth } from '@/server/auth';
import type { Commands } from '@/server/commands';
import { createCommands } from '@/server/commands';
import type { ObjectReader, StoredPlan } from '@/server/commands/command-deps';
import type { TextAnswer, TextTask } from '@/server/commands/editor/answer-text';
import { answerText } from '@/server/commands/editor/answer-text';
import { createTextReader } from '@/server/commands/editor/text-reader';
import { LABEL } from '@/server/dispatch';
import { startEmbedded } from '@/server/embedded';
import type { Engine } from '@/server/framework';
import { installMissing } from '@/server/installation';
import type { Cluster, Informers } from '@/server/kube';
import { createInformers, isNoMatch, isNotFound } from '@/server/kube';
import { createMetrics, createRandom, Lifetimes } from '@/server/platform';
import { TrackedObjects } from '@/server/readmodel/applications/tracked';
import { ClusterView } from '@/server/readmodel/cluster-view';
import type { PlanDeps } from '@/server/readmodel/trackers/plan-against';
import { viewWaiting } from '@/server/readmodel/trackers/waiting';
import { createRolloutEngine } from '@/server/rollout';
import { ManualClock } from '@/test/support/manual-clock';
import { createFakeStore } from '../../server/auth/rig';
import { readDeployed } from '../definitions';
import { driven } from '../house';
import { liveStatusOf } from '../live-status';
import { createSeededIds } from '../seeded-ids';
import { silentLog } from '../silent-log';
import { Connection } from './connection';
import type { Contents } from './contents';
import { CONTENTS, contentOf } from './contents';
import type { Who } from './people';
import { BINDING, bindingOf, ENGINE, rightsAndKinds } from './people';

/** No preview looks at objects beyond its own. */
const NOTHING_SEEN: ObjectReader = {
  healthOf: () => ({ health: 'Unknown', message: '' }),
  below: () => ({ objects: [], more: 0 }),
  latest: (object) => object,
  isPartOf: () => false,
  applicationsOf: () => [],
  namespacesOf: () => [],
  find: () => [],
};

/** The product's own commands and engines over one simulated cluster, in a namespace for each run. */
export class PreviewWorld implements AsyncDisposable {
  /** True where deployments get pods, so that rollouts come to an end; without, only the API server and the engines move. */
  readonly isAlive: boolean;
  readonly clock = new ManualClock();
  readonly #lifetimes = new Lifetimes(silentLog);
  readonly #random = createRandom(11);
  readonly #ids = createSeededIds(this.#random);
  readonly previews = new Map<string, StoredPlan<SavePreview>>();
  readonly record: RecordEntry[] = [];
  /** What the engines read and write over. */
  readonly connection = new Connection();
  /** Why no engine of applications drives, from the next start of the engines on. */
  applicationsAreHeld: string | null = null;
  #cluster: Cluster | undefined;
  #commands: Commands | undefined;
  /** One for planner and engines, as in the product. */
  #informers: Informers | undefined;
  #engines: readonly Engine[] = [];
  #pages: PlanDeps | undefined;
  #read: { readonly key: string; readonly answer: TextAnswer } | undefined;

  /** Engines that may act as nobody, as where the server's role gives no impersonation. */
  readonly #mayImpersonate: boolean;

  constructor({ isAlive = false, mayImpersonate = true }: { readonly isAlive?: boolean; readonly mayImpersonate?: boolean } = {}) {
    this.isAlive = isAlive;
    this.#mayImpersonate = mayImpersonate;
  }

  get cluster(): Cluster {
    if (this.#cluster === undefined) throw new Error('the world is not open yet');
    return this.#cluster;
  }

  get commands(): Commands {
    if (this.#commands === undefined) throw new Error('the world is not open yet');
    return this.#commands;
  }

  async open(): Promise<this> {
    const { clock } = this;
    const random = this.#random;
    const ids = this.#ids;
    const embedded = await this.drive(startEmbedded({ clock, random, ids, log: silentLog, nodes: 1, controllers: this.isAlive }));
    this.#lifetimes.use('cluster', embedded);
    const { cluster } = embedded;
    this.#cluster = cluster;
    await this.drive(installMissing(await readDeployed('deploy/crds'), { cluster, clock, log: silentLog }));
    await this.drive(this.#giveAllRights());
    const { store } = createFakeStore();
    const auth = createAuth({
      mode: 'local',
      instance: 'test',
      maxSessions: 10,
      maxSignIns: 10,
      host: '127.0.0.1',
      secure: false,
      mayInvite: false,
      store: async () => store,
      cluster,
      clock,
      ids,
      log: silentLog,
    });
    const informers = this.#lifetimes.use('informers', createInformers({ cluster, clock, random, log: silentLog }));
    this.#informers = informers;
    const planner = createChangePlanner({ cluster, informers, clock });
    this.#lifetimes.defer('planner', () => planner[Symbol.dispose]());
    this.#commands = createCommands({
      cluster,
      auth,
      clock,
      ids,
      terminals: false,
      nothingRuns: undefined,
      notCountedReason: () => null,
      countedAlreadyReason: () => null,
      notDeletedReason: () => null,
      approvedAlreadyReason: () => null,
      consequencesOf: () => null,
      consequencesShown: { keep: async () => undefined, read: async () => undefined },
      planner,
      previews: { keep: async (kept) => void this.previews.set(kept.digest, kept), read: async (digest) => this.previews.get(digest) },
      texts: createTextReader(async (_owner, task) => ({ kind: 'answered', answer: this.#answer(task) })),
      desiredOf: () => ({ uncompared: 'nothing is compared here' }),
      blastRadiusOf: () => [],
      podsOf: () => ({ pods: () => [], onChange: () => () => undefined }),
      objectReader: NOTHING_SEEN,
      freshness: () => ({ stale: null }),
      installation: { decisionsBlockedReason: () => null, stateOf: () => ({ mode: 'drive', why: null }), dropped: () => null },
      requireRecord: async () => undefined,
      recordStop: async (entry) => void this.record.push(entry),
      record: async (entry) => void this.record.push(entry),
    });
    await this.startEngines();
    return this;
  }

  /** The same text, sent once more, is read once. */
  #answer(task: TextTask): TextAnswer {
    const key = JSON.stringify(task);
    if (this.#read?.key !== key) this.#read = { key, answer: answerText(task) };
    return this.#read.answer;
  }

  async #giveAllRights(): Promise<void> {
    for (const object of rightsAndKinds()) await this.cluster.create(object);
  }

  async startEngines(): Promise<void> {
    const { cluster, clock } = this;
    const informers = this.#informers;
    if (informers === undefined) throw new Error('the world is not open yet');
    const deps = {
      cluster: this.connection.over(this.#mayImpersonate ? cluster : cluster.as(ENGINE)),
      informers,
      clock,
      random: this.#random,
      ids: this.#ids,
      log: silentLog,
      metrics: createMetrics(),
      mayAct: () => true,
      record: async (entry: RecordEntry) => void this.record.push(entry),
    };
    const status = liveStatusOf(informers, clock);
    // Where no pod ever starts there is nothing to roll out.
    const held = this.applicationsAreHeld;
    const application = held === null ? [createApplicationEngine(deps, { status })] : [];
    const rollout = this.isAlive ? [createRolloutEngine(deps, { status, noRollbackReason: () => held })] : [];
    const engines: Engine[] = [...application, ...rollout];
    await this.drive(Promise.all(engines.map((engine) => engine.start())));
    this.#engines = engines;
  }

  /** Takes every right from somebody. */
  async takeRights(who: Who): Promise<void> {
    await this.drive(this.cluster.delete({ ...BINDING, name: who }));
  }

  async giveRights(who: Who): Promise<void> {
    await this.drive(this.cluster.create(bindingOf(who)));
  }

  async stopEngines(): Promise<void> {
    for (const one of this.#engines) await this.drive(Promise.resolve(one[Symbol.asyncDispose]()));
    this.#engines = [];
  }

  drive<T>(work: Promise<T>): Promise<T> {
    return driven(this.clock, work);
  }

  session(who: Who): Session {
    return {
      id: who,
      mode: 'local',
      user: who,
      groups: [],
      person: { user: who, groups: [] },
      mayInvite: false,
      expiresAt: (this.clock.now() + 86_400_000) as Instant, // far from now
    };
  }

  async get(at: ObjectAddress): Promise<KubeObject | undefined> {
    try {
      return await this.drive(this.cluster.get(at));
    } catch (error) {
      if (isNotFound(error) || isNoMatch(error)) return undefined;
      throw error;
    }
  }

  application(ns: string): Promise<KubeObject | undefined> {
    return this.get({ ...KINDS.application, namespace: ns, name: 'web' });
  }

  /** What applications could have in these namespaces. */
  async contents(namespaces: readonly string[]): Promise<Contents> {
    const found = new Map<string, { readonly uid: string; readonly content: string }>();
    for (const namespace of namespaces) {
      for (const type of CONTENTS) {
        for (const object of await this.drive(this.#list({ ...type, namespace }))) {
          // Values that an application refers to are kept beside its revisions, and like those they are no content of it.
          if (object.metadata.name === 'kube-root-ca.crt' || object.metadata.labels?.[VALUES_OF] !== undefined) continue;
          const id = toObjectId({ ...type, namespace, name: object.metadata.name ?? '' });
          found.set(id, { uid: object.metadata.uid ?? '', content: contentOf(object) });
        }
      }
    }
    return found;
  }

  async #list(of: TypeRef & { readonly namespace: string }): Promise<readonly KubeObject[]> {
    const items: KubeObject[] = [];
    try {
      for await (const page of this.cluster.list(of)) items.push(...page.items);
    } catch (error) {
      if (!isNoMatch(error) && !isNotFound(error)) throw error;
    }
    return items;
  }

  /** Takes these namespaces away with everything in them, and the trackers of their applications, so that later runs do not carry it along. */
  async clear(namespaces: readonly string[]): Promise<void> {
    const kinds = [
      KINDS.application,
      KINDS.applicationRevision,
      KINDS.rolloutOrchestrator,
      KINDS.stagePodAutoscaler,
      KINDS.stageDecision,
      ...CONTENTS,
    ];
    for (const namespace of namespaces) {
      for (const held of await this.drive(this.#list({ ...KINDS.application, namespace })))
        await this.drive(this.cluster.update({ ...held, metadata: { ...held.metadata, finalizers: [] } }));
      for (const kind of kinds) await this.drive(this.cluster.deleteCollection({ ...kind, namespace }));
      const labelSelector = `${LABEL.appNamespace}=${namespace}`;
      await this.drive(this.cluster.deleteCollection(KINDS.resourceTracker, { labelSelector }));
      await this.drive(this.cluster.delete({ ...KINDS.namespace, name: namespace }));
    }
  }

  /** Asks what a change does; undefined for one that is refused as it is written. */
  async dryRun(who: Who, manifest: KubeObject): Promise<SavePreview | undefined> {
    const answer = await this.#send(() =>
      this.commands.applyApplication(this.session(who), { manifest: JSON.stringify(manifest), dryRun: true }),
    );
    return answer !== undefined && 'changes' in answer ? answer : undefined;
  }

  async #send<T>(send: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.drive(send());
    } catch (error) {
      if (isAppError(error) && ['invalid', 'forbidden', 'rejected'].includes(error.code)) return undefined;
      throw error;
    }
  }

  async isMoved(ns: string): Promise<boolean> {
    return (await this.appliedReason(ns)) === 'PlanMoved';
  }

  /** Why the application is applied or not. */
  async appliedReason(ns: string): Promise<string | undefined> {
    const application = await this.application(ns);
    return application && getCondition(application, 'Applied')?.reason;
  }

  rollout(ns: string): Promise<KubeObject | undefined> {
    return this.get({ ...KINDS.rolloutOrchestrator, namespace: ns, name: 'web' });
  }

  /** What waits for a decision before it is collected, as its page shows it; undefined where nothing does. */
  async waiting(ns: string): Promise<WaitingPage | undefined> {
    const application = await this.application(ns);
    if (application === undefined || getCondition(application, 'Collected')?.reason !== 'Held') return undefined;
    const look = () => viewWaiting(toObjectKey({ namespace: ns, name: 'web' }), {}, this.#seen());
    look(); // opens the copies of kinds that nobody looked at yet
    await this.clock.advance(1_000);
    return look();
  }

  /** The copies that pages are made from. */
  #seen(): PlanDeps {
    if (this.#pages === undefined) {
      if (this.#informers === undefined) throw new Error('the world is not open yet');
      const view = this.#lifetimes.use('pages', new ClusterView(this.#informers, this.clock));
      this.#pages = { view, tracked: new TrackedObjects(view) };
    }
    return this.#pages;
  }

  /** Deletes the other applications of a namespace; answers how many. */
  async removeRivals(namespace: string): Promise<number> {
    const rivals = (await this.drive(this.#list({ ...KINDS.application, namespace }))).filter(({ metadata }) => metadata.name !== 'web');
    for (const { metadata } of rivals)
      await this.drive(this.cluster.delete({ ...KINDS.application, namespace, name: metadata.name ?? '' }));
    return rivals.length;
  }

  /** What became of the newest decision. */
  async lastDecision(ns: string): Promise<string | undefined> {
    const all = await this.drive(this.#list({ ...KINDS.stageDecision, namespace: ns }));
    const versionOf = ({ metadata }: KubeObject) => metadata.creationTimestamp ?? '';
    const last = all.toSorted((left, right) => (versionOf(left) < versionOf(right) ? -1 : 1)).at(-1);
    return last && readString(last, 'status', 'phase');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopEngines();
    await this.drive(this.#lifetimes[Symbol.asyncDispose]());
  }
}
