import type { InformerState } from '../informer';

/** How one namespace is watched: runs until its signal aborts, and tells what it is doing. */
export type WatchPart = (namespace: string, signal: AbortSignal, onState: (state: InformerState) => void) => Promise<void>;

interface Part {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  isWatching: boolean;
}

/** Watches of single namespaces, for a kind that may not be read as a whole. */
export class PartWatches {
  readonly #watch: WatchPart;
  readonly #onChange: (namespace: string, isWatching: boolean) => void;
  readonly #parts = new Map<string, Part>();
  readonly #ending = new Set<Promise<void>>();
  #watching: readonly string[] | undefined;

  constructor(watch: WatchPart, onChange: (namespace: string, isWatching: boolean) => void) {
    this.#watch = watch;
    this.#onChange = onChange;
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
    const onState = ({ kind }: InformerState) => this.#tell(namespace, stop.signal, kind === 'watching');
    this.#parts.set(namespace, { stop, ended: this.#watch(namespace, stop.signal, onState), isWatching: false });
  }

  #close(namespace: string, { stop, ended, isWatching }: Part): void {
    stop.abort();
    this.#parts.delete(namespace);
    this.#watching = undefined;
    const over = ended.finally(() => this.#ending.delete(over));
    this.#ending.add(over);
    if (isWatching) this.#onChange(namespace, false);
  }

  #tell(namespace: string, signal: AbortSignal, isWatching: boolean): void {
    const part = this.#parts.get(namespace);
    if (part === undefined || signal.aborted || part.isWatching === isWatching) return;
    part.isWatching = isWatching;
    this.#watching = undefined;
    this.#onChange(namespace, isWatching);
  }
}
