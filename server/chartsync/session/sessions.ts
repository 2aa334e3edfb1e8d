import path from 'node:path';
import { messageOf } from '@/lib/contract/app-error';
import type { Instant } from '@/lib/std/instant';
import type { EngineDeps } from '@/server/framework';
import type { Store } from '@/server/kube';
import { linkAbort } from '@/server/platform';
import type { CausingDecision } from '../decisions/causing-decision';
import type { Gates } from '../gate/gates';
import { noGitReason } from '../git/find-git';
import type { FoundHelm } from '../helm/find-helm';
import { findHelm } from '../helm/find-helm';
import type { DeclaredRelease } from '../model/declared';
import type { ChartSyncOptions } from '../options';
import type { GrantPort, Trigger } from '../ports';
import { ValuesWatch } from '../values/values-watch';
import { createChartSyncMetrics } from './metrics';
import { Session, UNCONFIGURED } from './session';
import type { SessionComponents } from './session-components';
import { createSessionComponents } from './session-components';
import type { ChartSyncState } from './state';

const LOOK_FOR_PROGRAMS_MS = 30_000;
const LOOK_FOR_LEASE_MS = 1000;

interface SessionsDeps {
  readonly engine: EngineDeps;
  readonly options: ChartSyncOptions;
  readonly stores: readonly Store[];
  readonly isHeld: (resource: DeclaredRelease) => boolean;
  /** The decision that made the engine act on a release, where one did. */
  readonly behind: (resource: DeclaredRelease) => CausingDecision | undefined;
  readonly gates: Gates;
  readonly grants: GrantPort;
  /** Since when a namespace is being deleted; undefined where it is not. */
  readonly namespaceDeletedAt: (namespace: string) => Instant | undefined;
  /** Has a resource looked at by the queue. */
  readonly enqueue: (resource: DeclaredRelease, by: Trigger) => void;
  /** True while nobody wants a release. */
  readonly isIdle: () => boolean;
}

/** Opens a session while this process may act and Helm is there, and ends it with the right to act. */
export class Sessions implements AsyncDisposable {
  readonly #deps: SessionsDeps;
  #state: ChartSyncState;
  #parts: SessionComponents | undefined;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    this.#state = { kind: 'off', why: deps.options.repository === undefined ? UNCONFIGURED : 'chart sync has not started' };
  }

  get state(): ChartSyncState {
    return this.#state;
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, mayAct } = this.#deps.engine;
    while (!signal.aborted) {
      // Programs are looked for, and processes started, only where somebody wants a release.
      if (mayAct() && !this.#deps.isIdle()) await this.#runOnce(signal);
      else await clock.sleep(LOOK_FOR_LEASE_MS, signal).catch(() => undefined); // an abort ends the loop by itself
    }
  }

  /** Asks every Helm and git that runs to end. */
  endProcesses(): void {
    this.#parts?.endProcesses();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts?.[Symbol.asyncDispose]();
  }

  async #runOnce(signal: AbortSignal): Promise<void> {
    const { engine, options } = this.#deps;
    const noGit = await noGitReason({ clock: engine.clock, signal });
    const helm = await findHelm({ named: options.helm, clock: engine.clock, signal });
    if (helm.kind === 'found' && noGit === undefined) return this.#runSession(helm, signal).catch((error: unknown) => this.#fail(error));
    this.#state =
      helm.kind === 'found' ? { kind: 'lacks', why: noGit ?? '', remedy: null } : { kind: 'lacks', why: helm.why, remedy: 'npm run helm' };
    await engine.clock.sleep(LOOK_FOR_PROGRAMS_MS, signal).catch(() => undefined); // an abort ends the loop by itself
  }

  /** What ended a session is told until the next one begins. */
  #fail(error: unknown): never {
    this.#state = { kind: 'off', why: messageOf(error) };
    throw error;
  }

  async #runSession(helm: FoundHelm, signal: AbortSignal): Promise<void> {
    const { engine, options, stores, enqueue } = this.#deps;
    const { clock, log } = engine;
    const parts = createSessionComponents(
      engine,
      { ...options, folder: path.join(options.folder, 'chartsync') },
      { ...this.#deps, helm, metrics: createChartSyncMetrics(engine.metrics) },
    );
    this.#parts = parts;
    await parts.recoverFromCrash();
    const session = new Session({ ...parts, intervalMs: options.intervalMs, enqueue, clock, log });
    this.#state = { kind: 'running', session, parts };
    log.info({ helm: helm.version, repository: parts.mirror.id }, 'chart sync began');
    const values = new ValuesWatch({
      ...engine,
      stores,
      clusterFor: (who) => options.identities.clusterFor(who),
      changed: (resource, wants) => (wants === 'fetch' ? parts.refresh(resource) : enqueue(resource, 'values')),
    });
    values.start();
    parts.watchDrift();
    const { controller: ending, release } = linkAbort(signal);
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
  async #endWithLease(ending: AbortController, parts: SessionComponents): Promise<void> {
    const { clock, mayAct } = this.#deps.engine;
    while (!ending.signal.aborted) {
      await clock.sleep(LOOK_FOR_LEASE_MS, ending.signal).catch(() => undefined); // an abort ends the loop by itself
      if (ending.signal.aborted || mayAct()) continue;
      this.#state = { kind: 'off', why: 'the Lease was lost; Helm is finishing its current runs' };
      ending.abort(new Error('this process no longer holds the Lease'));
      parts.endProcesses();
    }
  }
}
