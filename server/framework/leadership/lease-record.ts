import { readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';

export const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' } as const;

/** How many shards the holder of a shard's Lease counts with. */
const LAYOUT = 'slipway.dev/shards';

/** Who holds a Lease, as its spec says. */
export interface LeaseRecord {
  /** Empty when it was released. */
  readonly holder: string;
  readonly durationMs: number;
  readonly transitions: number;
  readonly acquireTime: string | undefined;
  readonly layout: number | undefined;
}

/** What a replica writes of itself into a Lease. */
export interface LeaseClaim {
  readonly identity: string;
  readonly leaseMs: number;
  readonly layout: number;
  readonly now: Instant;
  /** Counts the renewals of this process, so that no two records are equal even when the clock stands still. */
  readonly round: number;
}

/** Reads the record of a Lease; what is missing reads as nobody. */
export function readLease(lease: KubeObject): LeaseRecord {
  const layout = Number(lease.metadata.annotations?.[LAYOUT]);
  return {
    holder: readString(lease, 'spec', 'holderIdentity') ?? '',
    durationMs: (readNumber(lease, 'spec', 'leaseDurationSeconds') ?? 0) * 1000,
    transitions: readNumber(lease, 'spec', 'leaseTransitions') ?? 0,
    acquireTime: readString(lease, 'spec', 'acquireTime'),
    layout: Number.isInteger(layout) && layout > 0 ? layout : undefined,
  };
}

/** The Lease as it is first created: ours, with no transition behind it. */
export function newLease(at: { readonly namespace: string; readonly name: string }, claim: LeaseClaim): KubeObject {
  const now = toMicroTime(claim);
  return withSpec({ ...LEASE, metadata: { ...at } }, claim, { acquireTime: now, renewTime: now, leaseTransitions: 0 });
}

/** The Lease taken or renewed, as client-go writes it: a change of holder counts a transition, a renewal keeps acquireTime. */
export function claimLease(lease: KubeObject, claim: LeaseClaim): KubeObject {
  const record = readLease(lease);
  const now = toMicroTime(claim);
  if (record.holder !== claim.identity)
    return withSpec(lease, claim, { acquireTime: now, renewTime: now, leaseTransitions: record.transitions + 1 });
  return withSpec(lease, claim, { acquireTime: record.acquireTime ?? now, renewTime: now, leaseTransitions: record.transitions });
}

/** The Lease given back: nobody holds it, and whoever wants it need not wait. */
export function releaseLease(lease: KubeObject, claim: LeaseClaim): KubeObject {
  const now = toMicroTime(claim);
  const spec = { acquireTime: now, renewTime: now, leaseTransitions: readLease(lease).transitions };
  return withSpec(lease, { ...claim, identity: '', leaseMs: 1000 }, spec);
}

function withSpec(lease: KubeObject, { identity, leaseMs, layout }: LeaseClaim, times: Readonly<Record<string, unknown>>): KubeObject {
  return {
    ...lease,
    metadata: { ...lease.metadata, annotations: { ...lease.metadata.annotations, [LAYOUT]: String(layout) } },
    spec: { ...(identity === '' ? {} : { holderIdentity: identity }), leaseDurationSeconds: Math.ceil(leaseMs / 1000), ...times },
  };
}

/** MicroTime has six digits of a second; ours knows three and numbers the renewal with the others. */
function toMicroTime({ now, round }: LeaseClaim): string {
  return `${toIso(now).slice(0, -1)}${String(round % 1000).padStart(3, '0')}Z`;
}
