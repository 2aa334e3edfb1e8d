import type { Command } from 'commander';
import type { SessionRow } from '@/lib/contract/sessions/session-rows';
import { endedSessions, sessionsPage } from '@/lib/contract/sessions/session-rows';
import { formatCount } from '@/lib/words/figures';
import type { ServerCommandDeps } from '../acts/server-command-deps';
import type { Client } from '../client';
import { toTable } from '../lists/to-table';

const PAGE = 200;

interface ListOptions {
  readonly everyone?: true;
  readonly search?: string;
}

interface EndOptions {
  readonly others?: true;
  readonly user?: string;
}

/** `slipway sessions`: who is signed in where, and its end. */
export function describeSessionsCommand<Options>(command: Command, deps: ServerCommandDeps<Options>): void {
  command.description('Lists sessions, and ends them.');
  deps
    .withServer(command.command('list').description('Lists your sessions, last used first.'))
    .option('--everyone', 'those of everyone; requires the right to list sessions')
    .option('--search <text>', 'only with this text in the user name or address')
    .action(async (options: Options & ListOptions) => {
      await using client = await deps.connect(options);
      deps.print(describeSessions(await readSessions(client, options)));
    });
  deps
    .withServer(command.command('end').description('Ends one session, or several.').argument('[id]', 'the session, as list names it'))
    .option('--others', 'all your sessions but the one of this command')
    .option('--user <user>', 'all sessions of this user; requires the right to delete sessions')
    .action(async (id: string | undefined, options: Options & EndOptions) => {
      const path = pathOf(id, options);
      await using client = await deps.connect(options);
      const { ended } = await client.remove(path, endedSessions);
      deps.print(ended === 0 ? 'no session to end' : `ended ${formatCount(ended, 'session')}`);
    });
}

/** Exactly one of the three says what is meant: nothing is ended by a guess. */
function pathOf(id: string | undefined, { others, user }: EndOptions): string {
  const [path, second] = [
    ...(id === undefined ? [] : [`/api/v1/sessions/${encodeURIComponent(id)}`]),
    ...(others === undefined ? [] : ['/api/v1/sessions']),
    ...(user === undefined ? [] : [`/api/v1/sessions?user=${encodeURIComponent(user)}`]),
  ];
  if (path === undefined || second !== undefined) throw new Error('name the sessions to end: an id, --others, or --user USER');
  return path;
}

async function readSessions(client: Client, { everyone, search }: ListOptions): Promise<readonly SessionRow[]> {
  const rows = new Map<string, SessionRow>();
  for (let page = 0; ; page++) {
    const query = new URLSearchParams({
      of: everyone ? 'everyone' : 'mine',
      ...(search && { q: search }),
      page: String(page),
      size: String(PAGE),
    });
    const { rows: read } = await client.read(`/api/v1/sessions?${query}`, sessionsPage);
    for (const row of read) rows.set(row.key, row);
    if (read.length < PAGE) return [...rows.values()];
  }
}

function describeSessions(rows: readonly SessionRow[]): string {
  if (rows.length === 0) return 'no sessions';
  const cells = rows.map(({ key, user, client, address, since, lastUsedAt, isThis }) => [
    key,
    user,
    `${client}${isThis ? ' (this one)' : ''}`,
    address ?? '-',
    since,
    lastUsedAt ?? '-',
  ]);
  return toTable([['ID', 'USER', 'CLIENT', 'ADDRESS', 'SIGNED IN', 'LAST USED'], ...cells]);
}
