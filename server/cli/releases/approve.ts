import { approvableCommit, releaseCommits } from '@/lib/contract/release-comparison';
import type { ReleaseDecisionRequest } from '@/lib/contract/release-decision';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import type { ServerCommandDeps } from '../acts/server-command-deps';
import type { Client } from '../client';
import { decide, readDetail } from './decide';
import type { Named } from './find-release';
import { findRow, pathOf } from './find-release';
import type { Reasoned } from './release-command-deps';

interface Approval extends Reasoned {
  readonly commit?: string;
  readonly digest?: string;
}

/** Approves what waits. What is named must be that: nobody approves what they did not mean. */
export function approval<Options>(deps: ServerCommandDeps<Options>) {
  return async (name: string, { commit, digest, reason, ...options }: Options & Named & Approval) => {
    await using client = await deps.connect(options as Options);
    const detail = await readDetail(client, await findRow(client, name, options as Named));
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
export const namesSeveral = (written: string | undefined, ...commits: readonly (string | undefined)[]) =>
  `--commit ${written} names several commits: ${commits.join(', ')}`;

/** The newest commit that waits, or an older one that is named. */
async function waitingCommit(client: Client, detail: ReleaseDetail, written: string | undefined): Promise<Subject> {
  const waiting = detail.gate?.waiting;
  if (waiting == null) throw new Error(`no commit of ${detail.name} waits for approval`);
  const { commit, chart, subject, author } = waiting;
  const newest = { says: `${commit} ${subject} (${author})`, names: { commit, seen: { chart } } };
  if (written === undefined || written === commit) return newest;
  const { commits } = await client.read(pathOf(detail, '/commits'), releaseCommits);
  const named = new Set([commit, ...commits.flatMap((one) => (one.approval === undefined ? [] : [one.commit]))]);
  const [found, second] = [...named].filter((one) => one.startsWith(written));
  if (second !== undefined) throw new Error(namesSeveral(written, found, second));
  if (found === undefined) throw new Error(`--commit is ${written}, but ${commit} is waiting: ${subject}`);
  if (found === commit) return newest;
  const told = await client.read(pathOf(detail, `/commits/${found}/approval`), approvableCommit);
  if (told.chart === null || told.why !== null) throw new Error(told.why ?? `commit ${found} has no chart`);
  const older = commits.find((one) => one.commit === found);
  const says = `${found} ${older?.subject} (${older?.author}), ${told.sentence}; newer and waiting: ${newest.says}`;
  return { says, names: { commit: found, seen: { chart: told.chart } } };
}

function waitingArchive({ name, gate }: ReleaseDetail, written: string | undefined): Subject {
  const waiting = gate?.archive?.waiting;
  if (waiting == null) throw new Error(`no archive of ${name} waits for approval`);
  const { digest, revision } = waiting;
  if (written !== undefined && !digest.startsWith(written.replace(/^sha256:/, '')))
    throw new Error(`--digest is ${written}, but sha256:${digest} is waiting: ${revision}`);
  return { says: `${revision} sha256:${digest}`, names: { digest, seen: { chart: revision } } };
}
