import type { Command } from 'commander';
import { parseValues } from '@/lib/contract/lists/list-query';
import type { TreeQuery } from '@/lib/contract/lists/tree-query';
import { TREE_STATUSES } from '@/lib/contract/lists/tree-query';
import { snapshotOf } from '@/lib/contract/live';
import { formatTopic } from '@/lib/contract/topic';
import type { TreeLine } from '@/lib/contract/tree-rows';
import { treeLine } from '@/lib/contract/tree-rows';
import { refuseSelector } from '@/lib/kube/labels/refuse-selector';
import type { Client } from '../client';
import { toTable } from '../lists/to-table';
import type { ServerCommandDeps } from './server-command-deps';

interface ObjectsOptions {
  readonly namespace: string;
  readonly in?: string;
  readonly selector?: string;
  readonly owner?: string;
  readonly kind?: string;
  readonly status?: string;
}

/** `slipway application objects`: what an application consists of, filtered as its page filters it. */
export function describeListObjects<Options>(command: Command, deps: ServerCommandDeps<Options>): void {
  deps
    .withServer(
      command.command('objects').description('Lists the objects of one, each with its status.').argument('<name>', 'the application'),
    )
    .option('-n, --namespace <namespace>', 'its namespace', 'default')
    .option('--in <namespaces>', 'only objects in these namespaces')
    .option('-l, --selector <selector>', 'only with these labels, such as app=web,tier in (a,b)')
    .option('--owner <owners>', 'only of these owners, such as ReplicaSet/shop/web-5d6f or ReplicaSet; none for objects without an owner')
    .option('--kind <kind>', 'only of this kind, such as Pod or Deployment.apps')
    .option('--status <status>', `only in this status: ${TREE_STATUSES.join(', ')}`)
    .action(async (name: string, options: Options & ObjectsOptions) => {
      const query = toQuery(options);
      await using client = await deps.connect(options);
      deps.print(describeObjects(await readLines(client, { ns: options.namespace, name }, query)));
    });
}

function toQuery({ in: namespaces, selector, owner, kind, status }: ObjectsOptions): TreeQuery {
  const wrong = selector === undefined ? null : refuseSelector(selector);
  if (wrong !== null) throw new Error(`--selector: ${wrong}`);
  const known = TREE_STATUSES.find((one) => one === status);
  if (status !== undefined && known === undefined)
    throw new Error(`--status: must be one of ${TREE_STATUSES.join(', ')}, found "${status}"`);
  return {
    ...(namespaces && { ns: parseValues(namespaces) }),
    ...(selector && { labels: selector }),
    ...(owner && { owner: parseValues(owner) }),
    ...(kind && { kind }),
    ...(known && { status: known }),
  };
}

async function readLines(
  client: Client,
  place: { readonly ns: string; readonly name: string },
  query: TreeQuery,
): Promise<readonly TreeLine[]> {
  const lines: TreeLine[] = [];
  for (let page = 0; ; page++) {
    const topic = encodeURIComponent(formatTopic({ kind: 'tree', ...place, query: { ...query, page } }));
    const window = await client.read(`/api/v1/rows?topic=${topic}`, snapshotOf(treeLine));
    lines.push(...window.rows);
    if (lines.length >= window.total || window.rows.length === 0) return lines;
  }
}

function describeObjects(lines: readonly TreeLine[]): string {
  if (lines.length === 0) return 'no objects';
  const cells = lines.map(({ kind, ns, name, health, revision, message }) => [kind, ns ?? '-', name, health, revision ?? '-', message]);
  return toTable([['KIND', 'NAMESPACE', 'NAME', 'STATUS', 'REVISION', 'NOW'], ...cells]);
}
