import type { ConditionStatus } from '@/lib/kube/condition';
import type { Fields } from '@/lib/kube/fields';
import { readList, readNumber, readString } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import { toKubeTime } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import type { Phase } from './phases';
import { PHASES } from './phases';

export const OBSERVED_GENERATION = 'observedGeneration';

interface PhaseOptions {
  readonly message?: string;
  /** Conditions of the phase that are not set. */
  readonly without?: readonly string[];
}

/** The status of one resource as a sync changes it; what was not written yet is told by `changes`. */
export class StatusDraft {
  readonly #clock: Clock;
  #written: Fields;
  #now: Fields;

  constructor(status: Fields, clock: Clock) {
    this.#clock = clock;
    this.#written = status;
    this.#now = status;
  }

  /** The phase, and what it says of the conditions; its reason is the phase. */
  phase(phase: Phase, { message = '', without = [] }: PhaseOptions = {}): void {
    this.set({ phase });
    for (const [type, status] of PHASES[phase]) if (!without.includes(type)) this.condition(type, status, { reason: phase, message });
  }

  /** Members of the status; null removes one. */
  set(members: Fields): void {
    this.#now = { ...this.#now, ...members };
  }

  /** Its transition time moves only when its status does. */
  condition(type: string, status: ConditionStatus, { reason, message }: { readonly reason: string; readonly message: string }): void {
    const before = this.#conditions().find((one) => readString(one, 'type') === type);
    if (
      before !== undefined &&
      readString(before, 'status') === status &&
      readString(before, 'reason') === reason &&
      readString(before, 'message') === message
    )
      return;
    const now = toKubeTime(this.#clock.now());
    const moved = readString(before, 'status') === status ? (readString(before, 'lastTransitionTime') ?? now) : now;
    const condition = { type, status, reason, message, lastUpdateTime: now, lastTransitionTime: moved };
    this.set({ conditions: [...this.#conditions().filter((one) => readString(one, 'type') !== type), condition] });
  }

  dropCondition(type: string): void {
    const kept = this.#conditions().filter((one) => readString(one, 'type') !== type);
    if (kept.length < this.#conditions().length) this.set({ conditions: kept });
  }

  conditionStatus(type: string): string | undefined {
    return readString(this.#condition(type), 'status');
  }

  text(member: string): string | undefined {
    return readString(this.#now, member);
  }

  number(member: string): number | undefined {
    return readNumber(this.#now, member);
  }

  /** A sync of this generation has ended, however it ended. */
  sawGeneration(generation: number): void {
    this.set({ [OBSERVED_GENERATION]: generation });
  }

  /** Writes what differs from what was written last, as a merge patch; what could not be written, the next time. */
  async write(patch: (changes: Fields) => Promise<void>): Promise<void> {
    const now = this.#now;
    const changes = Object.entries(now).filter(([member, value]) => !deepEqual(value, this.#written[member]));
    if (changes.length > 0) await patch(Object.fromEntries(changes));
    this.#written = now;
  }

  #condition(type: string): unknown {
    return this.#conditions().find((one) => readString(one, 'type') === type);
  }

  #conditions(): readonly unknown[] {
    return readList(this.#now, 'conditions');
  }
}
