import { messageOf } from '@/lib/contract/app-error';
import type { LogLine, LogSource, LogSourceState } from '@/lib/contract/log-stream';
import { MAX_FOLLOWED } from '@/lib/contract/log-stream';
import type { KubeObject } from '@/lib/kube/object';
import { backOffMs } from '@/lib/std/back-off';
import { parseInstant, toInstant, toIso, toKubeTime } from '@/lib/std/instant';
import type { Cluster } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import type { ContainerState, NamedContainer } from '@/server/status';
import { readContainerState } from '@/server/status';
import type { LogBuffer } from './log-buffer';
import type { ReadOutcome } from './open-log';
import { readLog } from './open-log';

const PACE = { firstMs: 1000, longestMs: 30_000 };
/** What a pod that is gone had left to say arrives within this time. */
const LAST_WORDS_MS = 5000;

const LEFT = `not read: at most ${MAX_FOLLOWED} containers are read at once for one person`;

type Next = 'on' | 'over';
type Outcome = ReadOutcome | { readonly kind: 'broken'; readonly sentence: string };

/** What is wanted of each log. */
export interface LogRequest {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly tail: number | undefined;
  /** RFC 3339 in whole seconds. */
  readonly since: string | undefined;
}

export interface ReaderDeps {
  readonly cluster: () => Cluster;
  readonly clock: Clock;
  readonly feed: LogBuffer;
  readonly container: NamedContainer;
  readonly source: Pick<LogSource, 'id' | 'ns' | 'pod'>;
  readonly wish: LogRequest;
  /** A place among those that the person may follow. */
  readonly takePlace: () => Release | undefined;
  readonly onState: (state: LogSourceState, note: string | null) => void;
}

/**
 * Reads the log of one container, run after run.
 *
 * 1. Each run is read once and to its end; a connection that breaks is made anew where it broke.
 * 2. How a run ended, that another began, and that the pod is gone stands in the log where it happened.
 * 3. It holds a place of the person from its first byte until nothing more will come.
 */
export class ContainerReader {
  readonly #deps: ReaderDeps;
  #pod: KubeObject | undefined;
  #wake: () => void = () => undefined;
  #place: Release | undefined;
  #reading: AbortController | undefined;
  #cancelLastWords: Release | undefined;
  /** The run that is read, and whether that came to its end as far as the node said. */
  #run: { readonly id: string; readonly isRead: boolean } | undefined;
  #toldExitOf: string | undefined;
  #pauses = 0;

  constructor(pod: KubeObject, deps: ReaderDeps) {
    this.#pod = pod;
    this.#deps = deps;
  }

  /** What the cluster has of the pod now; undefined once it is gone. */
  update(pod: KubeObject | undefined): void {
    if (pod === this.#pod) return;
    this.#pod = pod;
    if (pod === undefined) this.#cancelLastWords ??= this.#deps.clock.schedule(LAST_WORDS_MS, () => this.#reading?.abort());
    this.wake();
  }

  /** Something that it may wait for is otherwise. */
  wake(): void {
    this.#wake();
  }

  /** Reads until nothing more will come, or the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted && (await this.#step(signal)) === 'on');
    } finally {
      this.#cancelLastWords?.();
      this.#deps.feed.turn('quiet');
      this.#place?.();
      this.#place = undefined;
    }
  }

  async #step(signal: AbortSignal): Promise<Next> {
    const { container, wish, takePlace } = this.#deps;
    if (this.#pod === undefined) return this.#reportGone();
    this.#place ??= takePlace();
    if (this.#place === undefined) return this.#await('left', LEFT, signal);
    const state = readContainerState(this.#pod, container);
    if (wish.previous) return this.#readPrevious(state, signal);
    if (state.run === undefined) return wish.follow ? this.#await('waiting', state.waits, signal) : this.#end('waiting', state.waits);
    if (this.#run?.id !== state.run || !this.#run.isRead) return this.#readRun(state.run, state, signal);
    this.#reportExit(state);
    if (state.isOver || !wish.follow) return this.#end('ended', state.exit ?? null);
    if (state.phase !== 'running') return this.#await(state.phase, (state.phase === 'waiting' ? state.waits : state.exit) ?? null, signal);
    // The cluster has not noticed the end yet, or only the connection ended.
    const before = this.#pod;
    await this.#pause(signal);
    if (before === this.#pod) this.#run = { ...this.#run, isRead: false };
    return 'on';
  }

  async #readRun(id: string, state: ContainerState, signal: AbortSignal): Promise<Next> {
    const { feed, wish } = this.#deps;
    const before = this.#run;
    const resumed = before?.id === id && Number.isFinite(feed.latest) ? feed.latest : undefined;
    if (before !== undefined && before.id !== id) this.#mark('restarted', `started again, restart ${state.restarts}`, id);
    this.#run = { id, isRead: false };
    const since = resumed === undefined ? wish.since : toKubeTime(toInstant(resumed));
    const part = {
      since: before === undefined || resumed !== undefined ? since : undefined,
      tail: before === undefined ? wish.tail : undefined,
    };
    const outcome = await this.#open({ ...part, previous: false, follow: wish.follow && !state.isOver }, resumed, signal);
    if (outcome.kind !== 'over') return this.#bear(outcome, signal);
    if (feed.latest !== resumed) this.#pauses = 0;
    this.#run = { id, isRead: true };
    return 'on';
  }

  async #readPrevious(state: ContainerState, signal: AbortSignal): Promise<Next> {
    const outcome = await this.#open({ ...this.#deps.wish, follow: false }, undefined, signal);
    if (outcome.kind !== 'over')
      return this.#end(outcome.kind === 'refused' && outcome.status === 400 ? 'ended' : 'refused', outcome.sentence);
    if (state.exitBefore !== undefined) this.#mark('exited', `ended: ${state.exitBefore.how}`, state.exitBefore.at);
    return this.#end('ended', 'the previous run');
  }

  async #open(part: LogRequest, resumed: number | undefined, signal: AbortSignal): Promise<Outcome> {
    const { cluster, feed, source, container, onState } = this.#deps;
    const reading = new AbortController();
    this.#reading = reading;
    feed.turn('opening');
    onState('opening', null);
    const into = {
      cluster: cluster(),
      feed,
      from: source.id,
      signal: AbortSignal.any([signal, reading.signal]),
      after: resumed ?? Number.NEGATIVE_INFINITY,
    };
    try {
      return await readLog(
        { ...part, ns: source.ns, pod: source.pod, container: container.name },
        { ...into, onOpen: () => onState('reading', null) },
      );
    } catch (error) {
      return signal.aborted || reading.signal.aborted ? { kind: 'over' } : { kind: 'broken', sentence: messageOf(error) };
    } finally {
      feed.turn('quiet');
    }
  }

  /** What may be over in a moment is tried again; what the person may not read is left. */
  async #bear(outcome: Exclude<Outcome, { readonly kind: 'over' }>, signal: AbortSignal): Promise<Next> {
    const { wish, onState, feed } = this.#deps;
    const status = outcome.kind === 'refused' ? outcome.status : 0;
    if (status === 403 || status === 401 || !wish.follow) return this.#end(status === 400 ? 'waiting' : 'refused', outcome.sentence);
    if (status === 400 || status === 404) onState('waiting', outcome.sentence);
    else {
      if (outcome.kind === 'broken' && Number.isFinite(feed.latest))
        this.#mark('broken', `the connection to the log broke: ${outcome.sentence}`, null);
      onState('broken', outcome.sentence);
    }
    await this.#pause(signal);
    return 'on';
  }

  #reportExit({ run, exit, exitedAt }: ContainerState): void {
    if (exit === undefined || this.#toldExitOf === run) return;
    this.#toldExitOf = run;
    this.#mark('exited', `ended: ${exit}`, exitedAt ?? null);
  }

  #reportGone(): Next {
    if (this.#run !== undefined) this.#mark('gone', `pod ${this.#deps.source.pod} is gone`, toIso(this.#deps.clock.now()));
    return this.#end('gone', null);
  }

  #mark(mark: NonNullable<LogLine['mark']>, text: string, at: string | null): void {
    this.#deps.feed.push({ order: parseInstant(at), line: { from: this.#deps.source.id, at, text, mark } });
  }

  #end(state: LogSourceState, note: string | null): Next {
    this.#deps.onState(state, note);
    return 'over';
  }

  async #await(state: LogSourceState, note: string | null, signal: AbortSignal): Promise<Next> {
    this.#deps.onState(state, note);
    await this.#news(signal);
    return 'on';
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const cancel = this.#deps.clock.schedule(backOffMs(PACE, this.#pauses++), () => this.wake());
    await this.#news(signal);
    cancel();
  }

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const over = () => {
        signal.removeEventListener('abort', over);
        this.#wake = () => undefined;
        resolve();
      };
      this.#wake = over;
      signal.addEventListener('abort', over);
      if (signal.aborted) over();
    });
  }
}
