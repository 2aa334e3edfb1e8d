import type { Command } from 'commander';
import { toDecisionRequest } from '@/lib/contract/acts/rollout-decision';
import { savePreview } from '@/lib/contract/change-rows';
import { HEALTH_STATUSES } from '@/lib/contract/health';
import { snapshotOf } from '@/lib/contract/live';
import { acceptedBody } from '@/lib/contract/pages/answers';
import type { DecisionRequest } from '@/lib/contract/requests';
import type { RightsView, RolloutDetail } from '@/lib/contract/rollout-rows';
import { rightsView, rolloutDetail, rolloutRow } from '@/lib/contract/rollout-rows';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { formatTopic } from '@/lib/contract/topic';
import { garbageView } from '@/lib/contract/tracker-rows';
import type { ServerCommandDeps } from '../acts/server-command-deps';
import { waitForAnswer } from '../acts/wait-for-answer';
import type { Client } from '../client';
import type { ListOptions } from '../lists/list-options';
import { readRows, withListOptions } from '../lists/list-options';
import { describeRollout, describeRollouts, describeShown, refusalOf } from './describe-rollout';

interface Named {
  readonly namespace: string;
}

interface Deciding extends Named {
  readonly reason?: string;
  readonly yes?: true;
}

/** What stops, and what goes on from where it stopped, is done when it is asked for. */
const AT_ONCE: ReadonlySet<DecisionVerb> = new Set(['pause', 'resume', 'abort']);

const VERBS: Readonly<Record<DecisionVerb, string>> = {
  approve: 'Approves the gate that it waits at.',
  advance: 'Goes on to the next stage now. Past a gate this takes as many people as an approval.',
  'promote-full': 'Goes to the end in one stage. Past a gate this takes as many people as an approval.',
  pause: 'Pauses it where it is.',
  resume: 'Resumes it.',
  abort: 'Aborts it and returns to the previous revision.',
  retry: 'Starts it again after an abort.',
  rollback: 'Rolls back to the previous revision, as a new change.',
  loosen: 'Lets a looser rollout policy take effect.',
};

/** `slipway rollout`: rollouts, and every decision about one. */
export function describeRolloutCommand<Options>(command: Command, deps: ServerCommandDeps<Options>): void {
  command.description('Lists rollouts, shows one, and decides about it.');
  withListOptions(deps.withServer(command.command('list').description('Lists rollouts.')))
    .option('--health <statuses>', 'only in these statuses, such as Failed,InProgress')
    .action(async (options: Options & ListOptions & { readonly health?: string }) => {
      const list = {
        noun: 'rollouts',
        warn: deps.warn,
        path: '/api/v1/rollouts',
        row: rolloutRow,
        filter: { option: 'health', of: HEALTH_STATUSES, written: options.health },
      };
      await using client = await deps.connect(options);
      deps.print(describeRollouts(await readRows(client, list, options)));
    });
  const add = (name: string, description: string) =>
    deps
      .withServer(command.command(name).description(description).argument('<name>', 'the rollout'))
      .option('-n, --namespace <namespace>', 'its namespace', 'default');
  add('show', 'Shows what it waits for, its revisions and stages, and what may be done.').action(
    async (name: string, options: Options & Named) => {
      await using client = await deps.connect(options);
      const [rollout, rights] = await readWithRights(client, name, options);
      deps.print(describeRollout(rollout, rights));
    },
  );
  for (const [verb, description] of Object.entries(VERBS)) {
    const isAtOnce = AT_ONCE.has(verb as DecisionVerb); // a key of VERBS
    const adding = add(verb, isAtOnce ? description : `${description} Without --yes it only shows what would happen.`);
    adding.option('--reason <text>', 'reason, which is recorded');
    const yes = adding.createOption('--yes', 'does it');
    adding.addOption(isAtOnce ? yes.hideHelp() : yes); // in a hurry nobody remembers which verbs take it
    adding.action((name: string, options: Options & Deciding) => decide({ verb: verb as DecisionVerb, name, options }, deps));
  }
}

async function decide<Options>(
  { verb, name, options }: { readonly verb: DecisionVerb; readonly name: string; readonly options: Options & Deciding },
  { connect, print, fail }: ServerCommandDeps<Options>,
): Promise<void> {
  await using client = await connect(options);
  const [rollout, rights] = await readWithRights(client, name, options);
  const action = rollout.actions.find((one) => one.verb === verb);
  const refused = action === undefined ? 'it is not possible now' : refusalOf(action, rights);
  if (action === undefined || refused !== null) throw new Error(`${name} in ${rollout.ns}: ${refused}`);
  const isDone = AT_ONCE.has(verb) || options.yes !== undefined;
  if (isDone && action.needsReason && !options.reason?.trim()) throw new Error(`${verb} needs a reason: give --reason`);
  const path = pathOf(rollout);
  const garbage = action.seen.garbage === null ? undefined : await client.read(`${path}/garbage`, garbageView);
  const request = toDecisionRequest(rollout.uid, { action, garbage: garbage?.digest }, options.reason);
  const back = verb === 'rollback' ? await client.post(`${path}/decisions`, { ...request, dryRun: true }, savePreview) : undefined;
  print(describeShown({ rollout, action, garbage, back }));
  if (back !== undefined && back.refused !== null) return fail();
  if (!isDone) return print('Nothing was done; add --yes to do it.');
  const bound = back === undefined ? {} : { plan: back.plan, ...(back.base === undefined ? {} : { base: back.base }) };
  await send(client, { rollout, request: { ...request, ...bound } }, { print, fail });
}

/** Decides, and tells what the engine answers. */
async function send(
  client: Client,
  { rollout, request }: { readonly rollout: RolloutDetail; readonly request: DecisionRequest },
  { print, fail }: Pick<ServerCommandDeps<never>, 'print' | 'fail'>,
): Promise<void> {
  const { accepted } = await client.post(`${pathOf(rollout)}/decisions`, request, acceptedBody);
  const answerOf = async () =>
    (await readRollout(client, rollout.name, { namespace: rollout.ns })).decisions.find(({ name }) => name === accepted.name);
  await waitForAnswer(accepted.name, answerOf, { print, fail });
}

const readWithRights = async (client: Client, name: string, named: Named): Promise<readonly [RolloutDetail, RightsView]> => {
  const rollout = await readRollout(client, name, named);
  return [rollout, await client.read(`${pathOf(rollout)}/rights`, rightsView)];
};

async function readRollout(client: Client, name: string, { namespace }: Named): Promise<RolloutDetail> {
  const topic = encodeURIComponent(formatTopic({ kind: 'rollout', ns: namespace, name }));
  const [row] = (await client.read(`/api/v1/rows?topic=${topic}`, snapshotOf(rolloutDetail))).rows;
  if (row === undefined) throw new Error(`there is no rollout ${name} in ${namespace}`);
  return row;
}

const pathOf = ({ ns, name }: Pick<RolloutDetail, 'ns' | 'name'>) =>
  `/api/v1/namespaces/${encodeURIComponent(ns)}/rollouts/${encodeURIComponent(name)}`;
