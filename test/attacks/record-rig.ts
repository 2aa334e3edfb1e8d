import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { AuditRow } from '@/lib/contract/audit-chain';
import { coveredText, GENESIS } from '@/lib/contract/audit-chain';
import type { ExportLine } from '@/lib/contract/audit-head';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { toInstant } from '@/lib/std/instant';
import { createProgram } from '@/server/cli/program';
import { signatureVerifier } from '@/server/platform';
import type { AuditLog } from '@/server/store/audit/audit-log';
import { createAuditLog } from '@/server/store/audit/audit-log';
import { HeadKeeper } from '@/server/store/audit/head-keeper';
import type { HeadStorage } from '@/server/store/audit/kept-heads';
import { folderHeadStorage } from '@/server/store/audit/kept-heads';
import { openSigningKeys } from '@/server/store/audit/signing-key';
import type { Database } from '@/server/store/database';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../support/silent-log';

export const START = Date.UTC(2026, 0, 1, 9);

/** An entry about an object of a namespace. */
export function anEntry(id: string, namespace = 'shop'): RecordEntry {
  const about = { apiVersion: 'serving.knative.dev/v1', kind: 'RolloutOrchestrator', namespace, name: 'web' };
  return { id, at: toInstant(START), actor: 'ada', action: 'decision.approve', about, message: `approval ${id}` };
}

export interface OpenRecord extends AsyncDisposable {
  readonly log: AuditLog;
  readonly clock: ManualClock;
  add(...ids: readonly string[]): Promise<void>;
}

/** The record of one process, as the product opens it: keys and heads in a folder. */
export async function openRecord(
  database: Database,
  folder: string,
  more: { readonly places?: readonly HeadStorage[]; readonly keyFile?: string } = {},
): Promise<OpenRecord> {
  const clock = new ManualClock();
  const keys = await openSigningKeys(folder, more.keyFile);
  const heads = new HeadKeeper({ database, keys, places: [folderHeadStorage(folder), ...(more.places ?? [])], clock, log: silentLog });
  await heads.open();
  const log = createAuditLog(database, clock, heads);
  return {
    log,
    clock,
    async add(...ids) {
      for (const id of ids) await log.append(anEntry(id, id.startsWith('bank') ? 'bank' : 'shop'));
    },
    [Symbol.asyncDispose]: () => heads[Symbol.asyncDispose](),
  };
}

/** Lines of an export. */
export async function exported(log: AuditLog, namespaces: 'all' | readonly string[] = 'all'): Promise<(AuditRow | ExportLine)[]> {
  const lines: (AuditRow | ExportLine)[] = [];
  for await (const line of log.export(namespaces)) lines.push(line);
  return lines;
}

export const rowsOf = (lines: readonly (AuditRow | ExportLine)[]): AuditRow[] => lines.flatMap((line) => ('seq' in line ? [line] : []));

/** What somebody does who can write everything but has no key: entries with new hashes, each following from the one before. */
export function chainedAnew(rows: readonly AuditRow[], from = 1): AuditRow[] {
  const anew: AuditRow[] = [];
  for (const [at, row] of rows.entries()) {
    const fresh = { ...row, seq: at + 1, previous: anew.at(-1)?.hash ?? GENESIS };
    anew.push(at + 1 < from ? row : { ...fresh, hash: signatureVerifier.sha256(coveredText(fresh)) });
  }
  return anew;
}

/** Runs `slipway audit verify` over lines, as a person would. */
export async function verifyFile(
  lines: readonly object[],
  ...kept: readonly object[]
): Promise<{ readonly text: string; readonly code: number }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'slipway-verify-'));
  try {
    const heads = await Promise.all(
      kept.map(async (head, at) => {
        const file = path.join(folder, `head-${at}.json`);
        await writeFile(file, JSON.stringify(head));
        return ['--head', file];
      }),
    );
    const printed: string[] = [];
    let code = 0;
    const program = createProgram({
      print: (text) => printed.push(text),
      warn: () => undefined,
      fetch: () => Promise.reject(new Error('no server')),
      stdin: Readable.from([lines.map((line) => `${JSON.stringify(line)}\n`).join('')]),
      fail: (failed = 1) => {
        code = failed;
      },
    });
    await program.parseAsync(['audit', 'verify', '--file', '-', ...heads.flat()], { from: 'user' });
    return { text: printed.join('\n'), code };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
