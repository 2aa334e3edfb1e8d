import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { doctorReport } from '@/lib/contract/finding';
import { snapshotOf } from '@/lib/contract/live';
import { statusRow } from '@/lib/contract/system-rows';
import type { Client } from './client';
import { signIn } from './client';
import { describeFindings } from './describe-findings';
import { describeStatus } from './describe-status';
import { describeStatusRules } from './status-rules-command';
import { describeVerified, verifyLines } from './verify-lines';
import type { WaitOptions } from './wait-command';
import { describeWait, runWait } from './wait-command';

export interface ProgramDeps {
  readonly print: (text: string) => void;
  readonly fetch: typeof fetch;
  readonly stdin: NodeJS.ReadableStream;
  readonly warn: (text: string) => void;
  /** Called when what was looked at is not in order, with the exit code; 1 when absent. */
  readonly fail: (code?: number) => void;
}

interface ServerOptions {
  readonly url: string;
  readonly token?: string;
}

const verification = z.object({ entries: z.number(), intact: z.boolean(), brokenAt: z.number().nullable() });

/** The `slipway` command. */
export function createProgram(deps: ProgramDeps): Command {
  const program = new Command('slipway').description('Looks at a Slipway server, waits for what it runs, and checks its record.');
  withServer(program.command('status').description('Tells the state of the cluster and what waits, fails and moves.')).action(
    async (options: ServerOptions) => {
      await using client = await connect(options, deps);
      const [row] = (await client.read('/api/v1/live?topic=status', snapshotOf(statusRow))).rows;
      if (row === undefined) throw new Error('the server tells no status yet; try again');
      deps.print(describeStatus(row));
      if (row.trouble !== null) deps.fail();
    },
  );
  withServer(program.command('doctor').description('Looks for what of the installation is not in order, and tells what mends it.')).action(
    async (options: ServerOptions) => {
      await using client = await connect(options, deps);
      const { findings } = await client.read('/api/v1/doctor', doctorReport);
      deps.print(describeFindings(findings));
      if (findings.length > 0) deps.fail();
    },
  );
  const audit = program.command('audit').description('The record of decisions and changes.');
  withServer(audit.command('export').description('Prints the record as JSON lines, oldest first.')).action(async (options: ServerOptions) => {
    await using client = await connect(options, deps);
    deps.print((await client.readText('/api/v1/activity/export')).trimEnd());
  });
  withServer(
    audit
      .command('verify')
      .description('Checks that every entry follows from the one before.')
      .option('--file <file>', 'an exported record, - for standard input; no server is asked'),
  ).action(async (options: ServerOptions & { readonly file?: string }) => {
    const verified = options.file === undefined ? await verifyOnServer(options, deps) : await verifyLines(linesOf(options.file, deps));
    deps.print(describeVerified(verified));
    if ('head' in verified) deps.print(`newest hash ${verified.head}`);
    if (!verified.intact) deps.fail();
  });
  describeStatusRules(program.command('status-rules'), deps);
  const waiting = withServer(describeWait(program.command('wait')));
  waiting.action((kind: string | undefined, name: string | undefined, options: ServerOptions & WaitOptions) =>
    runWait({ kind, name, options }, { ...deps, connect: () => connect(options, deps) }),
  );
  return program;
}

function withServer(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', 'address of the server').env('SLIPWAY_URL').default('http://127.0.0.1:3000'))
    .addOption(new Option('--token <token>', 'token to sign in with: one the server printed or a cluster token').env('SLIPWAY_TOKEN'));
}

async function connect({ url, token }: ServerOptions, deps: ProgramDeps): Promise<Client> {
  if (token === undefined) throw new Error('a token is wanted: give --token, or set SLIPWAY_TOKEN');
  return signIn(url, token, deps.fetch);
}

async function verifyOnServer(options: ServerOptions, deps: ProgramDeps) {
  await using client = await connect(options, deps);
  return await client.read('/api/v1/activity/verify', verification);
}

function linesOf(file: string, { stdin }: ProgramDeps): AsyncIterable<string> {
  const input = file === '-' ? stdin : createReadStream(file, 'utf8');
  return createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}
