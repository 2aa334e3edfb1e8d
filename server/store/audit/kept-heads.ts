import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { AuditHead } from '@/lib/contract/audit-head';
import { auditHead, isSigned } from '@/lib/contract/audit-head';
import { signatureVerifier } from '@/server/platform';
import { writeAtomically } from './write-atomically';

/** Heads as they are kept outside the store. */
export const keptHeads = z.object({
  /** Of the newest entry, at most a second old. */
  running: auditHead.nullable().default(null),
  /** Signed each day and every thousand entries, the oldest first. */
  signed: z.array(auditHead).default([]),
  /** Heads that the store did not agree with when the next was to take their place. They stay, so that it is not forgotten. */
  contradicted: z.array(auditHead).default([]),
});
export type KeptHeads = z.infer<typeof keptHeads>;

export const NO_HEADS: KeptHeads = { running: null, signed: [], contradicted: [] };
const MAX_SIGNED = 1000;
const MAX_CONTRADICTED = 20;

/** Where heads are kept outside the store. */
export interface HeadStorage {
  /** How people call it. */
  readonly name: string;
  /** What is kept there; undefined when nothing is. Throws what people are told when it cannot be read. */
  read(publicKey: string): Promise<KeptHeads | undefined>;
  /** Adds to what is kept. */
  keep(publicKey: string, heads: KeptHeads): Promise<void>;
  /** True where the running head is kept too; elsewhere only signed ones are, which are few. */
  readonly keepsRunning: boolean;
}

/** Heads of two writers as one: the newest running head, and everything that was signed. */
export function mergeHeads(left: KeptHeads, right: KeptHeads): KeptHeads {
  const running = (left.running?.entries ?? -1) > (right.running?.entries ?? -1) ? left.running : right.running;
  return {
    running,
    signed: distinct([...left.signed, ...right.signed]).slice(-MAX_SIGNED),
    contradicted: distinct([...left.contradicted, ...right.contradicted]).slice(0, MAX_CONTRADICTED),
  };
}

/**
 * The heads of a place that were signed with keys of the record, and how many were not. One that was changed since it was signed is kept with those that the
 * store contradicts, whatever it says.
 */
export function filterTrustedHeads({ running, signed, contradicted }: KeptHeads, keys: ReadonlySet<string>) {
  const isOurs = ({ publicKey }: AuditHead) => keys.has(publicKey);
  const holds = (head: AuditHead) => isOurs(head) && isSigned(head, signatureVerifier);
  const all = [...(running === null ? [] : [running]), ...signed, ...contradicted];
  const changed = all.filter((head) => isOurs(head) && !holds(head));
  const ours: KeptHeads = {
    running: running !== null && holds(running) ? running : null,
    signed: signed.filter(holds),
    contradicted: distinct([...contradicted.filter(isOurs), ...changed]),
  };
  return { ours, foreign: all.filter((head) => !isOurs(head)).length };
}

/**
 * What is to be kept in a place, where `found` lies: a running head that was not signed with our key, however many entries it names, gives way to ours.
 */
export function addHeads(found: KeptHeads, heads: KeptHeads, publicKey: string): KeptHeads {
  const { running } = found;
  const isOurs = running !== null && running.publicKey === publicKey && isSigned(running, signatureVerifier);
  return mergeHeads(isOurs || heads.running === null ? found : { ...found, running: null }, heads);
}

function distinct(heads: readonly KeptHeads['signed'][number][]) {
  return [...new Map(heads.map((head) => [head.signature, head])).values()].sort((left, right) => left.entries - right.entries);
}

/** The data folder as a place for heads; one of our processes writes there at a time. */
export function folderHeadStorage(folder: string): HeadStorage {
  const file = path.join(folder, 'heads.json');
  const read = async () => {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    });
    return text === undefined ? undefined : keptHeads.parse(JSON.parse(text));
  };
  return {
    name: file,
    keepsRunning: true,
    read,
    // What the folder holds of a former key is kept beside that of the present one.
    keep: async (publicKey, heads) => writeAtomically(file, JSON.stringify(addHeads((await read()) ?? NO_HEADS, heads, publicKey))),
  };
}
