import type { RecordEntry } from '@/lib/contract/record-entry';
import type { DecisionVerb, StageDecisionSpec } from '@/lib/contract/stage-decision';
import { readField, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress, ObjectKey, TypeRef } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import { formatRollout } from '@/lib/words/format-rollout';
import type { Engine, EngineDeps, RecordState } from '@/server/framework';
import type { Cluster, PatchBody } from '@/server/kube';
import { createMetrics, createRandom } from '@/server/platform';
import type { RolloutDescription } from '@/server/rollout';
import { createDecisionsEngine, createRolloutEngine, describeRollout, observeObjects, rolloutDigest } from '@/server/rollout';
import { readHorizontalAutoscaler } from '@/server/rollout/horizontal-autoscaler';
import { ManualClock } from '@/test/support/manual-clock';
import { FakeApiServer } from '../../support/dispatch-server';
import { FakeInformers } from '../../support/fake-informers';
import { liveStatusOf } from '../../support/live-status';
import { createSeededIds } from '../../support/seeded-ids';
import { silentLog } from '../../support/silent-log';

export const NS = 'shop';
const POD_START_MS = 1000;
const HPA_LOOKS_MS = 15_000;

/** The rollout engine on the fake API server, with a Deployment controller that needs a second for every change. */
export class EngineRig implements AsyncDisposable {
  readonly server = new FakeApiServer();
  readonly clock = new ManualClock();
  readonly record = new Map<string, RecordEntry>();
  /** Revisions whose pods never become ready. */
  readonly broken = new Set<string>();
  /** Pods come and go one after another, so far apart; undefined: all at once. */
  podEveryMs: number | undefined;
  /** Why nobody may decide now. */
  decisionsBlockedReason: string | null = null;
  /** The one verb that holds for; undefined: for all. */
  blockedVerb: DecisionVerb | undefined;
  /** How the record stands. */
  recordStanding: RecordState = 'open';
  /** So many turns it takes to put an entry on record. */
  recordTurns = 0;
  /** Writes that reached the server, and entries put on record, in order. */
  readonly order: string[] = [];
  /** Entries that cannot be put on record. */
  unrecorded: ((entry: RecordEntry) => boolean) | undefined;
  /** Writes that reached the server, `verb Kind/name`, in order. */
  readonly writes: string[] = [];
  /** Writes of statuses that were sent, with their moments. */
  readonly statusWrites: { readonly at: Instant; readonly kind: string; readonly name: string }[] = [];
  /** Writes that were sent, those that the server refused included. */
  readonly sent: string[] = [];
  readonly informers = new FakeInformers(this.server);
  /** Why an engine does not drive; null while it does. */
  readonly idle: { application: string | null; rollout: string | null } = { application: null, rollout: null };
  /** Which shards the replica acts on. */
  acts = (_shard: ObjectKey): boolean => true;
  /** False while the store does not say what is on record. */
  recordTells = true;
  #engine: Engine | undefined;
  #decisionsEngine: Engine | undefined;
  #crashAt = Number.POSITIVE_INFINITY;
  #decisions = 0;

  constructor() {
    this.#watchDeployments();
  }

  get crashed(): boolean {
    return this.writes.length >= this.#crashAt;
  }

  /** The process ends when the answer to its nth write arrives. */
  crashAtWrite(n: number): void {
    this.#crashAt = n;
  }

  async start(): Promise<this> {
    const deps = this.#deps();
    this.#engine = createRolloutEngine(
      { ...deps, mayAct: (shard) => !this.crashed && this.idle.rollout === null && (shard === undefined || this.acts(shard)) },
      { status: liveStatusOf(this.informers, this.clock), noRollbackReason: () => this.idle.application },
    );
    this.#decisionsEngine = createDecisionsEngine(deps, (engine) => this.idle[engine]);
    await Promise.all([this.#engine.start(), this.#decisionsEngine.start()]);
    await this.clock.settle();
    return this;
  }

  #deps(): EngineDeps {
    const random = createRandom(5);
    return {
      cluster: this.#port() as unknown as Cluster, // the engine uses no more of the port than the fake has
      informers: this.informers,
      clock: this.clock,
      random,
      ids: createSeededIds(random),
      log: silentLog,
      metrics: createMetrics(),
      mayAct: () => !this.crashed,
      decisionsBlockedReason: (verb) => (this.blockedVerb === undefined || this.blockedVerb === verb ? this.decisionsBlockedReason : null),
      recordState: async () => this.recordStanding,
      record: async (entry) => {
        for (let turn = 0; turn < this.recordTurns; turn++) await Promise.resolve();
        this.order.push(`record ${entry.action}`);
        if (this.unrecorded?.(entry)) throw new Error('the store is away');
        if (!this.record.has(entry.id)) this.record.set(entry.id, entry);
      },
      onRecord: async (ids) => new Set(this.recordTells ? ids.filter((id) => this.record.has(id)) : []),
    };
  }

  /** A new process on the same cluster. */
  async restart(): Promise<void> {
    await this.#stop();
    this.#crashAt = Number.POSITIVE_INFINITY;
    await this.start();
  }

  async deploy(name: string, replicas: number, labelled = true): Promise<void> {
    const labels = { 'serving.knative.dev/revision': name, 'serving.knative.dev/service': 'web' };
    await this.server.create({
      ...KINDS.deployment,
      metadata: { name, namespace: NS, labels },
      spec: {
        replicas,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: labelled ? { app: name, ...labels } : { app: name } } },
      },
    });
    await this.clock.advance(POD_START_MS);
  }

  /** Gives a workload an HPA that holds its bounds, and reads no metrics. */
  async autoscale(name: string, minReplicas: number, maxReplicas: number): Promise<void> {
    const { apiVersion, kind } = KINDS.deployment;
    const spec = { minReplicas, maxReplicas, scaleTargetRef: { apiVersion, kind, name } };
    await this.server.create({ ...KINDS.horizontalPodAutoscaler, metadata: { name, namespace: NS }, spec });
    const looks = (): void => {
      this.clock.schedule(HPA_LOOKS_MS, () => void this.#lookOfHpa(name).then(looks));
    };
    looks();
  }

  async roll(spec: object): Promise<void> {
    const live = this.server.peek({ ...KINDS.rolloutOrchestrator, namespace: NS, name: 'web' });
    if (live === undefined) await this.server.create({ ...KINDS.rolloutOrchestrator, metadata: { name: 'web', namespace: NS }, spec });
    else await this.server.update({ ...live, spec: { ...(live.spec as object), ...spec } });
    await this.clock.settle();
  }

  get(type: TypeRef, name: string): KubeObject | undefined {
    return this.server.peek({ ...type, namespace: NS, name });
  }

  /** Passes over rollouts so far. */
  get passes(): number {
    return this.#engine?.controllers[0]?.stats().passes ?? 0;
  }

  /** Passes that failed so far, of every controller. */
  get failures(): number {
    const controllers = [this.#engine, this.#decisionsEngine].flatMap((engine) => engine?.controllers ?? []);
    return controllers.reduce((sum, controller) => sum + controller.stats().failures, 0);
  }

  /** Writes into the status of a workload what its controller writes there beside what the rig does. */
  async tell(name: string, status: object): Promise<void> {
    const live = this.get(KINDS.deployment, name);
    if (live !== undefined)
      await this.server.update({ ...live, status: { ...(live.status as object), ...status } }, { subresource: 'status' });
    await this.clock.advance(1);
  }

  get rollout(): KubeObject {
    const found = this.get(KINDS.rolloutOrchestrator, 'web');
    if (found === undefined) throw new Error('no rollout web');
    return found;
  }

  /** What everybody is told, from the objects of the cluster. */
  get told(): RolloutDescription {
    const of = (kind: string) => this.server.all().filter((object) => object.kind === kind);
    const [autoscalers, workloads, scalers] = [of('StagePodAutoscaler'), of('Deployment'), of('HorizontalPodAutoscaler')];
    return describeRollout(
      observeObjects({ rollout: this.rollout, autoscalers, workloads, scalers, pods: of('Pod') }, this.clock.now()),
      this.clock.now(),
    );
  }

  /** Why it waits, in a sentence. */
  get sentence(): string {
    return formatRollout(this.told.waitsFor.message);
  }

  control(field: string): unknown {
    return readField(this.rollout, 'status', 'control', field);
  }

  replicas(name: string): number | undefined {
    return readNumber(this.get(KINDS.deployment, name), 'spec', 'replicas');
  }

  bounds(name: string): unknown {
    return this.get(KINDS.stagePodAutoscaler, name)?.spec;
  }

  /** Puts a pod of a revision in place, terminating or not, ready or not. */
  seedPod(name: string, labels: Readonly<Record<string, string>>, more: Partial<KubeObject['metadata']> = {}, ready = false): void {
    const conditions = ready ? [{ type: 'Ready', status: 'True', lastTransitionTime: toKubeTime(this.clock.now()) }] : [];
    this.server.seed({ ...KINDS.pod, metadata: { name, namespace: NS, labels, ...more }, status: { phase: 'Running', conditions } });
  }

  /** Creates a decision about what is on the screen now, and answers what became of it. */
  async decide(spec: Partial<StageDecisionSpec> & Pick<StageDecisionSpec, 'verb'>, user = 'ann'): Promise<KubeObject> {
    const name = `decision-${++this.#decisions}`;
    const { uid } = this.rollout.metadata;
    await this.server.create({
      ...KINDS.stageDecision,
      metadata: { name, namespace: NS, creationTimestamp: toKubeTime(this.clock.now()) },
      spec: {
        rolloutRef: { name: 'web', uid },
        stage: this.told.completedStages,
        revision: readString(this.rollout, 'spec', 'targetRevisions', 0, 'revisionName'),
        reason: 'because',
        actor: { user, groups: [] },
        seen: { rollout: rolloutDigest(this.rollout) },
        ...spec,
      },
    });
    await this.clock.settle();
    const found = this.get(KINDS.stageDecision, name);
    if (found === undefined) throw new Error(`decision ${name} is gone`);
    return found;
  }

  /** The server as the engine's process reaches it: writes are counted, and after the crash nothing gets through. */
  #port(): object {
    const { server } = this;
    const write = async (line: string, work: () => Promise<KubeObject>): Promise<KubeObject> => {
      if (this.crashed) throw new Error('the process is gone');
      this.sent.push(line);
      const answer = await work();
      this.writes.push(line);
      this.order.push(line);
      if (this.crashed) throw new Error('the process is gone');
      return answer;
    };
    type Named = { readonly kind: string; readonly metadata: { readonly name?: string } };
    const lineOf = (verb: string, { kind, metadata }: Named) => `${verb} ${kind}/${metadata.name ?? ''}`;
    return {
      discovery: server.discovery,
      get: server.get.bind(server),
      list: server.list.bind(server),
      // Everybody may do everything here; what nobody may is tested on clusters that know rights.
      create: async (object: KubeObject) =>
        object.kind === 'SubjectAccessReview'
          ? { ...object, status: { allowed: true } }
          : write(lineOf('create', object), () => server.create(object)),
      update: (object: KubeObject, options: { readonly subresource?: string }) => {
        if (options.subresource === 'status')
          this.statusWrites.push({ at: this.clock.now(), kind: object.kind, name: object.metadata.name ?? '' });
        return write(lineOf('update', object), () => server.update(object, options));
      },
      patch: (at: ObjectAddress, patch: PatchBody, options: { readonly subresource?: string }) => {
        if (options.subresource === 'status') this.statusWrites.push({ at: this.clock.now(), kind: at.kind, name: at.name });
        return write(`patch ${at.kind}/${at.name}`, () => server.patch(at, patch));
      },
      delete: (at: ObjectAddress, options: object) => write(`delete ${at.kind}/${at.name}`, () => server.delete(at, options)),
    };
  }

  async #stop(): Promise<void> {
    const ending = Promise.all([this.#engine, this.#decisionsEngine].map((engine) => engine?.[Symbol.asyncDispose]()));
    await this.clock.advance(20_000); // a pass that hangs on a lost answer is cut off
    await ending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }

  async #lookOfHpa(name: string): Promise<void> {
    const live = this.get(KINDS.deployment, name);
    const hpa = this.get(KINDS.horizontalPodAutoscaler, name);
    const replicas = this.replicas(name) ?? 0;
    if (live === undefined || hpa === undefined || replicas === 0) return;
    const { range } = readHorizontalAutoscaler(hpa);
    const held = Math.min(Math.max(replicas, range.min), range.max);
    if (held !== replicas) await this.server.update({ ...live, spec: { ...(live.spec as object), replicas: held } });
  }

  #watchDeployments(): void {
    this.server.watchers.add((_before, after) => {
      if (after?.kind !== 'Deployment') return;
      const { name = '', generation } = after.metadata;
      if (readNumber(after, 'status', 'observedGeneration') === generation) return;
      this.clock.schedule(POD_START_MS, () => void this.#observe(name));
    });
  }

  async #observe(name: string): Promise<void> {
    const live = this.get(KINDS.deployment, name);
    if (live === undefined) return;
    const replicas = readNumber(live, 'spec', 'replicas') ?? 1;
    const before = readNumber(live, 'status', 'readyReplicas') ?? 0;
    const next = this.podEveryMs === undefined ? replicas : before + Math.sign(replicas - before);
    const ready = this.broken.has(name) ? 0 : next;
    const conditions = [
      { type: 'Available', status: ready >= replicas ? 'True' : 'False', lastTransitionTime: toKubeTime(this.clock.now()) },
    ];
    const status = { observedGeneration: live.metadata.generation, replicas, readyReplicas: ready, availableReplicas: ready, conditions };
    if (JSON.stringify(status) !== JSON.stringify(live.status)) await this.server.update({ ...live, status }, { subresource: 'status' });
    if (this.podEveryMs !== undefined && ready !== replicas && !this.broken.has(name))
      this.clock.schedule(this.podEveryMs, () => void this.#observe(name));
  }
}

/** A rollout from `web-v1` with four replicas to `web-v2`, as far as it gets within a minute: to its first gate, where it has one. */
export async function aRolloutUnderWay(spec: object): Promise<EngineRig> {
  const rig = await new EngineRig().start();
  await rig.deploy('web-v1', 4);
  await rig.deploy('web-v2', 0);
  await rig.roll(spec);
  await rig.clock.advance(60_000);
  return rig;
}
