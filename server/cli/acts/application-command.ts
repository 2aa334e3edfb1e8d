import type { Command } from 'commander';
import type { ApplicationAct } from '@/lib/contract/acts/application-acts';
import type { DeletionPreview } from '@/lib/contract/acts/application-deletion';
import { deletionAccepted, deletionPreview } from '@/lib/contract/acts/application-deletion';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import { applicationDetail } from '@/lib/contract/application-rows';
import { snapshotOf } from '@/lib/contract/live';
import { acceptedBody } from '@/lib/contract/pages/answers';
import { formatTopic } from '@/lib/contract/topic';
import { formatCount } from '@/lib/words/figures';
import type { Client } from '../client';
import { describeListApplications } from './list-applications';
import { describeListObjects } from './list-objects';
import type { ServerCommandDeps } from './server-command-deps';

interface Named {
  readonly namespace: string;
  readonly reason?: string;
}

interface Ending extends Named {
  readonly keepObjects?: true;
  readonly yes?: true;
}

const DONE: Readonly<Record<ApplicationAct, string>> = {
  refresh: 'is being reconciled',
  suspend: 'is suspended: its engine leaves it as it is until it is resumed',
  resume: 'is resumed, and is being reconciled',
};

/** `slipway application`: what is done to an application as a whole. */
export function describeApplicationCommand<Options>(command: Command, deps: ServerCommandDeps<Options>): void {
  command.description('Lists applications, shows one and its objects, and acts on it.');
  describeListApplications(command, deps);
  describeListObjects(command, deps);
  const add = (name: string, description: string) =>
    deps
      .withServer(command.command(name).description(description).argument('<name>', 'the application'))
      .option('-n, --namespace <namespace>', 'its namespace', 'default');
  const addAct = (name: string, description: string) => add(name, description).option('--reason <text>', 'reason, which is recorded');
  add('show', 'Shows its status, and whether it is suspended.').action(async (name: string, options: Options & Named) => {
    await using client = await deps.connect(options);
    deps.print(describeApplication(await readDetail(client, name, options)));
  });
  const act = (verb: ApplicationAct) => async (name: string, options: Options & Named) => {
    await using client = await deps.connect(options);
    const { uid } = await readDetail(client, name, options);
    await client.post(pathOf(name, options, 'actions'), { verb, uid, ...reasonOf(options) }, acceptedBody);
    deps.print(`${name} ${DONE[verb]}.`);
  };
  addAct('refresh', 'Reconciles it now.').action(act('refresh'));
  addAct('suspend', 'Suspends its reconciliation: nothing is applied, reverted or deleted until it is resumed.').action(act('suspend'));
  addAct('resume', 'Resumes its reconciliation.').action(act('resume'));
  addAct('delete', 'Deletes it with its objects. Without --yes it only shows what would happen.')
    .option('--keep-objects', 'leaves its objects in place')
    .option('--yes', 'does it')
    .action((name: string, options: Options & Ending) => end(name, options, deps));
}

function describeApplication({ ns, name, health, activity, message, revisions, objects, conditions }: ApplicationDetail): string {
  const lines = conditions.map(
    ({ type, status, reason, message: told }) => `${type}\t${status}\t${[reason, told].filter((part) => part !== '').join(': ')}`,
  );
  const runs = revisions.find(({ state }) => state === 'current')?.name ?? 'nothing';
  return [`${ns}/${name}\t${health}, ${activity}\t${message}`, `runs\t${runs}\t${formatCount(objects.total, 'object')}`, ...lines].join(
    '\n',
  );
}

async function end<Options>(name: string, options: Options & Ending, { connect, print, fail }: ServerCommandDeps<Options>): Promise<void> {
  await using client = await connect(options);
  const { uid } = await readDetail(client, name, options);
  const asked = { uid, objects: options.keepObjects ? 'keep' : 'delete' };
  const preview = await client.post(pathOf(name, options, 'delete'), { ...asked, dryRun: true }, deletionPreview);
  print(describeEnd(preview));
  if (preview.refused !== null) return fail();
  if (options.yes === undefined) return print('Nothing was done; add --yes to do it.');
  const { waits } = await client.post(
    pathOf(name, options, 'delete'),
    { ...asked, plan: preview.plan, ...reasonOf(options) },
    deletionAccepted,
  );
  print(waits === null ? `${name} is being deleted.` : `${name} will be deleted once its deletion is approved.`);
}

function describeEnd({ changes, consequences, refused, waits, approves, ungranted }: DeletionPreview): string {
  const rows = changes.map(({ verdict, kind, ns, name, why }) => `${verdict}\t${kind}\t${ns === null ? name : `${ns}/${name}`}\t${why}`);
  const notes = [
    refused,
    waits === null ? null : `${approves ? 'you also approve this' : 'nothing is deleted until it is approved'}: ${waits}`,
    ungranted ?? null,
  ];
  return [...notes.flatMap((note) => note ?? []), ...rows, ...consequences].join('\n');
}

const reasonOf = ({ reason }: Named) => (reason === undefined ? {} : { reason });

const pathOf = (name: string, { namespace }: Named, part: string) =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/applications/${encodeURIComponent(name)}/${part}`;

async function readDetail(client: Client, name: string, { namespace }: Named): Promise<ApplicationDetail> {
  const topic = encodeURIComponent(formatTopic({ kind: 'application', ns: namespace, name }));
  const [row] = (await client.read(`/api/v1/rows?topic=${topic}`, snapshotOf(applicationDetail))).rows;
  if (row === undefined) throw new Error(`there is no application ${name} in ${namespace}`);
  return row;
}
