import path from 'node:path';
import { messageOf } from '@/lib/contract/app-error';
import type { Finding } from '@/lib/contract/finding';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { ControllerSpec, Engine, EngineDeps, Outcome } from '@/server/framework';
import { createEngine, requeueAfter, settled } from '@/server/framework';
import type { OwnRights, Store, StoreChange } from '@/server/kube';
import { Grants } from '@/server/kube';
import { linkAbort, supervise } from '@/server/platform';
import { releaseGrants } from './cluster/release-grants';
import { indexByRelease } from './cluster/resources';
import { isStopping, ReleaseDecisions } from './decisions/decisions';
import { indexByResource } from './decisions/hold';
import { Holds } from './decisions/holds';
import { HelmWorks } from './describe/helm-works';
import type { LoopsView } from './describe/loop-journal';
import { Gates } from './gate/gates';
import { whyNoGit } from './git/find-git';
import type { FoundHelm } from './helm/find-helm';
import { findHelm } from './helm/find-helm';
import { wakesFor } from './loops/chart-sync';
import { dependants, indexByDependency } from './loops/dependants';
import type { DeclaredRelease } from './model/declared';
import { readDeclared } from './model/declared';
import type { ChartSyncOptions } from './options';
import type { GrantPort } from './ports';
import type { RenderDesk } from './preview/render-desk';
import { createChartSyncMetrics } from './session/metrics';
import type { Parts } from './session/parts';
import { createParts } from './session/parts';
import { Session, UNCONFIGURED } from './session/session';
import { ValuesWatch } from './values/values-watch';
import { wantsFetch } from './webhooks/git-hook';

const WORKERS = 2;
/** How soon a resource is looked at again that nobody could look at. */
const AGAIN_MS = 2000;
const LOOK_FOR_PROGRAMS_MS = 30_000;
const UNGRANTED_MS = 30_000;
const LOOK_FOR_LEASE_MS = 1000;
/** How long a release under way may take to end by itself when the engine stops; then Helm is asked to. */
const STOP_MS = 60_000;

/** What chart sync is doing. */
type State =
  | { readonly kind: 'off'; readonly why: string }
  | { readonly kind: 'lacks'; readonly why: string; readonly mend: string | null }
  | { readonly kind: 'running'; readonly session: Session; readonly parts: Parts };

/** The engine that keeps Helm releases equal to charts in git. The server may do everything where nobody says what it may. */
export function createChartSyncEngine(deps: EngineDeps, options: ChartSyncOptions | undefined, ownRights?: OwnRights): Engine {
  // One process does all of it, whatever the shards: there is one working copy (issue 12, 1).
  const { shardOf: _shards, clusterFor: _clusters, ...rest } = deps;
  const own: EngineDeps = { ...rest, mayAct: () => deps.mayAct() };
  const charts = new Charts(own, options, new Grants(ownRights, 'release', options?.identities.accountOf({ namespace: '', account: undefined })));
  const controllerOf = (name: string, store: Store): ControllerSpec => ({
    name,
    workers: WORKERS,
    drainMs: STOP_MS,
    reconcile: (key) => charts.reconcile(store.get(key)),
    sources: [{ store, keysOf: (change) => [...(wakesFor(change.before, change.after) ? [change.key] : []), ...dependants(store, change)] }],
  });
  const engine = createEngine(own, {
    name: 'chartsync',
    stores: { base: KINDS.fluxHelmRelease, extended: KINDS.helmRelease, decisions: KINDS.releaseDecision, namespaces: KINDS.namespace },
    controllers: ({ base, extended, decisions, namespaces }: Readonly<Record<'base' | 'extended' | 'decisions' | 'namespaces', Store>>) => {
      const people = charts.watch({ stores: [base, extended], decisions, namespaces }, ({ profile, key }) =>
        engine.controllers[profile === 'base' ? 0 : 1]?.enqueue(key),
      );
      // What carries something out takes as long as Helm does; what stops that must not stand in line behind it.
      const answering = (name: string, isOurs: (decision: KubeObject) => boolean): ControllerSpec => ({
        name,
        drainMs: STOP_MS,
        sources: [{ store: decisions, keysOf: ({ key, after }) => (after !== undefined && isOurs(after) ? [key] : []) }],
        reconcile: (key) => people.reconcile(key, decisions.get(key)),
      });
      return [
        controllerOf('chartsync-fluxhelmrelease', base),
        controllerOf('chartsync-helmrelease', extended),
        answering('chartsync-releasedecision', (decision) => !isStopping(decision)),
        answering('chartsync-releasedecision-stop', isStopping),
      ];
    },
  });
  return {
    ...engine,
    off: () => (charts.isIdle() ? UNCONFIGURED : null),
    findings: () => charts.findings(),
    start: async () => {
      await engine.start();
      charts.start();
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([charts.stop(), engine[Symbol.asyncDispose]()]);
    },
  };
}

/** What chart sync watches. */
interface Watched {
  /** The kinds that declare releases. */
  readonly stores: readonly Store[];
  readonly decisions: Store;
  readonly namespaces: Store;
}

/** Opens a session while this process may act and Helm is there, and ends it with the right to act. */
class Charts {
  readonly #deps: EngineDeps;
  readonly #options: ChartSyncOptions | undefined;
  readonly #waiting: Grants;
  readonly #grants: GrantPort;
  readonly #stopping = new AbortController();
  readonly #deletions = new Set<Promise<void>>();
  #stores: readonly Store[] = [];
  #isHeld: (resource: DeclaredRelease) => boolean = () => false;
  #gates: Gates | undefined;
  #enqueue: (resource: DeclaredRelease) => void = () => undefined;
  #state: State;
  #parts: Parts | undefined;
  #running: Promise<void> | undefined;

  constructor(deps: EngineDeps, options: ChartSyncOptions | undefined, grants: Grants) {
    this.#deps = deps;
    this.#options = options;
    this.#waiting = grants;
    this.#grants = releaseGrants({ grants, identities: options?.identities ?? { accountOf: () => undefined }, discovery: deps.cluster.discovery });
    options?.journal.follow(() => this.#view());
    options?.previews.follow(() => this.#deskOrWhy());
    this.#state = { kind: 'off', why: options?.repository === undefined ? UNCONFIGURED : 'chart sync has not begun' };
  }

  /** Whatever answers people starts with what it watches. */
  watch({ stores, decisions, namespaces }: Watched, enqueue: (resource: DeclaredRelease) => void): ReleaseDecisions {
    indexByResource(decisions);
    const holds = new Holds(decisions);
    const gates = new Gates({ ...this.#deps, decisions, namespaces, approvals: this.#options?.approvals ?? 0 });
    this.#gates = gates;
    const works = this.#options?.journal.works ?? new HelmWorks(this.#deps.clock);
    this.#isHeld = ({ uid }) => holds.of(uid) !== undefined;
    for (const index of [indexByRelease, indexByDependency]) stores.forEach(index);
    this.#stores = stores;
    this.#enqueue = enqueue;
    return new ReleaseDecisions({ ...this.#deps, stores, holds, gates, works, parts: () => (this.#state.kind === 'running' ? this.#state.parts : undefined) });
  }

  start(): void {
    const { clock, log } = this.#deps;
    const { signal } = this.#stopping;
    const options = this.#options;
    if (options === undefined) return;
    const releases = this.#stores.map((store) => store.subscribe((change) => this.#hear(change)));
    this.#running = supervise('chartsync', () => this.#run(options), { clock, log, signal }).finally(() => {
      for (const release of releases) release();
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('chart sync is stopping'));
    const release = this.#deps.clock.schedule(STOP_MS, () => this.#parts?.endProcesses());
    await this.#running;
    await Promise.all(this.#deletions);
    release();
    await this.#parts?.[Symbol.asyncDispose]();
  }

  /** One look at a resource, when somebody can look; else soon again. */
  async reconcile(object: KubeObject | undefined): Promise<Outcome> {
    if (object === undefined || this.#options === undefined) return settled();
    if (object.kind === KINDS.fluxHelmRelease.kind && this.#options.repository === undefined) return settled(); // nothing brings it before the next start
    if (this.#state.kind !== 'running') return requeueAfter(AGAIN_MS);
    const { session, parts } = this.#state;
    const resource = readDeclared(object);
    if (resource.profile === 'base' && session.state.kind !== 'running') return requeueAfter(AGAIN_MS);
    // That a first fetch takes a while is no failure of a release.
    if (resource.profile === 'extended' && parts.isComing(resource)) return requeueAfter(AGAIN_MS);
    await session.sync.reconcile(resource);
    // What the end of a session cut short or passed over is looked at again in the next one.
    if (this.#state.kind !== 'running' || this.#state.session !== session) return requeueAfter(AGAIN_MS);
    // Nothing tells the server that it may do more.
    return this.#grants.isWaiting(resource) ? requeueAfter(UNGRANTED_MS) : settled();
  }

  /** True where no repository is configured and no resource names its own. */
  isIdle(): boolean {
    return this.#options?.repository === undefined && (this.#stores[1]?.list().length ?? 0) === 0;
  }

  /** What keeps releases from being looked at, where there are any. */
  findings(): readonly Finding[] {
    return [...this.#lacking(), ...this.#waiting.findings()];
  }

  #lacking(): readonly Finding[] {
    const [base = 0, later = 0] = this.#stores.map((store) => store.list().length);
    const isWanted = this.#options?.repository !== undefined || base > 0;
    const told = (sentence: string, mend: string | null): readonly Finding[] => [{ area: 'programs', subject: 'chartsync engine', sentence, mend }];
    if (this.#state.kind !== 'running') {
      const mend = this.#state.kind === 'lacks' ? this.#state.mend : null;
      return isWanted || later > 0 ? told(`Helm releases wait: ${this.#state.why}`, mend) : [];
    }
    const { state } = this.#state.session;
    if (state.kind === 'running' || !isWanted) return [];
    return told(`FluxHelmReleases wait: ${state.why}`, null);
  }

  #view(): LoopsView {
    if (!this.#deps.mayAct()) return { kind: 'elsewhere' };
    if (this.#state.kind !== 'running') return { kind: 'waiting', why: this.#state.why, mend: this.#state.kind === 'lacks' ? this.#state.mend : null };
    const { state, nextPassAt } = this.#state.session;
    return { kind: 'running', baseWaits: state.kind === 'running' ? null : state.why, nextPassAt };
  }

  #deskOrWhy(): RenderDesk | string {
    if (!this.#deps.mayAct()) return 'another replica has the repositories and Helm, and acts on releases; ask again once its lease is here';
    if (this.#state.kind === 'running') return this.#state.parts.renderDesk;
    return this.#state.kind === 'lacks' && this.#state.mend !== null ? `${this.#state.why}: ${this.#state.mend}` : this.#state.why;
  }

  async #run(options: ChartSyncOptions): Promise<void> {
    const { clock, mayAct } = this.#deps;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // Programs are looked for, and processes started, only where somebody wants a release.
      if (!mayAct() || this.isIdle())
        await clock.sleep(LOOK_FOR_LEASE_MS, signal).catch(() => undefined); // an abort ends the loop by itself
      else {
        const noGit = await whyNoGit({ clock, signal });
        const helm = await findHelm({ named: options.helm, clock, signal });
        if (helm.kind === 'found' && noGit === undefined) await this.#runSession(options, helm).catch((error: unknown) => this.#fail(error));
        else {
          this.#state = helm.kind === 'found' ? { kind: 'lacks', why: noGit ?? '', mend: null } : { kind: 'lacks', why: helm.why, mend: 'npm run helm' };
          await clock.sleep(LOOK_FOR_PROGRAMS_MS, signal).catch(() => undefined); // an abort ends the loop by itself
        }
      }
    }
  }

  /** What ended a session is told until the next one begins. */
  #fail(error: unknown): never {
    this.#state = { kind: 'off', why: messageOf(error) };
    throw error;
  }

  async #runSession(options: ChartSyncOptions, helm: FoundHelm): Promise<void> {
    const { clock, log, metrics } = this.#deps;
    const gates = this.#gates;
    if (gates === undefined) throw new Error('chart sync runs before it watches anything');
    const parts = createParts(
      this.#deps,
      { ...options, folder: path.join(options.folder, 'chartsync') },
      {
        stores: this.#stores,
        helm,
        metrics: createChartSyncMetrics(metrics),
        isHeld: (resource) => this.#isHeld(resource),
        gates,
        grants: this.#grants,
        enqueue: (resource) => this.#enqueue(resource),
      },
    );
    this.#parts = parts;
    await parts.takeOver();
    const session = new Session({ ...parts, intervalMs: options.intervalMs, enqueue: (resource) => this.#enqueue(resource), clock, log });
    this.#state = { kind: 'running', session, parts };
    log.info({ helm: helm.version, repository: parts.mirror.id }, 'chart sync began');
    const values = new ValuesWatch({
      ...this.#deps,
      stores: this.#stores,
      clusterFor: (who) => options.identities.clusterFor(who),
      changed: this.#enqueue,
    });
    values.start();
    parts.watchDrift();
    const { controller: ending, release } = linkAbort(this.#stopping.signal);
    const watching = this.#endWithLease(ending, parts);
    try {
      await session.run(ending.signal);
    } finally {
      this.#state = { kind: 'off', why: 'chart sync has ended for now' }; // nothing is asked of it any more: it would do nothing
      ending.abort();
      release();
      await watching;
      await values[Symbol.asyncDispose]();
      await parts[Symbol.asyncDispose]();
    }
  }

  /** With the lease go the processes at once: another holder must find nobody at work. */
  async #endWithLease(ending: AbortController, parts: Parts): Promise<void> {
    const { clock, mayAct } = this.#deps;
    while (!ending.signal.aborted) {
      await clock.sleep(LOOK_FOR_LEASE_MS, ending.signal).catch(() => undefined); // an abort ends the loop by itself
      if (ending.signal.aborted || mayAct()) continue;
      this.#state = { kind: 'off', why: 'the lease was lost, and Helm is ending what it was in the middle of' };
      ending.abort(new Error('this process does not hold the lease any more'));
      parts.endProcesses();
    }
  }

  #hear({ before, after }: StoreChange): void {
    if (before === undefined || !this.#deps.mayAct()) return;
    if (after !== undefined) {
      if (wantsFetch(before, after)) this.#fetchFor(readDeclared(after));
      return;
    }
    const resource = readDeclared(before);
    if (this.#state.kind !== 'running') {
      this.#deps.log.warn({ resource: resource.key, release: resource.release.name }, 'the resource of a release went while nothing could uninstall it');
      return;
    }
    const deletion = this.#state.session.sync
      .delete(resource)
      .catch((error: unknown) => this.#deps.log.error({ resource: resource.key, error: messageOf(error) }, 'could not delete a release'));
    this.#deletions.add(deletion);
    void deletion.finally(() => this.#deletions.delete(deletion));
  }

  /** Somebody pushed to what the resource takes its chart from. A process that fetches later anyway needs no asking. */
  #fetchFor(resource: DeclaredRelease): void {
    if (this.#state.kind !== 'running') return;
    try {
      this.#state.parts.refresh(resource);
    } catch (error) {
      this.#deps.log.warn({ resource: resource.key, error: messageOf(error) }, 'the repository of a resource could not be asked for');
    }
  }
}
