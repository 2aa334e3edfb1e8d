/**
 * What a run carries: immutable, each derivation hides or adds one value. Go's context, without its deadline.
 * The signal is for I/O and aborts on a hard stop only; cancelling a run is a flag and no failure.
 */
export class RunContext {
  readonly signal: AbortSignal;
  readonly #parent: RunContext | undefined;
  readonly #key: symbol | undefined;
  readonly #value: unknown;

  private constructor(signal: AbortSignal, parent?: RunContext, key?: symbol, value?: unknown) {
    this.signal = signal;
    this.#parent = parent;
    this.#key = key;
    this.#value = value;
  }

  /** A context that carries nothing. */
  static background(signal: AbortSignal = new AbortController().signal): RunContext {
    return new RunContext(signal);
  }

  with(key: symbol, value: unknown): RunContext {
    return new RunContext(this.signal, this, key, value);
  }

  /** The innermost value under a key. */
  value(key: symbol): unknown {
    for (let at: RunContext | undefined = this; at !== undefined; at = at.#parent) if (at.#key === key) return at.#value;
    return undefined;
  }
}
