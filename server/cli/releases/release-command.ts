import type { Command } from 'commander';
import { acceptedBody } from '@/lib/contract/pages/answers';
import { commitComparison, releaseCommits, releaseComparison, threeWay } from '@/lib/contract/release-comparison';
import type { ReleaseDecisionRequest, ReleaseVerb } from '@/lib/contract/release-decision';
import type { ReleaseDetail, ReleaseRow } from '@/lib/contract/release-rows';
import { releaseHistory, releaseRow, rollbackPreview } from '@/lib/contract/release-rows';
import { RELEASE_STATES } from '@/lib/contract/release-state';
import { undeclaredReleases } from '@/lib/contract/undeclared-releases';
import type { ServerCommandDeps } from '../acts/server-command-deps';
import type { Client } from '../client';
import type { ListOptions } from '../lists/list-options';
import { readRows, withListOptions } from '../lists/list-options';
import { ambiguousCommitMessage, approval } from './approve';
import { decide, readDetail } from './decide';
import {
  describeCommitComparison,
  describeCommits,
  describeComparison,
  describeDetail,
  describeHistory,
  describeLock,
  describePreview,
  describeReleases,
  describeThreeWays,
  describeUndeclared,
} from './describe-releases';
import type { ReleaseName } from './find-release';
import { findRow, pathOf, undeclaredPath } from './find-release';
import { readComparison } from './read-comparison';
import type { WithReason } from './release-command-deps';
import { describeStoredContent } from './stored-content';
import { uninstallUndeclared } from './uninstall-undeclared';

/** `slipway releases`: every release that one may see. */
export function describeReleasesCommand<Options>(command: Command, deps: ServerCommandDeps<Options>): void {
  withListOptions(deps.withServer(command.description('Lists the Helm releases that resources declare.')))
    .option('--state <states>', 'only in these states, such as failed,held')
    .option('--undeclared', 'releases that no resource declares, from the storage of Helm')
    .action(async (options: Options & ListOptions & { readonly state?: string; readonly undeclared?: boolean }) => {
      await using client = await deps.connect(options);
      if (options.undeclared) {
        const query = options.namespace === undefined ? '' : `?ns=${encodeURIComponent(options.namespace)}`;
        return deps.print(describeUndeclared(await client.read(`/api/v1/undeclared-releases${query}`, undeclaredReleases)));
      }
      const filter = { option: 'state', of: RELEASE_STATES, written: options.state };
      const list = { noun: 'releases', warn: deps.warn, path: '/api/v1/releases', row: releaseRow, filter };
      deps.print(describeReleases(await readRows(client, list, options)));
    });
}

/** `slipway release`: one release, and what may be done with it. */
export function describeReleaseCommand<Options>(command: Command, deps: ServerCommandDeps<Options>): void {
  command.description('Shows one Helm release, and acts on it.');
  const add = (name: string, description: string) =>
    deps
      .withServer(command.command(name).description(description).argument('<name>', 'the resource that declares the release'))
      .option('-n, --namespace <namespace>', 'its namespace', 'default')
      .option('--kind <kind>', 'fluxhelmrelease, helmrelease or helmrelease-v1beta1 (of flux.weave.works), where several have the name');
  add('show', 'Shows its state and the reason, who acted last, and its recent reconciliations.').action(
    async (name: string, options: Options & ReleaseName) => {
      await using client = await deps.connect(options);
      deps.print(describeDetail(await readDetail(client, await findRow(client, name, options))));
    },
  );
  add('history', 'Lists the revisions that Helm stored.')
    .option('--undeclared', 'of a release that no resource declares, by the name of the release')
    .action(async (name: string, options: Options & ReleaseName & { readonly undeclared?: true }) => {
      await using client = await deps.connect(options);
      const path = options.undeclared
        ? `${undeclaredPath({ ns: options.namespace, name })}/history`
        : pathOf(await findRow(client, name, options), '/history');
      deps.print(describeHistory(await client.read(path, releaseHistory)));
    });
  describeStoredContent(add, deps);
  add('commits', 'Lists the newest commits that touched its chart, and whether the release contains each.').action(
    async (name: string, options: Options & ReleaseName) => {
      await using client = await deps.connect(options);
      deps.print(describeCommits(await client.read(pathOf(await findRow(client, name, options), '/commits'), releaseCommits)));
    },
  );
  add('compare', 'Compares the chart at its head, what Helm stored last and what is live, object by object.').action(
    async (name: string, options: Options & ReleaseName) => {
      await using client = await deps.connect(options);
      deps.print(describeThreeWays(await client.read(pathOf(await findRow(client, name, options), '/three-way'), threeWay)));
    },
  );
  add('diff', 'Shows how two stored revisions differ, by default the last two. With --commit, shows what that commit would change.')
    .option('--commit <commit>', 'a commit that touched the chart, also shortened')
    .option('--from <revision>', 'the older revision')
    .option('--to <revision>', 'the newer revision')
    .action(
      async (name: string, options: Options & ReleaseName & { readonly from?: string; readonly to?: string; readonly commit?: string }) => {
        await using client = await deps.connect(options);
        const row = await findRow(client, name, options);
        if (options.commit !== undefined) return deps.print(await diffOfCommit(client, row, options.commit));
        const { revisions } = await client.read(pathOf(row, '/history'), releaseHistory);
        const to = Number(options.to ?? revisions[0]?.revision);
        const from = Number(options.from ?? revisions.find(({ revision }) => revision < to)?.revision);
        if (!Number.isInteger(from) || !Number.isInteger(to))
          throw new Error(`Helm has stored no two revisions of ${name} to compare; --from and --to name others`);
        deps.print(describeComparison(await readComparison(client, `${pathOf(row, '/compare')}&from=${from}&to=${to}`, releaseComparison)));
      },
    );
  const act =
    (verb: ReleaseVerb, more: (detail: ReleaseDetail) => Partial<ReleaseDecisionRequest>) =>
    async (name: string, options: Options & ReleaseName & WithReason) => {
      await using client = await deps.connect(options);
      const detail = await readDetail(client, await findRow(client, name, options));
      await decide(
        detail,
        { verb, ...(options.reason === undefined ? {} : { reason: options.reason }), ...more(detail) },
        { client, ...deps },
      );
    };
  add('sync', 'Fetches and reconciles it now; it is upgraded if it differs from its chart.').action(act('sync', () => ({})));
  add('hold', 'Holds it: it is neither installed nor upgraded until the hold is lifted.')
    .requiredOption('--reason <text>', 'reason, which is recorded')
    .action(act('hold', () => ({})));
  add('lift', 'Lifts the hold, so that it is reconciled again.')
    .option('--reason <text>', 'reason, which is recorded')
    .action(act('lift', ({ hold, ns, name }) => ({ seen: { hold: requireHold(hold, `${name} in ${ns}`).decision } })));
  add('approve', 'Approves the commit or archive that waits for it; with the last approval required, the release goes to it.')
    .option('--commit <commit>', 'the commit, so that no newer commit is approved; also an older one')
    .option('--digest <digest>', 'of a chart of a repository: SHA-256 of the archive, so that no other archive is approved')
    .option('--reason <text>', 'reason, which is recorded')
    .action(approval(deps));
  add('cancel', 'Ends the Helm process that works on it now.')
    .option('--reason <text>', 'reason, which is recorded')
    .action(act('cancel', () => ({})));
  add('unlock', 'Marks the pending revision as failed, so that Helm can release again. Without --yes it only shows what is known.')
    .option('--reason <text>', 'reason, which is recorded')
    .option('--yes', 'does it')
    .action((name: string, options: Options & ReleaseName & WithReason & { readonly yes?: true }) => unlock(name, options, deps));
  add('uninstall', 'Deletes the resource, so that Helm uninstalls the release. Without --yes it only shows what would happen.')
    .option('--undeclared', 'of a release that no resource declares, by the name of the release')
    .option('--reason <text>', 'reason, which is recorded')
    .option('--yes', 'does it')
    .action((name: string, options: Options & ReleaseName & WithReason & { readonly yes?: true; readonly undeclared?: true }) =>
      options.undeclared ? uninstallUndeclared({ ns: options.namespace, name }, options, deps) : uninstall(name, options, deps),
    );
  add('loosen', 'Approves a looser policy for commits of the release, if its annotations request one.')
    .requiredOption('--reason <text>', 'reason, which is recorded')
    .action(act('loosen', ({ gate }) => (gate?.loosening == null ? {} : { seen: { gate: gate.loosening } })));
  add('rollback', 'Rolls back to a stored revision and holds the release there. Without --yes it only shows what would happen.')
    .requiredOption('--to <revision>', 'the stored revision to roll back to')
    .option('--reason <text>', 'reason, which is recorded')
    .option('--yes', 'does it')
    .action((name: string, options: Options & ReleaseName & WithReason & { readonly to: string; readonly yes?: true }) =>
      rollBack(name, options, deps),
    );
}

/** The hold that is to be lifted. */
function requireHold(hold: ReleaseDetail['hold'], release: string): NonNullable<ReleaseDetail['hold']> {
  if (hold === null) throw new Error(`nothing holds release ${release}`);
  return hold;
}

/** What one of the newest commits would change. */
async function diffOfCommit(client: Client, row: ReleaseRow, written: string): Promise<string> {
  const { commits } = await client.read(pathOf(row, '/commits'), releaseCommits);
  const [found, second] = commits.filter(({ commit }) => commit.startsWith(written.toLowerCase()));
  const commit = found?.commit ?? written;
  if (second !== undefined) throw new Error(ambiguousCommitMessage(written, commit, second.commit));
  const told = await readComparison(client, pathOf(row, `/commits/${encodeURIComponent(commit)}`), commitComparison);
  return describeCommitComparison(told);
}

async function uninstall<Options>(
  name: string,
  options: Options & ReleaseName & WithReason & { readonly yes?: true },
  { connect, print }: ServerCommandDeps<Options>,
): Promise<void> {
  await using client = await connect(options);
  const { ns, kind, uid, release } = await readDetail(client, await findRow(client, name, options));
  print(
    `${kind} ${ns}/${name} is deleted; Helm then uninstalls release ${release.name} in ${release.namespace} with every stored revision`,
  );
  if (kind !== 'fluxhelmrelease') print('The HelmRelease stays until Helm has uninstalled the release; a failure is retried.');
  if (options.yes === undefined) return print('Nothing was done; add --yes to do it.');
  const request = { kind, uid, ...(options.reason === undefined ? {} : { reason: options.reason }) };
  await client.post(`/api/v1/namespaces/${ns}/releases/${name}/uninstall`, request, acceptedBody);
  print('The resource is deleted.');
}

async function unlock<Options>(
  name: string,
  options: Options & ReleaseName & WithReason & { readonly yes?: true },
  deps: ServerCommandDeps<Options>,
): Promise<void> {
  await using client = await deps.connect(options);
  const row = await findRow(client, name, options);
  const [{ revisions }, detail] = [await client.read(pathOf(row, '/history'), releaseHistory), await readDetail(client, row)];
  const [newest] = revisions;
  if (newest === undefined) throw new Error(`Helm has stored nothing of release ${detail.release.name} in ${detail.release.namespace}`);
  const { revision, status } = newest;
  if (!status.startsWith('pending-'))
    throw new Error(
      `revision ${revision} of release ${detail.release.name} in ${detail.release.namespace} is ${status}, not pending: nothing to unlock`,
    );
  deps.print(describeLock(newest, detail.work));
  if (options.yes === undefined) return deps.print('Nothing was done; add --yes to do it.');
  const request = {
    verb: 'unlock',
    seen: { stored: newest.revision },
    ...(options.reason === undefined ? {} : { reason: options.reason }),
  } as const;
  await decide(detail, request, { client, ...deps });
}

async function rollBack<Options>(
  name: string,
  options: Options & ReleaseName & WithReason & { readonly to: string; readonly yes?: true },
  deps: ServerCommandDeps<Options>,
): Promise<void> {
  const to = Number(options.to);
  if (!Number.isInteger(to) || to < 1) throw new Error(`--to needs the number of a stored revision, found ${options.to}`);
  await using client = await deps.connect(options);
  const row = await findRow(client, name, options);
  const preview = await client.read(`${pathOf(row, '/rollback')}&to=${to}`, rollbackPreview);
  deps.print(describePreview(preview));
  if (options.yes === undefined) return deps.print('Nothing was done; add --yes to do it.');
  const request = {
    verb: 'rollback',
    revision: to,
    seen: { stored: preview.from },
    ...(options.reason === undefined ? {} : { reason: options.reason }),
  } as const;
  await decide(await readDetail(client, row), request, { client, ...deps });
}
