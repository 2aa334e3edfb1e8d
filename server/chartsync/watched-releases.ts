import { messageOf } from '@/lib/contract/app-error';
import type { Finding } from '@/lib/contract/finding';
import { decidedTypeOf } from '@/lib/contract/release-decision';
import { KINDS, nameOfKind } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey, TypeRef } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { parseKubeTime } from '@/lib/std/instant';
import type { EngineDeps, Outcome } from '@/server/framework';
import { requeueAfter, settled } from '@/server/framework';
import type { OwnRights, Store, StoreChange } from '@/server/kube';
import { createAccessReviewer, Grants } from '@/server/kube';
import { supervise } from '@/server/platform';
import { namespaceState } from './cluster/namespace-state';
import { releaseGrants } from './cluster/release-grants';
import { indexByRelease, storeOf } from './cluster/resources';
import { causingDecision } from './decisions/causing-decision';
import { ReleaseDecisions } from './decisions/decisions';
import { indexByResource } from './decisions/hold';
import { Holds } from './decisions/holds';
import { UninstallFinalizer } from './deletion/uninstall-finalizer';
import { indexByDependency } from './depends-on/dependants';
import { HelmOperations } from './describe/helm-operations';
import { GatePolicyWatch } from './gate/gate-policy-watch';
import { Gates } from './gate/gates';
import { isReconcileTrigger } from './is-reconcile-trigger';
import type { DeclaredRelease } from './model/declared';
import { readDeclared } from './model/declared';
import type { ChartSyncOptions } from './options';
import { PendingTriggers } from './pending-triggers';
import type { GrantPort, Trigger } from './ports';
import { UNCONFIGURED } from './session/session';
import { Sessions } from './session/sessions';
import type { ChartSyncState } from './session/state';
import { findingsOf, findingsOfHelmSlots, findingsOfMirrors, rendererOrReason, toReconcilesView } from './session/state';
import { isWaitingUninstall } from './undeclared/uninstalls';
import { requestsFetch } from './webhooks/git-hook';

/** How soon a resource is looked at again that nobody could look at. */
const AGAIN_MS = 2000;
const UNGRANTED_MS = 30_000;
/** A kind that the cluster would not keep whole is mended by a person. */
const STOPPED_MS = 5_000;
/** How long a release under way may take to end by itself when the engine stops; then Helm is asked to. */
export const STOP_MS = 60_000;

/** What chart sync watches, and what it looks at releases by. */
interface Watched {
  readonly base: Store;
  /** Copies of the later kinds. */
  readonly extended: readonly Store[];
  readonly decisions: Store;
  readonly namespaces: Store;
  /** The server may do everything where nobody says what it may. */
  readonly ownRights: OwnRights | undefined;
  /** Has a resource looked at by the queue. */
  readonly enqueue: (resource: DeclaredRelease) => void;
}

/** The releases that resources declare, each looked at by whatever session is open. */
export class WatchedReleases {
  /** Answers what people decide about them. */
  readonly decisions: ReleaseDecisions;
  readonly #deps: EngineDeps;
  readonly #options: ChartSyncOptions | undefined;
  readonly #base: Store;
  readonly #extended: readonly Store[];
  readonly #asked: Store;
  readonly #waiting: Grants;
  readonly #enqueue: Watched['enqueue'];
  readonly #grants: GrantPort;
  readonly #sessions: Sessions | undefined;
  readonly #demands: GatePolicyWatch;
  readonly #endings: UninstallFinalizer;
  readonly #stopping = new AbortController();
  readonly #deletions = new Set<Promise<void>>();
  readonly #asking = new PendingTriggers();
  /** Resources, by uid, for which a commit was approved that is not released yet, and the session that is to do it. */
  readonly #approved = new Map<string, ChartSyncState>();
  #running: Promise<void> | undefined;

  constructor(
    deps: EngineDeps,
    options: ChartSyncOptions | undefined,
    { base, extended, decisions, namespaces, ownRights, enqueue }: Watched,
  ) {
    const stores = [base, ...extended];
    this.#deps = deps;
    this.#options = options;
    this.#base = base;
    this.#extended = extended;
    this.#asked = decisions;
    for (const index of [indexByRelease, indexByDependency]) stores.forEach(index);
    indexByResource(decisions);
    const holds = new Holds(decisions);
    const gates = new Gates({ ...deps, decisions, namespaces, approvals: options?.approvals ?? 0 });
    const driven = options?.repository === undefined ? extended : stores;
    this.#demands = new GatePolicyWatch({ ...deps, gates, stores: driven, namespaces });
    const works = options?.journal.works ?? new HelmOperations(deps.clock);
    const identities = options?.identities ?? { accountOf: () => undefined };
    const chartsAccount = options?.identities.accountOf({ namespace: '', account: undefined });
    const stateOf = (name: string) => namespaceState(namespaces, name);
    this.#waiting = new Grants(ownRights, 'release', { chartsAccount, stateOf });
    const review = createAccessReviewer(deps.cluster, deps.clock);
    this.#grants = releaseGrants({ grants: this.#waiting, identities, discovery: deps.cluster.discovery, review, stateOf });
    const isHeld = ({ uid }: DeclaredRelease) => holds.of(uid) !== undefined;
    const behind = (resource: DeclaredRelease) => causingDecision(resource, { holds, gates });
    this.#enqueue = enqueue;
    const wake = (resource: DeclaredRelease, by: Trigger) => this.#wake(resource, by);
    const namespaceDeletedAt = (name: string) => parseKubeTime(namespaces.get(toObjectKey({ name }))?.metadata.deletionTimestamp);
    this.#endings = new UninstallFinalizer({ ...deps, namespaceDeletedAt });
    const wakes = { enqueue: wake, isIdle: () => this.isIdle() };
    const session = { engine: deps, stores, isHeld, behind, gates, grants: this.#grants, namespaceDeletedAt, ...wakes };
    this.#sessions = options && new Sessions({ ...session, options });
    this.decisions = new ReleaseDecisions({
      ...deps,
      stores,
      holds,
      gates,
      works,
      parts: () => (this.#state.kind === 'running' ? this.#state.parts : undefined),
      follow: {
        look: (resource) => wake(resource, 'decision'),
        releaseApproved: (resource) => {
          this.#approved.set(resource.uid, this.#state);
          wake(resource, 'decision');
        },
      },
    });
    options?.journal.follow(() => (deps.mayAct() ? toReconcilesView(this.#state) : { kind: 'elsewhere' }));
    options?.previews.follow(() =>
      deps.mayAct()
        ? rendererOrReason(this.#state)
        : 'only the replica that holds the Lease reconciles releases; try again once this one holds it',
    );
  }

  /** Of one that waits for its uninstall the queue knows when that is due. */
  #wake(resource: DeclaredRelease, by: Trigger): void {
    const copy = resource.profile === 'extended' ? storeOf(this.#extended, resource.at)?.get(resource.key) : undefined;
    if (copy?.metadata.deletionTimestamp !== undefined) return;
    this.#asking.ask(resource.uid, by);
    this.#enqueue(resource);
  }

  start(): void {
    const { clock, log } = this.#deps;
    const { signal } = this.#stopping;
    const sessions = this.#sessions;
    if (sessions === undefined) return;
    const releases = [
      ...[this.#base, ...this.#extended].map((store) => store.subscribe((change) => this.#hear(change))),
      this.#demands.start(),
    ];
    this.#running = supervise('chartsync', () => sessions.run(signal), { clock, log, signal }).finally(() => {
      for (const release of releases) release();
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('chart sync is stopping'));
    const release = this.#deps.clock.schedule(STOP_MS, () => this.#sessions?.endProcesses());
    await this.#running;
    await Promise.all([...this.#deletions, this.#demands.idle()]);
    release();
    await this.#sessions?.[Symbol.asyncDispose]();
  }

  /** One look at a resource, when somebody can look; else soon again. */
  async reconcile(object: KubeObject | undefined): Promise<Outcome> {
    if (object === undefined || this.#options === undefined) return settled();
    if (object.kind === KINDS.fluxHelmRelease.kind && this.#options.repository === undefined) return settled(); // nothing brings it before the next start
    if (this.#isStopped(object)) return requeueAfter(STOPPED_MS);
    const state = this.#state;
    const resource = readDeclared(object);
    if (resource.profile === 'extended' && resource.isTerminating) return this.#endings.look(resource, state);
    if (state.kind !== 'running') return requeueAfter(AGAIN_MS);
    const { session, parts } = state;
    if (resource.profile === 'base' && session.state.kind !== 'running') return requeueAfter(AGAIN_MS);
    // What holds it, and who else declares it, nobody can tell for now: that is no failure of a release either.
    if ([this.#asked, this.#base, ...this.#extended].some(isCatchingUp)) return requeueAfter(AGAIN_MS);
    // That a first fetch takes a while is no failure of a release.
    if (resource.profile === 'extended' && parts.isComing(resource)) return requeueAfter(AGAIN_MS);
    const by = this.#asking.take(resource.uid);
    const isApproved = this.#approved.get(resource.uid) === state;
    this.#approved.delete(resource.uid);
    await (isApproved ? session.sync.releaseApproved(resource) : session.sync.reconcile(resource, by));
    // What the end of a session cut short or passed over is looked at again in the next one.
    if (this.#state !== state) return requeueAfter(AGAIN_MS);
    // Nothing tells the server that it may do more.
    return this.#grants.isWaiting(resource) ? requeueAfter(UNGRANTED_MS) : settled();
  }

  /** True where no repository is configured, no resource names its own, and nobody asks for a release to be uninstalled. */
  isIdle(): boolean {
    return this.#options?.repository === undefined && !this.#hasExtended() && !this.#asked.list().some(isWaitingUninstall);
  }

  #hasExtended(): boolean {
    return this.#extended.some((store) => store.list().length > 0);
  }

  /** What keeps releases from being looked at, where there are any. */
  findings(): readonly Finding[] {
    const base = this.#options?.repository !== undefined || this.#base.list().length > 0;
    return [
      ...findingsOf(this.#state, { base, extended: this.#hasExtended() }),
      ...this.#mirrorFindings(base),
      ...this.#turnFindings(),
      ...this.#waiting.findings(),
    ];
  }

  /** That repositories cannot be fetched; why the base kind waits for its own is told as that. */
  #mirrorFindings(hasBase: boolean): readonly Finding[] {
    const state = this.#state;
    if (state.kind !== 'running') return [];
    const isTold = hasBase && state.session.state.kind === 'waiting';
    return findingsOfMirrors(this.#options?.journal.figures().mirrors ?? [], isTold ? state.parts.mirror.id : undefined);
  }

  /** That work waits for Helms which take very long. */
  #turnFindings(): readonly Finding[] {
    const slots = this.#options?.journal.works.slots();
    return slots === undefined ? [] : findingsOfHelmSlots(slots, this.#deps.clock.now());
  }

  get #state(): ChartSyncState {
    return this.#sessions?.state ?? { kind: 'off', why: UNCONFIGURED };
  }

  #hear({ before, after }: StoreChange): void {
    const told = this.#endings.hear({ before, after });
    if (told === 'settled') return;
    if (before === undefined || !this.#deps.mayAct() || this.#isStopped(before)) return;
    const { uid = '' } = before.metadata;
    if (after === undefined) this.#asking.forget(uid);
    else if (isReconcileTrigger(before, after)) this.#asking.ask(uid, 'resource');
    if (after === undefined) this.#delete(readDeclared(before));
    else if (requestsFetch(before, after)) this.#fetchFor(readDeclared(after));
  }

  /** One look at a decision; one about a kind for which nothing is done waits. */
  async decide(key: ObjectKey, decision: KubeObject | undefined): Promise<Outcome> {
    const type = decision && decidedTypeOf(decision);
    return type !== undefined && this.#isStopped(type) ? requeueAfter(STOPPED_MS) : this.decisions.reconcile(key, decision);
  }

  #isStopped(type: TypeRef): boolean {
    return (this.#deps.stoppedReason?.(nameOfKind(type)) ?? null) !== null;
  }

  #delete(resource: DeclaredRelease): void {
    const { log } = this.#deps;
    if (this.#state.kind !== 'running') {
      log.warn(
        { resource: resource.key, release: resource.release.name },
        'the resource of a release was deleted while nothing could uninstall it',
      );
      return;
    }
    const { sync } = this.#state.session;
    const deleting = this.#options?.journal.whileDeleting(resource, () => sync.delete(resource));
    const deletion = Promise.resolve(deleting).catch((error: unknown) =>
      log.error({ resource: resource.key, error: messageOf(error) }, 'could not delete a release'),
    );
    this.#deletions.add(deletion);
    void deletion.finally(() => this.#deletions.delete(deletion));
  }

  /** Somebody pushed to what the resource takes its chart from. A process that fetches later anyway needs no asking. */
  #fetchFor(resource: DeclaredRelease): void {
    if (this.#state.kind === 'running') this.#state.parts.refresh(resource);
  }
}

/** True while a copy is being read or read again; a kind that the cluster does not serve, or lets nobody watch, is not. */
function isCatchingUp(store: Store): boolean {
  const { state } = store.health();
  return state.kind === 'listing' || (state.kind === 'retrying' && state.isMissing !== true);
}
