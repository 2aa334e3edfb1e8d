import type { KubeObject } from '@/lib/kube/object';
import { inParallel } from '@/lib/std/in-parallel';
import { realClock } from '@/server/platform';
import type { Applied } from './apply/apply';
import { apply } from './apply/apply';
import { readExisting } from './apply/read-existing';
import { wantedOf } from './apply/wanted';
import { DispatchError } from './dispatch-error';
import { asDispatch } from './field-manager';
import { GCHandler } from './garbage/handler';
import { isGround, isPlacedInNamespace, mustServe, readGround } from './ground';
import type { KubeClient } from './kube-client';
import { ANNOTATION, LABEL } from './labels';
import { constructResourceTrackerName, extractAppName } from './names';
import type { DispatchedRevision, DispatchOptions } from './options';
import { mustBeControllableByAny } from './owners';
import { rehearse } from './rehearse';
import type { TypedReference } from './scopes';
import { dereferenceScopes, referenceScopes } from './scopes';
import type { RecordHow } from './tracker/entry';
import { toEntry } from './tracker/entry';
import { guardWrites } from './tracker/guard-writes';
import type { ResourceTracker, TrackerEntry } from './tracker/record';
import { explainTampering, identityOf } from './tracker/record';
import { isSameRecord, TrackerStore } from './tracker/store';

/** What a caller knows of a tracker it names; everything but the name is read again. */
export type TrackerHint = Pick<ResourceTracker, 'name'>;

type Mode = { readonly previous: TrackerHint | undefined; readonly skipGC: boolean };

/**
 * Applies the manifests of one revision under one tracker.
 *
 * 1. Order: validate, previous tracker, current tracker, apply, record, collect; the first failure ends it.
 * 2. The record only grows; it is written from the server's answers.
 * 3. A previous tracker of the current one's name is ignored throughout.
 */
export class AppManifestsDispatcher {
  readonly #client: KubeClient;
  /** What objects are applied through. */
  #writer: KubeClient;
  readonly #revision: DispatchedRevision | null;
  readonly #options: DispatchOptions;
  readonly #store: TrackerStore;
  #mode: Mode = { previous: undefined, skipGC: false };

  constructor(client: KubeClient, appRev: DispatchedRevision | null, options: DispatchOptions = {}) {
    const { beforeWrite } = options;
    this.#client = asDispatch(beforeWrite === undefined ? client : guardWrites(client, beforeWrite));
    this.#writer = this.#client;
    this.#revision = appRev;
    this.#options = options;
    const { clock = realClock, random = () => 0.5, cache, recordConflict } = options;
    this.#store = new TrackerStore({ client: this.#client, clock, random, cache, recordConflict });
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
    const name = constructResourceTrackerName(revision.name, revision.namespace);
    const previous = await this.#loadPrevious(name, signal);
    const current = await this.#ensureCurrent(name, revision, signal);
    const strays = this.#options.legacyTrackers ? await this.#findStrays(name, revision, previous, signal) : [];
    const trackers = [current, ...(previous ? [previous] : []), ...strays, ...(this.#options.superseded ?? [])];
    const accepted = trackers.map(({ uid }) => uid);
    if (this.#options.rehearse && manifests.length > 1) await this.#rehearse(structuredClone(manifests), current, accepted, signal);
    const listed = this.#options.record === 'beforeApply' ? await this.#recordAhead(current, manifests, signal) : current;
    // A record that was just written is on the server; one that was read from a copy may be gone by now, and its objects would go with it.
    if (this.#options.cache !== undefined && listed === current) this.#writer = guardWrites(this.#client, () => this.#mustBeAsRead(current, signal));
    const answers = await this.#applyAll(structuredClone(manifests), current, accepted, signal);
    const recorded = await this.#record(listed, answers, signal);
    if (!this.#mode.skipGC) await this.#collect(recorded, previous, strays, signal);
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
    if (!revision.name || !revision.namespace) throw new DispatchError('given application revision has no name or namespace', { stage: 'validate' });
    return revision;
  }

  async #loadPrevious(current: string, signal: AbortSignal | undefined): Promise<ResourceTracker | undefined> {
    const { previous } = this.#mode;
    if (previous === undefined || previous.name === current) return undefined;
    const ignore = this.#options.missingPrevious === 'ignore';
    try {
      const live = previous.name === '' ? undefined : await this.#store.load(previous.name, { signal });
      if (live !== undefined || ignore) return live;
    } catch (cause) {
      if (ignore) throw new DispatchError('failed to get previous resource tracker', { stage: 'previous', cause });
    }
    throw new DispatchError(`given resource tracker "${previous.name}" doesn't exist`, { stage: 'previous' });
  }

  async #ensureCurrent(name: string, revision: DispatchedRevision, signal: AbortSignal | undefined): Promise<ResourceTracker> {
    const application = this.#options.application ?? { name: extractAppName(name, revision.namespace), namespace: revision.namespace };
    let found: ResourceTracker | undefined;
    try {
      found = await this.#store.load(name, { signal });
    } catch (cause) {
      throw new DispatchError('cannot get resource tracker', { stage: 'tracker', cause });
    }
    if (found !== undefined) {
      const owner = this.#options.strictNames ? foreignOwner(found, application) : undefined;
      if (owner === undefined) return found;
      const sentence = `resource tracker "${name}" belongs to application ${owner}; application ${application.namespace}/${application.name} wants it too`;
      throw new DispatchError(sentence, { stage: 'tracker' });
    }
    const labels = {
      [LABEL.appName]: application.name,
      [LABEL.appNamespace]: application.namespace,
      ...('uid' in application && application.uid ? { [LABEL.appUid]: application.uid } : {}),
    };
    const generation = ('generation' in application ? application.generation : undefined) ?? 0;
    let created: ResourceTracker;
    try {
      created = await this.#store.create({ name, labels, applicationGeneration: generation }, signal);
    } catch (cause) {
      throw new DispatchError('cannot create resource tracker', { stage: 'tracker', cause });
    }
    // Whoever lets the application go meanwhile sees this tracker, or is seen here.
    await this.#options.beforeWrite?.();
    return created;
  }

  async #findStrays(name: string, revision: DispatchedRevision, previous: ResourceTracker | undefined, signal: AbortSignal | undefined) {
    const app = extractAppName(name, revision.namespace);
    const found = new Map<string, ResourceTracker>();
    for (const label of [LABEL.appNamespace, LABEL.appNamespaceMisspelt]) {
      for (const tracker of await this.#store.list({ [LABEL.appName]: app, [label]: revision.namespace }, signal)) found.set(tracker.name, tracker);
    }
    const isStray = (tracker: ResourceTracker) =>
      tracker.name !== name && tracker.name !== previous?.name && tracker.annotations[ANNOTATION.lifeLong] === undefined;
    return [...found.values()].filter(isStray);
  }

  async #applyAll(manifests: readonly KubeObject[], current: ResourceTracker, accepted: readonly string[], signal: AbortSignal | undefined) {
    const answers: (Applied & { readonly manifest: KubeObject })[] = [];
    const concurrency = Math.max(1, this.#options.concurrency ?? 1);
    const all = [...manifests.entries()];
    // One after another the list's own order holds; at once, what others live in or are instances of comes first.
    const waves = concurrency === 1 && !this.#options.awaitGround ? [all] : [all.filter(([, one]) => isGround(one)), all.filter(([, one]) => !isGround(one))];
    for (const wave of waves) {
      await inParallel(wave, concurrency, async ([at, manifest]) => {
        const applied = await this.#applyOrExplain(manifest, current, accepted, signal);
        answers[at] = { ...applied, manifest };
        if (applied.verb !== 'unchanged') this.#options.onWritten?.({ manifest, tracker: current, before: applied.before, after: applied.object });
      });
      const ground = wave.flatMap(([at, manifest]) => (isGround(manifest) ? (answers[at]?.object ?? []) : []));
      if (this.#options.awaitGround) await mustServe(this.#client, ground, signal);
    }
    return answers;
  }

  #rehearse(manifests: readonly KubeObject[], current: ResourceTracker, accepted: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const ground = readGround(manifests);
    return rehearse(manifests, {
      ground,
      isNamespaced: (manifest) => isPlacedInNamespace(this.#client, manifest, ground, signal),
      concurrency: Math.max(1, this.#options.concurrency ?? 1),
      tryOut: (manifest) => this.#applyOne(manifest, current, accepted, signal, true),
    });
  }

  async #applyOrExplain(manifest: KubeObject, current: ResourceTracker, accepted: readonly string[], signal: AbortSignal | undefined): Promise<Applied> {
    try {
      return await this.#applyOne(manifest, current, accepted, signal);
    } catch (cause) {
      const { apiVersion = '', kind = '', metadata } = manifest;
      throw new DispatchError(`cannot apply manifest, name: "${metadata.name ?? ''}" apiVersion: "${apiVersion}" kind: "${kind}"`, { stage: 'apply', cause });
    }
  }

  #applyOne(manifest: KubeObject, current: ResourceTracker, accepted: readonly string[], signal: AbortSignal | undefined, dryRun = false): Promise<Applied> {
    const options = this.#options;
    const policy = options.policyOf?.(manifest) ?? {};
    if (policy.readOnly) return readExisting(this.#client, manifest, { cache: options.cache, signal });
    const { desired, keep, whenExists } = wantedOf(manifest, { tracker: current, policy, options });
    return apply(this.#writer, desired, {
      check: (existing) => mustBeControllableByAny(existing, accepted) ?? (existing && options.mayTouch?.(existing, manifest)),
      skipUnchanged: options.skipUnchanged ?? false,
      cache: options.cache,
      secretKey: options.secretKey,
      onCreate: options.onCreate,
      keep,
      dryRun,
      whenExists,
      signal,
    });
  }

  /** Lists the manifests before they exist; what is listed already keeps its uid. */
  async #recordAhead(current: ResourceTracker, manifests: readonly KubeObject[], signal: AbortSignal | undefined): Promise<ResourceTracker> {
    const ahead: TrackerEntry[] = [];
    const ground = readGround(manifests);
    for (const manifest of manifests) {
      const entry = toEntry(manifest, manifest, this.#recordHow(manifest));
      const misplaced = entry.namespace !== undefined && !(await isPlacedInNamespace(this.#client, manifest, ground, signal));
      ahead.push(misplaced ? withoutNamespace(entry) : entry);
    }
    const merge = (tracker: ResourceTracker) => {
      const listed = new Set(tracker.entries.map((entry) => identityOf(entry, 'apiVersion')));
      return [...tracker.entries, ...ahead.filter((entry) => !listed.has(identityOf(entry, 'apiVersion')))];
    };
    if (merge(current).length === current.entries.length) return current;
    const fresh = await this.#refreshed(current, signal);
    return this.#store.write(fresh, merge(fresh), signal);
  }

  async #record(current: ResourceTracker, answers: readonly (Applied & { readonly manifest: KubeObject })[], signal: AbortSignal | undefined) {
    const idOf = (entry: TrackerEntry) => identityOf(entry, 'apiVersion');
    const found = new Map<string, TrackerEntry>();
    for (const { object, manifest } of answers) {
      const entry = toEntry(object, manifest, this.#recordHow(manifest));
      found.set(idOf(entry), entry);
    }
    const merge = (tracker: ResourceTracker) => {
      const listed = new Set(tracker.entries.map(idOf));
      const kept = tracker.form === 'managed' ? tracker.entries.map((entry) => found.get(idOf(entry)) ?? entry) : tracker.entries;
      return [...kept, ...[...found.values()].filter((entry) => !listed.has(idOf(entry)))];
    };
    if (this.#options.skipUnchanged && isSameRecord(current.entries, merge(current))) return current;
    const fresh = await this.#refreshed(current, signal);
    const entries = merge(fresh);
    return { ...(await this.#store.write(fresh, entries, signal)), entries };
  }

  #recordHow(manifest: KubeObject): RecordHow {
    const { readOnly = false, skipGC = false } = this.#options.policyOf?.(manifest) ?? {};
    return { skipGC: readOnly || skipGC, bare: this.#options.recordReferences ?? false };
  }

  async #mustBeAsRead(tracker: ResourceTracker, signal: AbortSignal | undefined): Promise<void> {
    const live = await this.#store.load(tracker.name, { signal, fresh: true });
    const listed = new Set(live?.entries.map((entry) => identityOf(entry, 'apiVersion')));
    if (live?.uid === tracker.uid && tracker.entries.every((entry) => listed.has(identityOf(entry, 'apiVersion')))) return;
    const sentence = `resource tracker "${tracker.name}" is ${live?.uid === tracker.uid ? 'shorter' : 'not there any more'}, and its watch is behind`;
    throw new DispatchError(sentence, { stage: 'tracker' });
  }

  /** A record may only grow, so what came from a watched copy is read again before it is written. */
  async #refreshed(tracker: ResourceTracker, signal: AbortSignal | undefined): Promise<ResourceTracker> {
    if (this.#options.cache === undefined) return tracker;
    const fresh = await this.#store.load(tracker.name, { signal, fresh: true });
    const edited = fresh && explainTampering(fresh);
    // Writing would give an edited record the digest of a sound one.
    if (edited !== undefined) throw new DispatchError(edited, { stage: 'record' });
    return fresh ?? tracker;
  }

  async #collect(current: ResourceTracker, previous: ResourceTracker | undefined, strays: readonly ResourceTracker[], signal: AbortSignal | undefined) {
    const handler = new GCHandler(this.#client, this.#revision?.namespace ?? '', this.#options);
    try {
      if (previous !== undefined) await handler.garbageCollect(previous, current, signal);
      for (const stray of strays) {
        if (this.#options.keepLegacyResource && !handler.isTakenOver(stray, current)) continue;
        await handler.deleteTracker(stray.name, signal);
      }
    } catch (cause) {
      if (previous === undefined) throw cause;
      throw new DispatchError(`cannot do GC based on resource trackers "${previous.name}" and "${current.name}"`, { stage: 'collect', cause });
    }
  }
}

function foreignOwner(tracker: ResourceTracker, application: { readonly name: string; readonly namespace: string }): string | undefined {
  const name = tracker.labels[LABEL.appName];
  const namespace = tracker.labels[LABEL.appNamespace] ?? tracker.labels[LABEL.appNamespaceMisspelt];
  if (name === undefined || namespace === undefined) return undefined;
  return name === application.name && namespace === application.namespace ? undefined : `${namespace}/${name}`;
}

function withoutNamespace({ namespace: _dropped, ...entry }: TrackerEntry): TrackerEntry {
  return entry;
}
