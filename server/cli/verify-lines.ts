import { createHash } from 'node:crypto';
import type { Verified } from '@/lib/contract/audit-chain';
import { auditRow, ChainWalk } from '@/lib/contract/audit-chain';

/** Walks an exported record, one JSON entry a line, without any server. */
export async function verifyLines(lines: AsyncIterable<string>): Promise<Verified & { readonly head: string }> {
  const walk = new ChainWalk((text) => createHash('sha256').update(text).digest('hex'));
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    walk.add(parseLine(line, number));
  }
  return { ...walk.result(), head: walk.head() };
}

function parseLine(line: string, number: number) {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    value = undefined;
  }
  const parsed = auditRow.safeParse(value);
  if (!parsed.success) throw new Error(`line ${number} wants an entry of the record, found ${line.slice(0, 60)}`);
  return parsed.data;
}

/** What verifying came to, for people. */
export function describeVerified({ entries, intact, brokenAt }: Verified): string {
  if (intact) return `${entries} entries, each follows from the one before`;
  return `broken at entry ${brokenAt}: it does not follow from the one before; ${entries} entries were read`;
}
