import { isAppError } from '@/lib/contract/app-error';
import type { ObjectEvents } from '@/lib/contract/object-rows';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import { formatCount } from '@/lib/words/figures';
import type { Session } from '@/server/auth';
import type { Cluster, WatchEvent, WatchRoundEnd } from '@/server/kube';
import { isForbidden, listAndWatch } from '@/server/kube';
import type { CommandDeps } from '../command-deps';
import type { About } from './events';
import { aboutOf, lastSeen, toEventLines } from './events';

const EVENT = { apiVersion: 'v1', kind: 'Event' } as const;
const PAGE = 500;
/** Events that are kept of one object and what it owns; the oldest go first. */
const MAX_KEPT = 1000;
/** Events that belong to nothing of it yet: what tells that they do may come later. */
const MAX_OTHERS = 500;
const LOOK_AGAIN_MS = 2000;
/** So long the copies may take until they hold what an event is about. */
const MAX_BEHIND_MS = 60_000;
const MAX_NAMESPACES = 5;
/** Changes are told together, at most so often. */
const TELL_EVERY_MS = 500;
const AGAIN_MS = 2000;

/** Which events are told: the object, and whether what an event is about belongs to it. */
export interface EventScope {
  /** Moves with the object: what is about something else may belong to it then. */
  readonly version: () => string | undefined;
  readonly namespaces: readonly string[];
  readonly belongs: (about: About) => boolean;
}

/** Reads the events of an object and of what it owns once, as the person. */
export async function readEvents(deps: CommandDeps, session: Session, scope: EventScope, signal?: AbortSignal): Promise<ObjectEvents> {
  const kept = new Kept(scope);
  await Promise.all(scope.namespaces.slice(0, MAX_NAMESPACES).map((ns) => readInto(deps.cluster.as(session.person), ns, kept, signal)));
  return kept.notify(toIso(deps.clock.now()));
}

/** Events that are being followed, as whoever looks on is known now. */
export interface EventViewer {
  session: Session;
  /** Namespaces whose events are told. */
  namespaces: readonly string[];
}

/**
 * The same, and again whenever it differs, until the signal aborts. Each namespace is watched as the person, so what is told ends with their right;
 * a watch that breaks off is begun anew by a list.
 */
export async function* followEvents(
  deps: CommandDeps,
  viewer: EventViewer,
  scope: EventScope,
  signal: AbortSignal,
): AsyncGenerator<ObjectEvents, void, void> {
  const kept = new Kept(scope);
  const news = new News(signal);
  const cluster = () => deps.cluster.as(viewer.session.person);
  const namespaces = scope.namespaces.slice(0, MAX_NAMESPACES);
  const versions = await Promise.all(namespaces.map((ns) => readInto(cluster(), ns, kept, signal)));
  viewer.namespaces = namespaces.filter((_ns, at) => versions[at] !== undefined);
  for (const [at, ns] of namespaces.entries()) {
    const from = versions[at];
    if (from !== undefined)
      void watchNamespace({ deps, cluster, ns, kept, news, signal }, from).catch((error: unknown) => news.fail(error));
  }
  void lookAgain(deps, { kept, news, signal }).catch((error: unknown) => news.fail(error));
  while (!signal.aborted) {
    yield kept.notify(toIso(deps.clock.now()));
    await news.next();
    await deps.clock.sleep(TELL_EVERY_MS, signal).catch(() => undefined); // an abort ends the loop
  }
}

/** A watch that is open goes on when its right is gone, so the right is asked for anew; throws the refusal. */
export async function recheckEvents({ auth }: CommandDeps, { session, namespaces }: EventViewer, notBefore: Instant): Promise<void> {
  for (const ns of namespaces) {
    await auth
      .authorise(session, { kind: 'view-kind', verb: 'list', of: { group: '', named: 'Event' }, ns }, notBefore)
      .catch((error: unknown) => {
        if (isAppError(error) && error.code === 'forbidden') throw error; // a cluster that cannot be asked takes no right away
      });
  }
}

/** The version of the list; undefined where the namespace's events may not be read. */
async function readInto(cluster: Cluster, namespace: string, kept: Kept, signal: AbortSignal | undefined): Promise<string | undefined> {
  try {
    let version: string | undefined;
    for await (const page of cluster.list({ ...EVENT, namespace }, { limit: PAGE, ...(signal === undefined ? {} : { signal }) })) {
      for (const event of page.items) kept.take(event);
      version = page.resourceVersion;
    }
    return version;
  } catch (error) {
    if (!isForbidden(error)) throw error;
    kept.refuse(namespace);
    return undefined;
  }
}

/** What an event is about may come to the copies after it, and a rollout names its workload after that has begun. */
async function lookAgain({ clock }: CommandDeps, { kept, news, signal }: Pick<Watching, 'kept' | 'news' | 'signal'>): Promise<void> {
  for (;;) {
    await clock.sleep(LOOK_AGAIN_MS, signal).catch(() => undefined); // an abort ends it
    if (signal.aborted) return;
    if (kept.lookAgain(clock.now())) news.notify();
  }
}

interface Watching {
  readonly deps: CommandDeps;
  /** The cluster as the person is known now. */
  readonly cluster: () => Cluster;
  readonly ns: string;
  readonly kept: Kept;
  readonly news: News;
  readonly signal: AbortSignal;
}

async function watchNamespace({ deps, cluster, ns, kept, news, signal }: Watching, from: string): Promise<void> {
  const hear = ({ type, object }: WatchEvent) => {
    if (type === 'DELETED' ? kept.drop(object) : kept.take(object)) news.notify();
  };
  const list = async () => {
    const version = await readInto(cluster(), ns, kept, signal).catch((error: unknown) => news.fail(error));
    news.notify();
    return version ?? undefined;
  };
  const restMs = (end: WatchRoundEnd) => {
    if (end.kind === 'failed' && isForbidden(end.error)) throw end.error; // anything else is tried again
    return end.kind === 'unlisted' ? undefined : AGAIN_MS;
  };
  await listAndWatch({ cluster, of: { ...EVENT, namespace: ns }, clock: deps.clock, signal, from, list, hear, restMs });
}

/** The events that belong to an object, by uid. */
class Kept {
  readonly #scope: EventScope;
  readonly #events = new Map<string, KubeObject>();
  readonly #refused = new Set<string>();
  /** What belonged once belongs for good: an event may outlive what it is about. */
  readonly #known = new Set<string>();
  /** Those that belong to nothing of it yet, and when each was taken first; the oldest first. */
  readonly #others = new Map<string, { readonly event: KubeObject; readonly since: Instant | undefined }>();
  #version: string | undefined;

  constructor(scope: EventScope) {
    this.#scope = scope;
    this.#version = scope.version();
  }

  take(event: KubeObject): boolean {
    const uid = event.metadata.uid ?? '';
    if (this.#belongs(event)) {
      this.#others.delete(uid);
      this.#keep(event);
      return true;
    }
    this.#others.set(uid, { event, since: this.#others.get(uid)?.since });
    const [oldest] = this.#others.keys();
    if (this.#others.size > MAX_OTHERS && oldest !== undefined) this.#others.delete(oldest);
    return false;
  }

  /** Takes of the others what belongs to it by now; true where there is any. */
  lookAgain(now: Instant): boolean {
    const version = this.#scope.version();
    const isMoved = version !== this.#version;
    this.#version = version;
    let isAny = false;
    for (const [uid, { event, since = now }] of this.#others) {
      this.#others.set(uid, { event, since });
      if ((!isMoved && now - since > MAX_BEHIND_MS) || !this.#belongs(event)) continue;
      this.#others.delete(uid);
      this.#keep(event);
      isAny = true;
    }
    return isAny;
  }

  drop(event: KubeObject): boolean {
    const uid = event.metadata.uid ?? '';
    this.#others.delete(uid);
    return this.#events.delete(uid);
  }

  refuse(namespace: string): void {
    this.#refused.add(namespace);
  }

  notify(at: string): ObjectEvents {
    const left = [...this.#refused].map((ns) => `You may not read events in ${ns}.`);
    const others = this.#scope.namespaces.length - MAX_NAMESPACES;
    const most = others > 0 ? [`Events of ${formatCount(others, 'more namespace')} are not read here.`] : [];
    return { ...toEventLines(this.#events.values()), left: [...left, ...most], at };
  }

  #belongs(event: KubeObject): boolean {
    const about = aboutOf(event);
    const id = `${about.uid} ${about.kind} ${about.ns} ${about.name}`;
    if (!this.#known.has(id) && this.#scope.belongs(about)) this.#known.add(id);
    return this.#known.has(id);
  }

  #keep(event: KubeObject): void {
    this.#events.set(event.metadata.uid ?? '', event);
    if (this.#events.size > MAX_KEPT) this.#dropOldest();
  }

  #dropOldest(): void {
    const byAge = [...this.#events].sort(([, a], [, b]) => (lastSeen(a) < lastSeen(b) ? -1 : 1));
    for (const [uid] of byAge.slice(0, MAX_KEPT / 5)) this.#events.delete(uid);
  }
}

/** Wakes who waits for something new. */
class News {
  readonly #signal: AbortSignal;
  #isNew = false;
  #failure: unknown;
  #wake: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  notify(): void {
    this.#isNew = true;
    this.#wake();
  }

  fail(error: unknown): void {
    this.#failure = error;
    this.notify();
  }

  async next(): Promise<void> {
    if (!this.#isNew && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#isNew = false;
    if (this.#failure !== undefined) throw this.#failure;
  }
}
