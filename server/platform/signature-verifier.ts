import { createHash, createPublicKey, verify } from 'node:crypto';
import type { SignatureVerifier } from '@/lib/contract/audit-head';

/** Hashes and signatures by Node. A key or a signature that cannot be read holds nothing. */
export const signatureVerifier: SignatureVerifier = {
  sha256: (text) => createHash('sha256').update(text).digest('hex'),
  holds({ publicKey, text, signature }) {
    try {
      const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
      return key.asymmetricKeyType === 'ed25519' && verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));
    } catch {
      return false; // a key or a signature that is none proves nothing
    }
  },
};
