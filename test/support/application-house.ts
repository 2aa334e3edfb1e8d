import type { RecordEntry } from '@/lib/contract/record-entry';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { toKubeTime } from '@/lib/std/instant';
import type { ChangePlan } from '@/server/application';
import { createApplicationEngine, createChangePlanner } from '@/server/application';
import { withPreviewedPlan } from '@/server/application/plan/previewed-plan';
import { readTracker } from '@/server/dispatch';
import type { Engine } from '@/server/framework';
import type { Cluster } from '@/server/kube';
import { createMetrics, createRandom, realClock } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { FakeApiServer } from './dispatch-server';
import { FakeInformers } from './fake-informers';
import { liveStatusOf } from './live-status';
import { createSeededIds } from './seeded-ids';
import { silentLog } from './silent-log';

const NS = 'shop';

/** The application engine on the fake API server; the rollout engine is played by the test. */
export class ApplicationHouse implements AsyncDisposable {
  readonly server = new FakeApiServer();
  readonly clock = new ManualClock();
  readonly record = new Map<string, RecordEntry>();
  informers = new FakeInformers(this.server);
  readonly #engines: Engine[] = [];
  #acts = 0;

  async start(): Promise<this> {
    this.server.establishes = true;
    this.informers = new FakeInformers(this.server);
    await this.startAnother(this.informers);
    return this;
  }

  /** One more engine over the same cluster, with copies and perhaps a connection of its own. */
  async startAnother(informers = new FakeInformers(this.server), cluster: object = this.server): Promise<Engine> {
    const random = createRandom(3);
    const engine = createApplicationEngine(
      {
        cluster: cluster as Cluster, // the engine uses no more of the port than the fake has
        informers,
        clock: this.clock,
        random,
        ids: createSeededIds(random),
        log: silentLog,
        metrics: createMetrics(),
        mayAct: () => true,
        record: async (entry) => {
          if (!this.record.has(entry.id)) this.record.set(entry.id, entry);
        },
      },
      { status: liveStatusOf(informers, this.clock) },
    );
    this.#engines.push(engine);
    await engine.start();
    await this.clock.settle();
    return engine;
  }

  /** Applies an Application as a person with kubectl would, and lets the engine work. */
  async apply(spec: unknown, name = 'web'): Promise<void> {
    const at = { ...KINDS.application, namespace: NS, name };
    const live = this.server.peek(at);
    if (live === undefined) await this.server.create({ ...KINDS.application, metadata: { name, namespace: NS }, spec });
    else await this.server.update({ ...live, spec });
    await this.clock.settle();
  }

  /** The application as it would be with another spec. */
  #next(spec: unknown, name: string): KubeObject {
    const live = this.server.peek({ ...KINDS.application, namespace: NS, name });
    return live === undefined ? { ...KINDS.application, metadata: { name, namespace: NS }, spec } : { ...live, spec };
  }

  /** What a change would do, as the console previews it. */
  async plan(spec: unknown, name = 'web'): Promise<ChangePlan> {
    using planner = createChangePlanner({ cluster: this.server as object as Cluster, informers: this.informers, clock: realClock }); // no more of the port is used
    return await planner.plan(this.#next(spec, name));
  }

  /** Applies an Application as the console does: with the plan that was seen, by default what it would do now. Answers that plan. */
  async applySeen(spec: unknown, seen?: ChangePlan, name = 'web'): Promise<ChangePlan> {
    const plan = seen ?? (await this.plan(spec, name));
    const next = withPreviewedPlan(
      this.#next(spec, name),
      { digest: plan.digest, act: `act-${++this.#acts}` },
      { user: 'ada', groups: ['ops'] },
    );
    await (next.metadata.uid === undefined ? this.server.create(next) : this.server.update(next));
    await this.clock.settle();
    return plan;
  }

  get(type: TypeRef, name: string): KubeObject | undefined {
    return this.server.peek({ ...type, namespace: NS, name });
  }

  application(name = 'web'): KubeObject {
    const found = this.get(KINDS.application, name);
    if (found === undefined) throw new Error(`no application ${name}`);
    return found;
  }

  latest(name = 'web'): string | undefined {
    return readString(this.application(name), 'status', 'latestRevision', 'name');
  }

  phase(name = 'web'): string | undefined {
    return readString(this.application(name), 'status', 'status');
  }

  condition(type: string, name = 'web'): { readonly status: string; readonly reason: string; readonly message: string } | undefined {
    const list = readField(this.application(name), 'status', 'conditions');
    return Array.isArray(list) ? list.find((one: { type: string }) => one.type === type) : undefined;
  }

  /** What a tracker lists, as `Kind/name`; undefined when it is gone. */
  tracked(name: string): readonly string[] | undefined {
    const found = this.server.peek({ ...KINDS.resourceTracker, name });
    return found && readTracker(found).entries.map((entry) => `${entry.kind}/${entry.name}`);
  }

  deployments(): readonly string[] {
    return this.server
      .all()
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata }) => metadata.name ?? '');
  }

  /** Writes that reached the server since the last call, statuses of applications aside. */
  takeWrites(): readonly string[] {
    const writes = this.server.requests.filter(
      ({ verb, kind }) => ['create', 'patch', 'update', 'delete'].includes(verb) || (verb === 'updateStatus' && kind === 'ResourceTracker'),
    );
    const seen = writes.map(({ verb, key }) => `${verb} ${key.split('|')[1]}/${key.split('|')[3]}`);
    this.server.requests.length = 0;
    return seen;
  }

  /** Plays the rollout engine: the target is reached and ready. */
  async finishRollout(control: object = {}, name = 'web'): Promise<void> {
    const asked = this.get(KINDS.rolloutOrchestrator, name);
    if (asked === undefined) throw new Error(`no rollout ${name}`);
    const [target] = readField(asked, 'spec', 'targetRevisions') as readonly { readonly revisionName: string }[];
    const stage = [{ ...target, percent: 100 }];
    const lastTransitionTime = toKubeTime(this.clock.now());
    const conditions = ['LastStageReady', 'Ready', 'StageReady'].map((type) => ({ type, status: 'True', lastTransitionTime }));
    const status = { observedGeneration: asked.metadata.generation, conditions, stageRevisionStatus: stage, control };
    this.server.seed({ ...asked, spec: { ...(asked.spec as object), stageTargetRevisions: stage }, status });
    await this.clock.settle();
  }

  /** Sets the status of the rollout to something under way. */
  async setRolloutStatus(status: object, name = 'web'): Promise<void> {
    const rollout = this.get(KINDS.rolloutOrchestrator, name);
    if (rollout === undefined) throw new Error(`no rollout ${name}`);
    await this.server.update({ ...rollout, status }, { subresource: 'status' });
    await this.clock.settle();
  }

  /** Creates a decision about the application. */
  async decide(spec: object, name = 'web'): Promise<KubeObject> {
    const { uid = '' } = this.application(name).metadata;
    const decisions = this.server.all().filter(({ kind }) => kind === 'StageDecision').length;
    const created = await this.server.create({
      ...KINDS.stageDecision,
      metadata: { name: `decision-${decisions}`, namespace: NS },
      spec: { applicationRef: { name, uid }, verb: 'approve', actor: { user: 'ada', groups: ['ops'] }, ...spec },
    });
    await this.clock.settle();
    return this.get(KINDS.stageDecision, created.metadata.name ?? '') ?? created;
  }

  /** Stops the engine as a crash would, and starts a new one. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    for (const engine of this.#engines.splice(0)) await engine[Symbol.asyncDispose]();
    this.server.watchers.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
