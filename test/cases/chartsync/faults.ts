import type { Fault } from './world';

interface Call {
  readonly release?: string;
  readonly namespace?: string;
  readonly path?: string;
}

/** The faults of a case: which call fails, after how many and how often. */
export class Faults {
  readonly #faults: readonly Fault[];
  readonly #calls = new Map<Fault, number>();
  armed = false;

  constructor(faults: readonly Fault[]) {
    this.#faults = faults;
  }

  /** The fault that this call meets. */
  find(on: string, call: Call = {}): Fault | undefined {
    if (!this.armed) return undefined;
    for (const fault of this.#faults) {
      if (
        fault.on !== on ||
        !(['release', 'namespace', 'path'] as const).every((field) => fault[field] === undefined || fault[field] === call[field])
      )
        continue;
      const before = this.#calls.get(fault) ?? 0;
      this.#calls.set(fault, before + 1);
      const { after = 0, times = Number.POSITIVE_INFINITY } = fault;
      if (before >= after && before < after + times) return fault;
    }
    return undefined;
  }

  /** Throws the fault that this call meets. */
  meet(on: string, call: Call = {}): void {
    const fault = this.find(on, call);
    if (fault !== undefined) throw new Error(fault.error);
  }
}
