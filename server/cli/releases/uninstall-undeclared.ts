import { acceptedBody } from '@/lib/contract/pages/answers';
import { undeclaredDetail, undeclaredReleases } from '@/lib/contract/undeclared-releases';
import type { ServerCommandDeps } from '../acts/server-command-deps';
import { MAX_POLLS, POLL_INTERVAL_MS } from '../acts/wait-for-answer';
import { describeUninstall } from './describe-releases';
import { undeclaredPath } from './find-release';
import type { WithReason } from './release-command-deps';

/** Shows what uninstalling a release does that no resource declares; with `--yes` it is decided, and what becomes of it is told. */
export async function uninstallUndeclared<Options>(
  { ns, name }: { readonly ns: string; readonly name: string },
  options: Options & WithReason & { readonly yes?: true },
  { connect, print, fail }: ServerCommandDeps<Options>,
): Promise<void> {
  await using client = await connect(options);
  const path = undeclaredPath({ ns, name });
  const { uid, revision, ...told } = await client.read(path, undeclaredDetail);
  print(describeUninstall({ uid, revision, ...told }));
  if (options.yes === undefined) return print('Nothing was done; add --yes to do it.');
  await client.post(
    `${path}/uninstall`,
    { revision, uid, ...(options.reason === undefined ? {} : { reason: options.reason }) },
    acceptedBody,
  );
  const { realClock } = await import('@/server/platform');
  const before = told.uninstall?.at; // of an earlier decision, which is told until this one is known
  for (let looks = 0; looks < MAX_POLLS; looks++) {
    const { releases, why } = await client.read(`/api/v1/undeclared-releases?ns=${encodeURIComponent(ns)}`, undeclaredReleases);
    const found = releases.find((one) => one.name === name && one.storage === 'secrets');
    // What could not be listed is not gone.
    if (found === undefined && why === null) return print(`Helm uninstalled release ${name} in ${ns}.`);
    if (found?.uninstall?.isOver && found.uninstall.at !== before) {
      print(`${found.uninstall.phase}: ${found.uninstall.message}`);
      return fail();
    }
    await realClock.sleep(POLL_INTERVAL_MS);
  }
  print(`the uninstall of release ${name} in ${ns} has not finished yet; the decision is valid for ten minutes`);
  fail();
}
