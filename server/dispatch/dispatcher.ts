import type { KubeObject } from '@/lib/kube/object';
import { settleAll } from '@/lib/std/settle-all';
import { realClock } from '@/server/platform';
import { DispatchError } from './dispatch-error';
import { withDispatchFieldManager } from './field-manager';
import type { KubeClient } from './kube-client';
import { constructResourceTrackerName } from './names';
import type { DispatchedRevision, DispatchOptions } from './options';
import { applyManifests, dryRunManifests } from './steps/apply-manifests';
import { collect } from './steps/collect';
import type { DispatchContext, ResolvedOptions, TrackerHint } from './steps/dispatch-context';
import { ensureCurrent, findStrays, loadPrevious } from './steps/find-trackers';
import { assertRecordUnchanged, recordBeforeApply, recordResults } from './steps/keep-record';
import type { TypedReference } from './surface/scopes';
import { dereferenceScopes, referenceScopes } from './surface/scopes';
import { checkedOnce, guardWrites } from './tracker/guard-writes';
import type { ResourceTracker } from './tracker/record';
import { TrackerStore } from './tracker/store';

type Mode = { readonly previous: TrackerHint | undefined; readonly skipGC: boolean };

/**
 * Applies the manifests of one revision under one tracker.
 *
 * 1. Order: validate, previous tracker, current tracker, apply, record, collect; the first failure ends it.
 * 2. The record only grows; it is written from the server's answers.
 * 3. A previous tracker of the current one's name is ignored throughout.
 * 4. `beforeWrite` is asked once: as soon as a new tracker is made, which lists nothing yet, and otherwise before the first write.
 */
export class AppManifestsDispatcher {
  readonly #client: KubeClient;
  readonly #revision: DispatchedRevision | null;
  readonly #options: ResolvedOptions;
  readonly #store: TrackerStore;
  readonly #mayWrite: (() => Promise<void>) | undefined;
  #mode: Mode = { previous: undefined, skipGC: false };

  constructor(client: KubeClient, appRev: DispatchedRevision | null, options: DispatchOptions = {}) {
    const { beforeWrite } = options.writing ?? {};
    this.#mayWrite = beforeWrite && checkedOnce(beforeWrite);
    this.#client = withDispatchFieldManager(this.#mayWrite === undefined ? client : guardWrites(client, this.#mayWrite));
    this.#revision = appRev;
    this.#options = { merge: {}, writing: {}, tracking: {}, garbage: {}, tools: {}, scopes: 'ignore', ...options };
    const { clock = realClock, random = () => 0.5, ...tools } = this.#options.tools;
    this.#store = new TrackerStore({
      ...tools,
      clock,
      random,
      client: this.#client,
      maker: withDispatchFieldManager(client),
      ...this.#options.tracking,
    });
  }

  /** Takes over from a tracker without collecting; null changes nothing. */
  startAndSkipGC(rt: TrackerHint | null | undefined): this {
    if (rt) this.#mode = { previous: { name: rt.name }, skipGC: true };
    return this;
  }

  /** Takes over from a tracker and collects what it alone lists; null changes nothing. */
  endAndGC(rt: TrackerHint | null | undefined): this {
    if (rt) this.#mode = { previous: { name: rt.name }, skipGC: false };
    return this;
  }

  /** Applies and records the manifests, collects if the mode says so, and answers the current tracker. */
  async dispatch(manifests: readonly KubeObject[], signal?: AbortSignal): Promise<ResourceTracker> {
    const revision = this.#validated();
    const options = this.#options;
    const { writing, tracking, garbage, tools } = options;
    const client = this.#client;
    const step: DispatchContext = { client, options, store: this.#store, signal };
    const name = constructResourceTrackerName(revision.name, revision.namespace);
    const previous = await loadPrevious(step, this.#mode.previous, name);
    const { tracker: current, isNew } = await ensureCurrent(step, name, revision);
    const strays = garbage.legacyTrackers ? await findStrays(step, name, revision, previous) : [];
    const trackers = [current, ...(previous ? [previous] : []), ...strays, ...(tracking.superseded ?? [])];
    const how = { ...step, writer: client, current, accepted: trackers.map(({ uid }) => uid) };
    // Whoever lets the application go meanwhile sees a new tracker, or is seen here.
    const asked = isNew ? this.#mayWrite?.() : undefined;
    await settleAll([asked, writing.dryRunFirst && manifests.length > 1 ? dryRunManifests(manifests, how) : undefined]);
    const listed = tracking.record === 'beforeApply' ? await recordBeforeApply(step, current, manifests) : current;
    // A record that was just written is on the server; one that was read from a copy may be gone by now, and its objects would go with it.
    const writer =
      tools.cache !== undefined && listed === current
        ? guardWrites(
            client,
            checkedOnce(() => assertRecordUnchanged(step, current)),
          )
        : client;
    const answers = await applyManifests(manifests, { ...how, writer });
    const recorded = await recordResults(step, listed, answers);
    if (!this.#mode.skipGC) await collect(step, { namespace: revision.namespace, current: recorded, previous, strays });
    return recorded;
  }

  /** Adds a workload to the lists of its scopes, where the options say that scopes are maintained. */
  async referenceScopes(workload: TypedReference, scopes: readonly TypedReference[], signal?: AbortSignal): Promise<void> {
    if (this.#options.scopes !== 'maintain') return;
    await referenceScopes(this.#client, this.#validated().namespace, { workload, scopes, signal });
  }

  /** Takes a workload off the lists of its scopes, where the options say that scopes are maintained. */
  async dereferenceScopes(workload: TypedReference, scopes: readonly TypedReference[], signal?: AbortSignal): Promise<void> {
    if (this.#options.scopes !== 'maintain') return;
    await dereferenceScopes(this.#client, this.#validated().namespace, { workload, scopes, signal });
  }

  #validated(): DispatchedRevision {
    const revision = this.#revision;
    if (revision === null) throw new DispatchError('given application revision is nil', { stage: 'validate' });
    if (!revision.name || !revision.namespace)
      throw new DispatchError('given application revision has no name or namespace', { stage: 'validate' });
    return revision;
  }
}
