import type { KubeObject } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import type { LeaseRecord } from './lease-record';
import { readLease } from './lease-record';

/**
 * One Lease as this replica has seen it.
 *
 * 1. A record ages by our own time since we first saw it; the times written in it belong to another clock and are never compared.
 * 2. A look adds at most the time that we meant to let pass, and a little: a wall clock that is set forward ages nothing.
 * 3. A Lease that somebody held and that is gone is waited out like one that is no longer renewed: its holder may not know yet.
 */
export class ObservedLease {
  readonly name: string;
  lease: KubeObject | undefined;
  record: LeaseRecord | undefined;
  #said = '';
  #ageMs = 0;
  #waitOutMs = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Takes in what a look brought, so many milliseconds of ours after the one before. */
  see(lease: KubeObject | undefined, sinceLastLookMs: number, leaseMs: number): void {
    const said = lease === undefined ? '' : toStableJson(lease.spec ?? null);
    const heldBefore = this.holder !== '';
    this.lease = lease;
    if (said === this.#said) {
      this.#ageMs += sinceLastLookMs;
    } else {
      this.#ageMs = 0;
      this.#said = said;
      const next = lease === undefined ? undefined : readLease(lease);
      if (next !== undefined) this.#waitOutMs = next.holder === '' ? 0 : Math.max(leaseMs, next.durationMs);
      else if (!heldBefore) this.#waitOutMs = 0;
      this.record = next;
    }
  }

  /** Who holds it; empty when nobody does. */
  get holder(): string {
    return this.record?.holder ?? '';
  }

  /** How long it has not changed, as far as we can tell. */
  get ageMs(): number {
    return this.#ageMs;
  }

  /** How long nobody else may take it; 0 when it is free. */
  get remainingMs(): number {
    return Math.max(0, this.#waitOutMs - this.#ageMs);
  }
}
