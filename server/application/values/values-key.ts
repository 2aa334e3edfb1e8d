import { randomBytes } from 'node:crypto';

/**
 * The key of the digests that Secrets with values are named by. Console, engine and replicas share one, and it outlives the process: another one would
 * give values that stand inline other names, which is another revision. Never told, since a digest of a short value without a key can be guessed.
 */
export type ValuesKey = () => Promise<string>;

let own: string | undefined;

/** A key that ends with the process, where nothing outlives it. */
export const temporaryValuesKey: ValuesKey = async () => {
  own ??= randomBytes(32).toString('base64url');
  return own;
};
