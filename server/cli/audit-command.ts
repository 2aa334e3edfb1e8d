import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import type { Verified } from '@/lib/contract/audit-chain';
import { verification } from '@/lib/contract/audit-chain';
import { describeVerified, readHeads, verifyExport } from './audit-verify';
import type { Client } from './client';

export interface AuditDeps<Options> {
  readonly print: (text: string) => void;
  readonly stdin: NodeJS.ReadableStream;
  readonly fail: () => void;
  /** Adds the options that say which server is meant. */
  readonly withServer: (command: Command) => Command;
  readonly connect: (options: Options) => Promise<Client>;
}

interface VerifyOptions {
  readonly file?: string;
  readonly head?: readonly string[];
}

/** `slipway audit`: the record, printed and checked. */
export function describeAudit<Options>(command: Command, deps: AuditDeps<Options>): void {
  command.description('The record of decisions and changes.');
  deps
    .withServer(
      command.command('export').description('Prints the record as JSON lines, oldest first; the last is a head signed at that moment.'),
    )
    .action(async (options: Options) => {
      await using client = await deps.connect(options);
      for await (const line of client.readLines('/api/v1/activity/export')) deps.print(line);
    });
  deps
    .withServer(
      command.command('verify').description('Checks that no entry was changed, inserted or cut off, and names the first that was.'),
    )
    .option('--file <file>', 'an exported record, - for standard input; no server is asked')
    .option('--head <file...>', 'heads that were kept elsewhere: the record must agree with each')
    .action(async (options: Options & VerifyOptions) => {
      const verified = await verify(options, deps);
      deps.print(describeVerified(verified));
      if (!verified.intact) deps.fail();
    });
}

async function verify<Options>(options: Options & VerifyOptions, { stdin, connect }: AuditDeps<Options>): Promise<Verified> {
  const { signatureVerifier } = await import('@/server/platform');
  const kept = (await Promise.all((options.head ?? []).map(readHeads))).flat();
  if (options.file !== undefined) return verifyExport(linesOf(options.file, stdin), kept, signatureVerifier);
  await using client = await connect(options);
  // Who brings heads of their own does not take the server's word for it.
  if (kept.length > 0) return verifyExport(client.readLines('/api/v1/activity/export'), kept, signatureVerifier);
  return await client.read('/api/v1/activity/verify', verification);
}

async function* linesOf(file: string, stdin: NodeJS.ReadableStream): AsyncIterable<string> {
  const { unreadable } = await import('@/server/platform');
  const input = file === '-' ? stdin : createReadStream(file, 'utf8');
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw unreadable(file, error);
  }
}
