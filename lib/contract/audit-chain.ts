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

/** What walking the chain came to. */
export interface Verified {
  readonly entries: number;
  readonly intact: boolean;
  /** The first entry that does not follow from the one before; null when all do. */
  readonly brokenAt: number | null;
}

/** Walks a chain from its beginning, row by row; `sha256` answers hex. */
export class ChainWalk {
  readonly #sha256: (text: string) => string;
  #entries = 0;
  #previous = GENESIS;
  #brokenAt: number | null = null;

  constructor(sha256: (text: string) => string) {
    this.#sha256 = sha256;
  }

  add(row: AuditRow): void {
    this.#entries++;
    const follows = row.seq === this.#entries && row.previous === this.#previous && row.hash === this.#sha256(coveredText(row));
    if (!follows) this.#brokenAt ??= this.#entries;
    this.#previous = row.hash;
  }

  result(): Verified {
    return { entries: this.#entries, intact: this.#brokenAt === null, brokenAt: this.#brokenAt };
  }

  /** Hash of the newest entry: who keeps it elsewhere notices when the end is cut off. */
  head(): string {
    return this.#previous;
  }
}
