import { AppError } from '@/lib/contract/app-error';
import type { LeadershipOptions } from './leadership';

const LEASE_MS = 12_000;
const RENEW_MS = 2_000;
const MARGIN_MS = 2_000;

/** The options with what is absent put in; throws where a replica could act on a Lease that has lapsed. */
export function requireOptions(given: LeadershipOptions): Required<LeadershipOptions> {
  const options = { shards: 1, leaseMs: LEASE_MS, renewMs: RENEW_MS, marginMs: MARGIN_MS, ...given };
  const { identity, shards, leaseMs, renewMs, marginMs } = options;
  if (identity === '') throw new AppError('invalid', 'leadership needs an identity, found none');
  if (!Number.isInteger(shards) || shards < 1)
    throw new AppError('invalid', `leadership needs a whole number of shards from 1, found ${shards}`);
  if (renewMs <= 0 || marginMs < 0 || leaseMs < marginMs + 3 * renewMs) {
    throw new AppError(
      'invalid',
      `leadership needs leaseMs of at least marginMs and three times renewMs, found ${leaseMs}, ${marginMs} and ${renewMs}`,
    );
  }
  return options;
}
