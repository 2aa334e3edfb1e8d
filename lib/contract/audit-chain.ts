import { z } from 'zod';
import { toStableJson } from '@/lib/std/stable-json';

/** An entry of the record as it lies in the chain and as it is exported. `data` is JSON text; hashes are SHA-256 in hex. */
export const auditRow = z.object({
  seq: z.number().int().min(1),
  id: z.string(),
  at: z.string(),
  actor: z.string(),
  action: z.string(),
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string().nullable(),
  name: z.string(),
  message: z.string(),
  data: z.string().nullable(),
  previous: z.string(),
  hash: z.string(),
});
export type AuditRow = z.infer<typeof auditRow>;

/** What the first entry names as the hash before it. */
export const GENESIS = '0'.repeat(64);

/** The text that an entry's hash covers: all of it, its place and the hash before it included. */
export function coveredText(row: Omit<AuditRow, 'hash'>): string {
  const { seq, id, at, actor, action, apiVersion, kind, namespace, name, message, data, previous } = row;
  return toStableJson({ seq, id, at, actor, action, apiVersion, kind, namespace, name, message, data, previous });
}

/** What checking the record came to. */
export const verification = z.object({
  /** Entries that were read. */
  entries: z.number(),
  intact: z.boolean(),
  /** The first entry that is not as it was written; null when all are. */
  brokenAt: z.number().nullable(),
  /** What is wrong with it, in a sentence; null when nothing is. */
  why: z.string().nullable(),
  /** The newest signed head that the entries agree with: how many it vouches for, when it was signed, and the name of its key. */
  signed: z.object({ entries: z.number(), at: z.string(), key: z.string() }).nullable(),
  /** Hash of the newest entry. */
  head: z.string(),
});
export type Verified = z.infer<typeof verification>;
