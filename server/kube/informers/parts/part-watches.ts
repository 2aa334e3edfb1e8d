import type { InformerState } from '../../informer';

/** How one namespace is watched: runs until its signal aborts, and tells what it is doing. */
export type WatchPart = (namespace: string, signal: AbortSignal, onState: (state: InformerState) => void) => Promise<void>;

interface Part {
  readonly stop: AbortController;
  ended: Promise<void>;
  isWatching: boolean;
  /** True once its first list is through. */
  isListed: boolean;
  /** Why it may not be read; undefined while it may, or while nobody knows. */
  refused: string | undefined;
}

/** Watches of single namespaces, for a kind that may not be read as a whole. */
export class PartWatches {
  readonly #watch: WatchPart;
  readonly #onChange: (namespace: string, isWatching: boolean) => void;
  readonly #onRefusal: () => void;
  readonly #parts = new Map<string, Part>();
  readonly #ending = new Set<Promise<void>>();
  #watching: readonly string[] | undefined;

  constructor(watch: WatchPart, on: { readonly change: (namespace: string, isWatching: boolean) => void; readonly refusal: () => void }) {
    this.#watch = watch;
    this.#onChange = on.change;
    this.#onRefusal = on.refusal;
  }

  /** Watches these namespaces and no others; those that are watched already go on. */
  set(namespaces: readonly string[]): void {
    const wanted = new Set(namespaces);
    for (const [namespace, part] of this.#parts) if (!wanted.has(namespace)) this.#close(namespace, part);
    for (const namespace of wanted) if (!this.#parts.has(namespace)) this.#open(namespace);
  }

  has(namespace: string): boolean {
    return this.#parts.get(namespace)?.isWatching === true;
  }

  /** True for a namespace that was listed and may be read. */
  holds(namespace: string): boolean {
    const part = this.#parts.get(namespace);
    return part?.isListed === true && part.refused === undefined;
  }

  /** True while a namespace is about to be listed for the first time. */
  isPending(namespace: string): boolean {
    const part = this.#parts.get(namespace);
    return part !== undefined && !part.isListed && part.refused === undefined;
  }

  /** Why a namespace may not be read. */
  refusalReason(namespace: string): string | undefined {
    return this.#parts.get(namespace)?.refused;
  }

  /** Namespaces whose watch is let through. */
  watching(): readonly string[] {
    this.#watching ??= [...this.#parts].flatMap(([namespace, { isWatching }]) => (isWatching ? namespace : []));
    return this.#watching;
  }

  /** Resolves once nothing of it runs any more. */
  async ended(): Promise<void> {
    this.set([]);
    await Promise.all(this.#ending);
  }

  #open(namespace: string): void {
    const stop = new AbortController();
    const onState = (state: InformerState) => this.#notify(namespace, stop.signal, state);
    const part: Part = { stop, ended: Promise.resolve(), isWatching: false, isListed: false, refused: undefined };
    this.#parts.set(namespace, part); // before its watch says anything
    part.ended = this.#watch(namespace, stop.signal, onState);
  }

  #close(namespace: string, { stop, ended, isWatching }: Part): void {
    stop.abort();
    this.#parts.delete(namespace);
    this.#watching = undefined;
    const over = ended.finally(() => this.#ending.delete(over));
    this.#ending.add(over);
    if (isWatching) this.#onChange(namespace, false);
  }

  #notify(namespace: string, signal: AbortSignal, state: InformerState): void {
    const part = this.#parts.get(namespace);
    if (part === undefined || signal.aborted) return;
    const isWatching = state.kind === 'watching';
    if (isWatching) part.isListed = true;
    const refused = state.kind === 'refused' ? state.reason : isWatching ? undefined : part.refused;
    const hasChanged = refused !== part.refused;
    part.refused = refused;
    if (part.isWatching === isWatching) {
      if (hasChanged) this.#onRefusal();
      return;
    }
    part.isWatching = isWatching;
    this.#watching = undefined;
    this.#onChange(namespace, isWatching);
  }
}
