import type { Command } from 'commander';
import type { ApplicationRow } from '@/lib/contract/application-rows';
import { applicationRow } from '@/lib/contract/application-rows';
import { HEALTH_STATUSES } from '@/lib/contract/health';
import type { ListOptions } from '../lists/list-options';
import { readRows, withListOptions } from '../lists/list-options';
import { toTable } from '../lists/to-table';
import type { ServerCommandDeps } from './server-command-deps';

/** `slipway application list`: the applications that one may see, filtered as the page filters them. */
export function describeListApplications<Options>(command: Command, deps: ServerCommandDeps<Options>): void {
  withListOptions(deps.withServer(command.command('list').description('Lists applications.')))
    .option('--health <statuses>', 'only in these statuses, such as Failed,InProgress')
    .action(async (options: Options & ListOptions & { readonly health?: string }) => {
      await using client = await deps.connect(options);
      deps.print(
        describeApplications(
          await readRows(
            client,
            {
              noun: 'applications',
              warn: deps.warn,
              path: '/api/v1/applications',
              row: applicationRow,
              filter: { option: 'health', of: HEALTH_STATUSES, written: options.health },
            },
            options,
          ),
        ),
      );
    });
}

function describeApplications(rows: readonly ApplicationRow[]): string {
  if (rows.length === 0) return 'no applications';
  const cells = rows.map(({ ns, name, health, activity, revision, owner, message }) => [
    ns,
    name,
    health,
    activity,
    revision ?? '-',
    owner ?? '-',
    message,
  ]);
  return toTable([['NAMESPACE', 'NAME', 'HEALTH', 'ACTIVITY', 'REVISION', 'OWNER', 'NOW'], ...cells]);
}
