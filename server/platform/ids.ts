import { randomBytes, randomUUID } from 'node:crypto';

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
