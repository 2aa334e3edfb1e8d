import { Command, Option } from 'commander';
import { DEFAULT_DATA_DIR } from '@/lib/contract/command-access';
import { doctorReport } from '@/lib/contract/finding';
import { snapshotOf } from '@/lib/contract/live';
import { statusRow } from '@/lib/contract/system-rows';
import { describeApplicationCommand } from './acts/application-command';
import { describeAudit } from './audit-command';
import type { Client } from './client';
import { signIn } from './client';
import { describeFindings } from './describe-findings';
import { describeStatus } from './describe-status';
import type { ServerOptions } from './find-server';
import { findServer } from './find-server';
import type { PortForwardOptions } from './forward/port-forward-command';
import { describePortForward, runPortForward } from './forward/port-forward-command';
import { describeGrant } from './grant-command';
import type { LogsOptions } from './logs-command';
import { describeLogs, runLogs } from './logs-command';
import { describeReleaseCommand, describeReleasesCommand } from './releases/release-command';
import { describeRolloutCommand } from './rollouts/rollout-command';
import { describeSessionsCommand } from './sessions/sessions-command';
import { describeStatusRules } from './status-rules-command';
import type { WaitOptions } from './wait-command';
import { describeWait, runWait } from './wait-command';

export interface ProgramDeps {
  readonly print: (text: string) => void;
  readonly fetch: typeof fetch;
  readonly stdin: NodeJS.ReadableStream;
  readonly warn: (text: string) => void;
  /** Called when what was looked at is not in order, with the exit code; 1 when absent. */
  readonly fail: (code?: number) => void;
  /** Ends when whoever runs the command interrupts it; never when absent. */
  readonly leaving?: () => AbortSignal;
}

/** The `slipway` command. */
export function createProgram(deps: ProgramDeps): Command {
  const program = new Command('slipway').description(
    'Shows what a Slipway server runs, waits for it, reads logs, forwards ports, acts on applications, rollouts and Helm releases, ends sessions, and verifies the record.',
  );
  withServer(program.command('status').description('Shows the state of the cluster and what is waiting, failing and in progress.')).action(
    async (options: ServerOptions) => {
      await using client = await connect(options, deps);
      const [row] = (await client.read('/api/v1/rows?topic=status', snapshotOf(statusRow))).rows;
      if (row === undefined) throw new Error('the server has no status yet; try again');
      deps.print(describeStatus(row));
      if (row.trouble !== null) deps.fail();
    },
  );
  withServer(program.command('doctor').description('Checks the installation and prints a command that fixes each problem.')).action(
    async (options: ServerOptions) => {
      await using client = await connect(options, deps);
      const { findings } = await client.read('/api/v1/doctor', doctorReport);
      deps.print(describeFindings(findings));
      if (findings.length > 0) deps.fail();
    },
  );
  describeAudit(program.command('audit'), { ...deps, withServer, connect: (options: ServerOptions) => connect(options, deps) });
  const asking = {
    ...deps,
    fail: (code?: number) => deps.fail(code),
    withServer,
    connect: (options: ServerOptions) => connect(options, deps),
  };
  describeApplicationCommand(program.command('application').alias('app'), asking);
  describeRolloutCommand(program.command('rollout'), asking);
  describeReleasesCommand(program.command('releases'), asking);
  describeReleaseCommand(program.command('release'), asking);
  describeSessionsCommand(program.command('sessions'), asking);
  describeStatusRules(program.command('status-rules'), deps);
  describeGrant(program.command('grant'), deps);
  const waiting = withServer(describeWait(program.command('wait')));
  waiting.action((kind: string | undefined, name: string | undefined, options: ServerOptions & WaitOptions) =>
    runWait({ kind, name, options }, { ...deps, connect: () => connect(options, deps) }),
  );
  withServer(describeLogs(program.command('logs'))).action((kind: string, name: string | undefined, options: ServerOptions & LogsOptions) =>
    runLogs(kind, name, options, { ...deps, connect: () => connect(options, deps) }),
  );
  withServer(describePortForward(program.command('port-forward'))).action(
    (pod: string, ports: readonly string[], options: ServerOptions & PortForwardOptions) =>
      runPortForward(
        { pod, ports, options },
        { ...deps, leaving: deps.leaving ?? (() => new AbortController().signal), connect: () => connect(options, deps) },
      ),
  );
  return program;
}

function withServer(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', 'address of the server').env('SLIPWAY_URL'))
    .addOption(new Option('--token <token>', 'token to sign in with: one the server printed or a cluster token').env('SLIPWAY_TOKEN'))
    .addOption(
      new Option('--data-dir <folder>', 'data folder of a server on this machine, if no token is given')
        .env('SLIPWAY_DATA_DIR')
        .default(DEFAULT_DATA_DIR),
    );
}

async function connect(options: ServerOptions, deps: ProgramDeps): Promise<Client> {
  const { url, token } = await findServer(options);
  return signIn(url, token, deps.fetch);
}
