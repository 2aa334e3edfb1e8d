import type { AuditRow, Verified } from '@/lib/contract/audit-chain';
import { auditRow } from '@/lib/contract/audit-chain';
import type { AuditHead, AuditKey, ExportLine, SignatureVerifier } from '@/lib/contract/audit-head';
import { auditHead, exportLine, isSigned, keyName, trustedKeys } from '@/lib/contract/audit-head';
import { ChainWalk } from '@/lib/contract/verify-chain';
import { formatCount } from '@/lib/words/figures';

type Line = AuditRow | ExportLine;

/**
 * Checks an exported record by itself, without any server: its entries, the heads among them, and the one at its end.
 * With heads that were kept elsewhere, the export must agree with them, and be signed by one of their keys or by one that those vouch for.
 */
export async function verifyExport(lines: AsyncIterable<string>, kept: readonly AuditHead[], proofs: SignatureVerifier): Promise<Verified> {
  let walk: ChainWalk | undefined;
  let [number, keys, end]: [number, readonly AuditKey[], AuditHead | undefined] = [0, [], undefined];
  for await (const text of lines) {
    number++;
    if (text.trim() === '') continue;
    const line = parseLine(text, number);
    if ('export' in line) {
      if (walk !== undefined) throw new Error(`line ${number} begins another export: only one can be checked at a time`);
      walk = new ChainWalk(proofs, { heads: kept, namespaces: line.export.namespaces });
      continue;
    }
    walk ??= new ChainWalk(proofs, { heads: kept });
    end = 'head' in line ? line.head : 'keys' in line ? end : undefined;
    if ('seq' in line) walk.add(line);
    else if ('head' in line) walk.addHead(line.head);
    else keys = line.keys;
  }
  walk ??= new ChainWalk(proofs, { heads: kept });
  checkEnd(walk, end, { kept, keys, proofs });
  return walk.result();
}

interface Trust {
  readonly kept: readonly AuditHead[];
  readonly keys: readonly AuditKey[];
  readonly proofs: SignatureVerifier;
}

/** An export ends with a head; one that does not may be cut off anywhere. */
function checkEnd(walk: ChainWalk, end: AuditHead | undefined, { kept, keys, proofs }: Trust): void {
  const next = walk.last().seq + 1;
  if (end === undefined) {
    walk.fault(
      next,
      `the export does not end with a signed head: it is cut off after entry ${next - 1}, or the server did not sign what contradicts its heads`,
    );
    return;
  }
  if (end.part?.isFollowed === true)
    walk.fault(next, `the export is cut off after entry ${next - 1}: more entries follow the head signed at ${end.at}`);
  if (kept.length === 0) return;
  const genuine = kept.filter((head) => isSigned(head, proofs)).map(({ publicKey }) => publicKey);
  if (trustedKeys(genuine, keys, proofs).has(end.publicKey)) return;
  const last = Math.max(0, ...kept.map(({ entries }) => entries));
  walk.fault(
    last + 1,
    `entries after ${last} are signed with key ${keyName(end.publicKey, proofs)}, which no key of the kept heads vouches for`,
  );
}

function parseLine(text: string, number: number): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined; // it is refused below, with its number and how it begins
  }
  const entry = auditRow.safeParse(value);
  if (entry.success) return entry.data;
  const other = exportLine.safeParse(value);
  if (other.success) return other.data;
  throw new Error(`line ${number} needs an entry of the record, found ${text.slice(0, 60)}`);
}

/** Heads of a file, wherever they stand in it: one head, the `heads.json` of a data folder, or an export. */
export async function readHeads(file: string): Promise<readonly AuditHead[]> {
  const { readNamedFile } = await import('@/server/platform');
  const found = documentsOf(await readNamedFile(file)).flatMap(headsIn);
  // Those of an export of some namespaces tell nothing of another one.
  const whole = found.filter(({ part }) => part === undefined);
  if (whole.length > 0) return whole;
  const [part] = found.flatMap((head) => head.part ?? []);
  const instead =
    part === undefined ? 'none' : `only one of an export of ${part.namespaces.join(', ')}, which vouches for that export alone`;
  throw new Error(`${file} needs a signed head of the whole record, found ${instead}`);
}

function documentsOf(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    // An export is a document a line.
    return text.split('\n').flatMap((line) => {
      try {
        return line.trim() === '' ? [] : [JSON.parse(line) as unknown];
      } catch {
        return []; // prose beside a head, as in a mail; a file without any head is refused
      }
    });
  }
}

function headsIn(value: unknown): readonly AuditHead[] {
  const parsed = auditHead.safeParse(value);
  if (parsed.success) return [parsed.data];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(headsIn) : [];
}

/** What verifying came to, for people. */
export function describeVerified({ entries, intact, why, brokenAt, signed, head }: Verified): string {
  if (!intact) return `broken at entry ${brokenAt}: ${why}; ${formatCount(entries, 'entry was', 'entries were')} read`;
  const vouched =
    signed === null ? 'no head vouches for them' : `the head signed at ${signed.at} with key ${signed.key} vouches for ${signed.entries}`;
  return `${formatCount(entries, 'entry', 'entries')}, each follows from the one before; ${vouched}\nnewest hash ${head}`;
}
