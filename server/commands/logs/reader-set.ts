import { messageOf } from '@/lib/contract/app-error';
import type { LogSource, LogSources } from '@/lib/contract/log-stream';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import type { NamedContainer } from '@/server/status';
import { containersOf, isPodReady } from '@/server/status';
import type { LogRequest } from './container-reader';
import { ContainerReader } from './container-reader';
import { LogBuffer } from './log-buffer';
import type { OwnedPod, PodSource } from './pod-source';

/** More than these nobody reads a list of. */
const MAX_LISTED = 500;
/** Hundreds of pods that come at once are looked at together. */
const GATHER_MS = 200;

export interface ReaderSetDeps {
  readonly source: PodSource;
  readonly cluster: () => Cluster;
  readonly clock: Clock;
  readonly wish: LogRequest;
  readonly takePlace: () => Release | undefined;
  /** Which of its pods and containers are wanted. */
  readonly wants: (pod: OwnedPod, container: NamedContainer) => boolean;
  /** Why the pods of another namespace may not be read; null where they may, undefined while that is being asked. */
  readonly refusalReason: (ns: string) => string | null | undefined;
}

interface Entry {
  source: LogSource;
  readonly feed: LogBuffer;
  readonly reader: ContainerReader;
  readonly ending: AbortController;
  isRunning: boolean;
}

/** A reader for each container that is wanted, and what became of each. */
export class ReaderSet {
  readonly #deps: ReaderSetDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #changed = new Map<number, LogSource>();
  readonly #feeds = new Set<LogBuffer>();
  /** Feeds of containers that are gone, until all of theirs was told. */
  readonly #leaving = new Set<LogBuffer>();
  readonly #unlisten: Release;
  readonly #listeners = new Set<() => void>();
  #nextId = 0;
  #unlisted = 0;
  #isFirst = true;
  #isReleased = false;
  #cancelLook: Release | undefined;
  #hasNews = false;

  constructor(deps: ReaderSetDeps) {
    this.#deps = deps;
    this.#unlisten = deps.source.onChange(() => this.look());
    this.#look();
    this.#isFirst = false;
    this.#hasNews = true; // an empty list is told too
  }

  /** Looks for other pods, soon. */
  look(): void {
    if (this.#isReleased) return;
    this.#cancelLook ??= this.#deps.clock.schedule(GATHER_MS, () => {
      this.#cancelLook = undefined;
      this.#look();
    });
  }

  /** A place became free. */
  wakeAll(): void {
    for (const { reader } of this.#entries.values()) reader.wake();
  }

  feeds(): ReadonlySet<LogBuffer> {
    return this.#feeds;
  }

  onNews(listener: () => void): Release {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** True when something was not taken yet. */
  hasNews(): boolean {
    return this.#hasNews;
  }

  /** Sources that stand otherwise than was told. */
  takeChanged(): LogSources | undefined {
    if (!this.#hasNews) return undefined;
    this.#hasNews = false;
    const sources = [...this.#changed.values()];
    this.#changed.clear();
    return { sources, unlisted: this.#unlisted };
  }

  /** True when nothing more will come of itself. */
  isOver(): boolean {
    const { wish, source } = this.#deps;
    for (const { isRunning } of this.#entries.values()) if (isRunning) return false;
    return !wish.follow || wish.previous || source.isOver?.() === true;
  }

  formatOver(): string {
    return this.#nextId === 0 ? 'there is no container to read' : 'everything was read';
  }

  release(): void {
    this.#isReleased = true;
    this.#unlisten();
    this.#cancelLook?.();
    for (const entry of this.#entries.values()) this.#stop(entry);
  }

  /** Ends what is read of a namespace; nothing that waits of it is told. */
  refuse(ns: string, why: string): void {
    for (const entry of this.#entries.values()) {
      if (entry.source.ns !== ns) continue;
      this.#stop(entry);
      this.#notify(entry, { ...entry.source, state: 'refused', note: why });
    }
  }

  #look(): void {
    const seen = new Set<string>();
    for (const owned of sortPods(this.#deps.source.pods())) {
      for (const container of containersOf(owned.pod)) {
        if (!this.#deps.wants(owned, container)) continue;
        const key = `${owned.pod.metadata.uid} ${container.name}`;
        seen.add(key);
        const held = this.#entries.get(key);
        if (held !== undefined) held.reader.update(owned.pod);
        else if (this.#deps.refusalReason(owned.pod.metadata.namespace ?? '') !== undefined) this.#add(key, owned, container);
      }
    }
    const unlisted = this.#unlisted;
    this.#unlisted = Math.max(0, seen.size - MAX_LISTED);
    if (unlisted !== this.#unlisted) this.#news();
    for (const [key, { reader, isRunning }] of this.#entries) {
      if (seen.has(key)) continue;
      reader.update(undefined);
      if (!isRunning) this.#forget(key);
    }
  }

  #add(key: string, { pod, revision, component }: OwnedPod, container: NamedContainer): void {
    if (this.#entries.size >= MAX_LISTED) return;
    const { clock, cluster, wish, takePlace, refusalReason } = this.#deps;
    const id = this.#nextId++;
    const ns = pod.metadata.namespace ?? '';
    const named = { id, ns, pod: pod.metadata.name ?? '', container: container.name, kind: container.kind, revision, component };
    const feed = new LogBuffer(
      () => clock.now(),
      () => this.#notifyNews(),
    );
    const why = refusalReason(ns);
    const source: LogSource = { ...named, state: why ? 'refused' : 'opening', note: why ?? null };
    const onState = (state: LogSource['state'], note: string | null) => this.#notify(entry, { ...entry.source, state, note });
    // What began while somebody looks on is read from its beginning.
    const own = this.#isFirst ? wish : { ...wish, tail: undefined, since: undefined };
    const reader = new ContainerReader(pod, { clock, cluster, feed, container, source: named, wish: own, takePlace, onState });
    const entry: Entry = { source, feed, reader, ending: new AbortController(), isRunning: !why };
    this.#entries.set(key, entry);
    this.#notify(entry, source);
    if (why) return;
    this.#feeds.add(feed);
    if (!this.#isFirst && container.name === containersOf(pod)[0]?.name) this.#markJoined(entry, pod);
    void this.#run(key, entry);
  }

  async #run(key: string, entry: Entry): Promise<void> {
    await entry.reader.run(entry.ending.signal).catch((error: unknown) => {
      if (!entry.ending.signal.aborted) this.#notify(entry, { ...entry.source, state: 'broken', note: messageOf(error) });
    });
    entry.isRunning = false;
    if (entry.source.state === 'gone') this.#forget(key);
    this.#notifyNews();
  }

  /** Its last lines are told all the same. */
  #forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#leaving.add(entry.feed);
    this.#entries.delete(key);
    for (const feed of this.#leaving) {
      if (feed.head !== undefined) continue;
      this.#leaving.delete(feed);
      this.#feeds.delete(feed);
    }
  }

  #markJoined({ feed, source }: Entry, { metadata }: KubeObject): void {
    const at = metadata.creationTimestamp ?? null;
    const order = at === null ? undefined : Date.parse(at);
    feed.push({ order, line: { from: source.id, at, text: `pod ${source.pod} joined`, mark: 'joined' } });
  }

  #stop({ ending, feed }: Entry): void {
    ending.abort();
    feed.drop();
    this.#feeds.delete(feed);
  }

  #notify(entry: Entry, source: LogSource): void {
    const { state, note } = entry.source;
    const isNew = !this.#changed.has(source.id) && entry.source === source;
    entry.source = source;
    if (!isNew && state === source.state && note === source.note) return;
    this.#changed.set(source.id, source);
    this.#news();
  }

  #news(): void {
    this.#hasNews = true;
    this.#notifyNews();
  }

  #notifyNews(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The 50 that a person may read: those that are not ready first, then the newest. */
function sortPods(pods: readonly OwnedPod[]): readonly OwnedPod[] {
  const isReady = ({ pod }: OwnedPod) => (isPodReady(pod) ? 1 : 0);
  const madeAt = ({ pod }: OwnedPod) => pod.metadata.creationTimestamp ?? '';
  const nameOf = ({ pod }: OwnedPod) => pod.metadata.name ?? '';
  return [...pods].sort((a, b) => isReady(a) - isReady(b) || madeAt(b).localeCompare(madeAt(a)) || nameOf(a).localeCompare(nameOf(b)));
}
