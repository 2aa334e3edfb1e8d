import { randomBytes, randomUUID } from 'node:crypto';
import type { Random } from './random';

/** Makes identifiers. */
export interface Ids {
  /** A version 4 UUID. */
  uuid(): string;
  /** Lower-case letters and digits that generateName and host names may carry. */
  suffix(length: number): string;
  /** An unguessable token, base64url of 32 bytes. */
  secret(): string;
}

// The alphabet of Kubernetes' own name generator: no vowels and no digits that look like one, so that no words appear.
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Identifiers from the system's randomness. */
export const systemIds: Ids = {
  uuid: () => randomUUID(),
  suffix: (length) => [...randomBytes(length)].map((byte) => ALPHABET[byte % ALPHABET.length]).join(''),
  secret: () => randomBytes(32).toString('base64url'),
};

/** Identifiers from a seeded source, equal in every run. Never for secrets outside tests. */
export function createSeededIds(random: Random): Ids {
  const hex = (length: number) => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
  return {
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    suffix: (length) => Array.from({ length }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join(''),
    secret: () => hex(43),
  };
}
