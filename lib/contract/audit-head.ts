import { z } from 'zod';
import { toStableJson } from '@/lib/std/stable-json';

/**
 * A signed statement about the record: so many entries, and the hash of the last one. Whoever keeps one elsewhere notices when entries are cut
 * off, or when the whole chain is written anew. Keys are Ed25519, public keys as SPKI and signatures in base64.
 */
export const auditHead = z.object({
  entries: z.number().int().min(0),
  hash: z.string(),
  at: z.string(),
  /** A head that the record contradicted when this one was signed: what this one says of entries before is no proof that they are what they were. */
  contradicts: z.object({ entries: z.number().int().min(0), at: z.string() }).optional(),
  /** In an export of some namespaces: the places of its entries since the head before, how many it holds up to here, and a digest of their hashes. */
  part: z
    .object({
      namespaces: z.array(z.string()),
      places: z.array(z.number().int()),
      entries: z.number().int().min(0),
      digest: z.string(),
      /** True of a head that is not the last of its export. */
      isFollowed: z.literal(true).optional(),
    })
    .optional(),
  publicKey: z.string(),
  signature: z.string(),
});
export type AuditHead = z.infer<typeof auditHead>;

/** A key that signed heads. One that took the place of another is vouched for by it, where that was still at hand. */
export const auditKey = z.object({
  publicKey: z.string(),
  since: z.string(),
  endorsedBy: z.string().nullable(),
  endorsement: z.string().nullable(),
});
export type AuditKey = z.infer<typeof auditKey>;

/** Lines of an export beside its entries: what it is of at the beginning, heads, and at the end the keys and a head signed at that moment. */
export const exportLine = z.union([
  z.strictObject({ export: z.strictObject({ namespaces: z.array(z.string()).nullable() }) }),
  z.strictObject({ head: auditHead }),
  z.strictObject({ keys: z.array(auditKey) }),
]);
export type ExportLine = z.infer<typeof exportLine>;

/** What checking takes of cryptography: hashes in hex, and whether a signature holds. */
export interface SignatureVerifier {
  readonly sha256: (text: string) => string;
  readonly holds: (signed: { readonly publicKey: string; readonly text: string; readonly signature: string }) => boolean;
}

/** The text that the signature of a head covers: all of it but the signature. */
export function signedText({ entries, hash, at, contradicts, part, publicKey }: Omit<AuditHead, 'signature'>): string {
  const marked = contradicts === undefined ? {} : { contradicts };
  return `slipway audit head\n${toStableJson({ entries, hash, at, ...marked, part: part ?? null, publicKey })}`;
}

/** The text that a key signs to vouch for the one that takes its place. */
export function endorsedText(publicKey: string): string {
  return `slipway audit key\n${publicKey}`;
}

/** Whether a head bears the signature of the key that it names. */
export function isSigned(head: AuditHead, proofs: SignatureVerifier): boolean {
  return proofs.holds({ publicKey: head.publicKey, text: signedText(head), signature: head.signature });
}

/** Public keys that are trusted: those given, and those that a trusted one vouched for. */
export function trustedKeys(given: Iterable<string>, known: readonly AuditKey[], proofs: SignatureVerifier): ReadonlySet<string> {
  const trusted = new Set(given);
  for (let before = -1; before !== trusted.size; ) {
    before = trusted.size;
    for (const { publicKey, endorsedBy, endorsement } of known) {
      if (trusted.has(publicKey) || endorsedBy === null || endorsement === null || !trusted.has(endorsedBy)) continue;
      if (proofs.holds({ publicKey: endorsedBy, text: endorsedText(publicKey), signature: endorsement })) trusted.add(publicKey);
    }
  }
  return trusted;
}

/** A key as people compare it: the beginning of its digest. */
export function keyName(publicKey: string, { sha256 }: Pick<SignatureVerifier, 'sha256'>): string {
  return sha256(publicKey).slice(0, 16);
}
