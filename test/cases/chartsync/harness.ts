import { messageOf } from '@/lib/contract/app-error';
import { Mirror } from '@/server/chartsync/git/mirror';
import { isReconcileTrigger } from '@/server/chartsync/is-reconcile-trigger';
import { ChartSync } from '@/server/chartsync/loops/chart-sync';
import { CoalescedSignal } from '@/server/chartsync/loops/coalesced-signal';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { GatePort, PlanPort, SyncReport } from '@/server/chartsync/ports';
import type { Log } from '@/server/platform';
import { realClock } from '@/server/platform';
import { FakeGit } from './fake-git';
import { FakeHelm } from './fake-helm';
import { FakeResources } from './fake-resources';
import { Faults } from './faults';
import type { Action, Case, Step, World } from './world';
import { toContent, toObject } from './world';

const QUIET_TURNS = 25;
const NEVER = new AbortController().signal;

/** What differs from a case of the specification. */
interface Otherwise {
  /** False to compare only where something moved. */
  readonly alwaysCompare?: boolean;
  readonly gate?: GatePort;
  /** What people saw of their changes. */
  readonly plans?: PlanPort;
  /** How long an act of Helm takes; no time where it is absent. */
  readonly takes?: () => Promise<void>;
  /** Hears when mirrors that no resource names may go, but for what is read. */
  readonly onKeep?: (isRead: (folder: string) => boolean) => void;
  /** Hears of everything that is done, as it is done. */
  readonly onAction?: (action: Action) => void;
}

const NO_PLANS: PlanPort = { run: async (_resource, _request, act) => void (await act()), clearPreviewedPlan: async () => undefined };
export const NO_GATE: GatePort = {
  commitFor: async () => undefined,
  dependenciesFor: () => undefined,
  archiveFor: async (_resource, { found }) => ({ chart: found }),
  isGated: () => false,
  requireCommit: async () => undefined,
  lostWhileHeld: async () => undefined,
  forget: () => undefined,
};

/** One world, the engine over it, and what it was seen to do. */
export class Harness {
  readonly actions: Action[] = [];
  readonly errors: string[] = [];
  readonly reports: SyncReport[] = [];
  readonly logs: { readonly level: string; readonly text: string }[] = [];
  readonly git: FakeGit;
  readonly helm: FakeHelm;
  readonly resources: FakeResources;
  readonly mirror: Mirror;
  readonly engine: ChartSync;
  readonly #given: World;
  readonly #faults: Faults;
  readonly #wake = new CoalescedSignal();
  readonly #running = new Set<Promise<void>>();
  #recording = false;
  #stopped = false;
  #pauses = false;
  #resume: (() => void) | undefined;

  constructor(
    { given }: Pick<Case, 'given'>,
    { alwaysCompare = true, gate = NO_GATE, plans = NO_PLANS, takes, onKeep, onAction }: Otherwise = {},
  ) {
    this.#given = given;
    this.#faults = new Faults(given.faults ?? []);
    const record = (action: Action) => {
      if (!this.#recording) return;
      this.actions.push(action);
      onAction?.(action);
    };
    this.git = new FakeGit(given.git, this.#faults, record);
    this.helm = new FakeHelm({
      given,
      git: this.git,
      faults: this.#faults,
      record,
      gate: () => this.#gate(),
      ...(takes === undefined ? {} : { takes }),
    });
    this.resources = new FakeResources(given, this.#faults);
    const log = this.#log(record);
    const repository = given.git.mirrorState === 'unconfigured' ? undefined : this.git;
    this.mirror = new Mirror({
      id: 'repo',
      repository,
      times: { pollMs: 300_000, cloneMs: 20_000, fetchMs: 20_000 },
      clock: realClock,
      log,
    });
    this.mirror.onSignal(() => this.#wake.set());
    const { branch = 'main', chartsPath = 'charts', logDiffs = false, updateDeps } = given.config ?? {};
    this.engine = new ChartSync({
      mirror: this.mirror,
      sources: {
        mirrorOf: () => this.mirror,
        keep: async (_resources, isRead) => onKeep?.(isRead),
        pull: async ({ repository: url, name, version }) => this.#pull(url, name, version),
      },
      helm: this.helm,
      objects: this.helm,
      resources: this.resources,
      values: {
        readData: (at) => this.resources.readData(at),
        fetchText: async () => undefined,
        readChartFile: async ({ path, revision }, file) =>
          this.git
            .treeAt(revision)
            .get(path)
            ?.files?.find(([name]) => name === file)?.[1],
      },
      isHeld: () => false,
      gate,
      plans,
      namespaceDeletedAt: () => undefined,
      grants: { why: async () => undefined, predict: async () => undefined, isWaiting: () => false, forget: () => undefined },
      config: {
        branch,
        chartsPath,
        logDiffs,
        alwaysCompare,
        exportsBytes: Number.POSITIVE_INFINITY,
        intervalMs: 0,
        updateDeps: { base: updateDeps ?? false, extended: updateDeps ?? true },
        listTimeoutMs: 60_000,
      },
      clock: realClock,
      log,
      notify: (report) => {
        const { resource, error } = report;
        this.reports.push(report);
        if (resource.profile === 'extended' && error !== undefined) this.errors.push(error);
      },
    });
  }

  /** Brings the engine to where the case begins. */
  async prepare(): Promise<void> {
    const { mirrorState = 'ready', mirrorError = '', engineRevision, signalPending } = this.#given.git;
    const { head, upstream } = this.git;
    this.git.upstream = engineRevision ?? head;
    await this.mirror.advance(NEVER);
    if (engineRevision !== null && mirrorState !== 'unconfigured') await this.engine.start();
    this.git.head = head;
    if (mirrorState === 'ready') await this.engine.touched(new Set([this.mirror.id])); // what is fetched by then has been taken
    await this.#breakMirror(mirrorState, mirrorError);
    this.git.head = head;
    this.git.upstream = upstream;
    this.#wake.take();
    if (signalPending) this.#wake.set();
    this.logs.length = 0;
    this.#faults.armed = true;
    this.#recording = true;
  }

  /** Plays one step; work that it starts may go on beside the next ones. */
  async play(step: Step): Promise<void> {
    if (step.pauseBefore !== undefined) this.#pauses = true;
    const work = this.#step(step).catch((error: unknown) => void this.errors.push(messageOf(error)));
    this.#running.add(work);
    void work.then(() => this.#running.delete(work));
    await quiet(() => !this.#running.has(work) || step.background === true);
  }

  /** Nothing fails any more. */
  heal(): void {
    this.#faults.armed = false;
  }

  /** Waits for the end of everything that can end. */
  async finish(): Promise<void> {
    await quiet(() => this.#running.size === 0);
  }

  async #step(step: Step): Promise<void> {
    switch (step.do) {
      case 'start':
        return this.engine.start();
      case 'tick':
        return this.#passed(await this.engine.runSchedule());
      case 'push':
        this.git.upstream = step.head ?? this.git.upstream;
        return undefined;
      case 'fetch':
        return this.#fetch(step, this.mirror.state.kind === 'ready');
      case 'mirrorReady':
        return this.#fetch(step, true);
      case 'deliver':
        return this.#deliver();
      case 'statusTick':
        return this.engine.writeStatuses();
      case 'stop':
        this.#stopped = true;
        return this.engine.stop();
      case 'resume':
        this.#pauses = false;
        this.#resume?.();
        return undefined;
      case 'outOfBand':
        return this.#outOfBand(step);
      default:
        return this.#resourceStep(step);
    }
  }

  async #resourceStep(step: Step): Promise<void> {
    const { key = '' } = step;
    switch (step.do) {
      case 'resourceAdded': {
        if (step.resource !== undefined) this.resources.put(toObject(step.resource));
        const added = step.resource === undefined ? this.resources.get(key) : toObject(step.resource);
        return this.#hear({ before: undefined, after: added });
      }
      case 'resourceUpdated':
        return this.#hear(this.resources.update(key, step));
      case 'resync':
        for (const each of this.resources.keys()) await this.#hear({ before: this.resources.get(each), after: this.resources.get(each) });
        return undefined;
      case 'resourceDeleted': {
        const gone = this.resources.remove(key);
        return gone && this.engine.delete(readDeclared(gone));
      }
      default:
        throw new Error(`no step is called ${step.do}`);
    }
  }

  async #hear({
    before,
    after,
  }: {
    readonly before: Parameters<typeof isReconcileTrigger>[0];
    readonly after: Parameters<typeof isReconcileTrigger>[1];
  }): Promise<void> {
    if (after !== undefined && isReconcileTrigger(before, after)) await this.engine.reconcile(readDeclared(after));
  }

  async #fetch({ deliver = true }: Step, mayFetch: boolean): Promise<void> {
    if (this.#stopped || !mayFetch) return;
    await this.mirror.advance(NEVER);
    if (deliver) await this.#deliver();
  }

  async #deliver(): Promise<void> {
    if (!this.#wake.take()) return;
    this.#passed(await this.engine.takeChange());
    for (const resource of await this.engine.touched(new Set([this.mirror.id]))) await this.engine.reconcile(resource, 'commit');
  }

  #outOfBand({ namespace = '', release = '', chartPath = '', chart, values = {}, status, gone }: Step): void {
    const content = toContent(chart ?? this.git.treeAt(this.engine.revision ?? this.git.head).get(chartPath) ?? {}, chartPath);
    this.helm.outOfBand(
      { namespace, name: release },
      { chart: content, values, ...(gone ? { gone } : {}), ...(status === undefined ? {} : { status: status as 'failed' }) },
    );
  }

  #pull(url: string, name: string, version: string) {
    if (this.#given.chartRepos?.[url]?.[name]?.[version] === undefined) throw new Error(`chart ${name} ${version} not found in ${url}`);
    return { folder: `pulled:${url}`, path: name, revision: version };
  }

  #passed({ error }: { readonly error: string | undefined }): void {
    if (error !== undefined) this.errors.push(error);
  }

  async #breakMirror(state: string, why: string): Promise<void> {
    if (state !== 'new' && state !== 'cloned') return;
    this.git.failNext = why || 'broken';
    await this.mirror.advance(NEVER);
    if (state !== 'cloned') return;
    const check = this.git.check;
    this.git.check = async () => {
      throw new Error(why || 'not checked');
    };
    await this.mirror.advance(NEVER);
    this.git.check = check;
  }

  async #gate(): Promise<void> {
    if (!this.#pauses) return;
    this.#pauses = false;
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
    });
  }

  #log(record: (action: Action) => void): Log {
    const at = (level: string) => (fields: object, message: string) => {
      if (message === 'took over a working copy' && 'revision' in fields) record({ do: 'swap', to: fields.revision, ok: true });
      this.logs.push({ level, text: `${message} ${JSON.stringify(fields)}` });
    };
    const log: Log = { debug: at('debug'), info: at('info'), warn: at('warning'), error: at('error'), child: () => log };
    return log;
  }
}

/** Gives work its turns until it is done, or can go no further. */
async function quiet(isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < QUIET_TURNS; turn++) {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    if (isDone() && turn > 2) return;
  }
}
