import type { ReleaseCommits } from '@/lib/contract/release-comparison';
import { approvableCommit, releaseCommits } from '@/lib/contract/release-comparison';
import type { ReleaseDecisionRequest } from '@/lib/contract/release-decision';
import { wholeCommit } from '@/lib/contract/release-decision';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import { formatCount } from '@/lib/words/figures';
import type { ServerCommandDeps } from '../acts/server-command-deps';
import type { Client } from '../client';
import { decide, readDetail } from './decide';
import type { ReleaseName } from './find-release';
import { findRow, pathOf } from './find-release';
import type { WithReason } from './release-command-deps';

/** As much of a commit as names it without a list to compare it with. */
const CLEAR_LENGTH = 7;

interface Approval extends WithReason {
  readonly commit?: string;
  readonly digest?: string;
}

/** Approves what waits. What is named must be that: nobody approves what they did not mean. */
export function approval<Options>(deps: ServerCommandDeps<Options>) {
  return async (name: string, { commit, digest, reason, ...options }: Options & ReleaseName & Approval) => {
    await using client = await deps.connect(options as Options);
    const detail = await readDetail(client, await findRow(client, name, options as ReleaseName));
    const subject = detail.origin.kind === 'git' ? await waitingCommit(client, detail, commit) : waitingArchive(detail, digest);
    deps.print(subject.says);
    const because = reason === undefined ? {} : { reason };
    await decide(detail, { verb: 'approve', ...subject.names, ...because }, { client, ...deps });
  };
}

interface Subject {
  readonly says: string;
  readonly names: Partial<ReleaseDecisionRequest>;
}

/** That a shortened commit could be any of several. */
export const ambiguousCommitMessage = (written: string | undefined, ...commits: readonly (string | undefined)[]) =>
  `--commit ${written} names several commits: ${commits.join(', ')}`;

/** The newest commit that waits, or an older one that is named. */
async function waitingCommit(client: Client, detail: ReleaseDetail, written: string | undefined): Promise<Subject> {
  const waiting = detail.gate?.waiting;
  if (waiting == null) throw new Error(`no commit of ${detail.name} waits for approval`);
  const { commit, chart, subject, author } = waiting;
  const newest = { says: `${commit} ${subject} (${author})`, names: { commit, seen: { chart } } };
  if (written === undefined || written === commit) return newest;
  // A whole commit may be older than any that are listed.
  if (wholeCommit.safeParse(written).success) return olderCommit(client, detail, { commit: written, says: written, newest: newest.says });
  const listed = await readListed(client, detail, { commit, written });
  if (listed === undefined) return newest;
  const named = new Set([commit, ...listed.commits.flatMap((one) => (one.approval === undefined ? [] : [one.commit]))]);
  const [found, second] = [...named].filter((one) => one.startsWith(written));
  if (second !== undefined) throw new Error(ambiguousCommitMessage(written, found, second));
  if (found === undefined) throw new Error(whyNotNamed(written, listed, waiting));
  if (found === commit) return newest;
  const older = listed.commits.find((one) => one.commit === found);
  return olderCommit(client, detail, { commit: found, says: `${found} ${older?.subject} (${older?.author})`, newest: newest.says });
}

/** The newest commits; undefined where none but the leader lists them, and the newest is named clearly enough. */
async function readListed(
  client: Client,
  detail: ReleaseDetail,
  { commit, written }: { readonly commit: string; readonly written: string },
): Promise<ReleaseCommits | undefined> {
  try {
    return await client.read(pathOf(detail, '/commits'), releaseCommits);
  } catch (error) {
    if (written.length >= CLEAR_LENGTH && commit.startsWith(written)) return undefined;
    throw error;
  }
}

function whyNotNamed(
  written: string,
  { commits, more }: ReleaseCommits,
  { commit, subject }: Pick<ReleaseCommits['commits'][number], 'commit' | 'subject'>,
): string {
  return more && !commits.some((one) => one.commit.startsWith(written))
    ? `--commit ${written} is not among the ${formatCount(commits.length, 'newest commit')} of the chart; an older one must be named in full`
    : `--commit is ${written}, but ${commit} is waiting: ${subject}`;
}

/** An older commit than the newest that waits, with the chart that the server tells. */
async function olderCommit(
  client: Client,
  detail: ReleaseDetail,
  { commit, says, newest }: { readonly commit: string; readonly says: string; readonly newest: string },
): Promise<Subject> {
  const { chart, why, sentence } = await client.read(pathOf(detail, `/commits/${commit}/approval`), approvableCommit);
  if (chart === null || why !== null) throw new Error(why ?? `commit ${commit} has no chart`);
  return { says: `${says}, ${sentence}; newer and waiting: ${newest}`, names: { commit, seen: { chart } } };
}

function waitingArchive({ name, gate }: ReleaseDetail, written: string | undefined): Subject {
  const waiting = gate?.archive?.waiting;
  if (waiting == null) throw new Error(`no archive of ${name} waits for approval`);
  const { digest, revision } = waiting;
  if (written !== undefined && !digest.startsWith(written.replace(/^sha256:/, '')))
    throw new Error(`--digest is ${written}, but sha256:${digest} is waiting: ${revision}`);
  return { says: `${revision} sha256:${digest}`, names: { digest, seen: { chart: revision } } };
}
