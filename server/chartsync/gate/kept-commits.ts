import { randomUUID } from 'node:crypto';
import { AppError } from '@/lib/contract/app-error';
import type { Commit, CommitFacts, CommitQuery } from '../ports';
import type { ChartAtCommit, ChartsQuery } from '../preview/charts-of-commits';

const FOLDER = 'refs/slipway/';
const COMMIT = /^[0-9a-f]{40,64}$/;
const NAME = /^[0-9a-zA-Z-]{1,64}$/;
/** Subjects and authors may have megabytes, which would be written to statuses and the record: git cuts them, and fills up shorter ones. */
const FORMAT = '--format=%H%x00%<(200,trunc)%s%x00%<(100,trunc)%an%x00%cI';

/** Runs git in a mirror. */
export type RunInMirror = (args: readonly string[], input?: string) => Promise<string>;

/** What is fetched: everything but the refs that are ours, which upstream must not move. */
export const FETCHED: readonly string[] = ['+refs/*:refs/*', `^${FOLDER}*`];

/** What is known of a commit; undefined for one that the mirror does not have. */
export async function readCommit(run: RunInMirror, { commit, head, path }: CommitQuery): Promise<CommitFacts | undefined> {
  requireCommit(commit);
  requireCommit(head);
  const [own, tree] = await readTypes(run, [commit, ...treesAt([commit], path)]);
  if (own !== `${commit} commit`) return undefined;
  const [last] = await readCommits(run, { head: commit, path, most: 1 });
  const beyond = await run(['rev-list', '--count', '--max-count=1', '--end-of-options', commit, `^${head}`]);
  return { chart: treeIn(tree), last, isOnBranch: beyond.trim() === '0' };
}

/** What a path holds at each of several commits of a branch, and which contain another: in two questions, however many they are. */
export async function readCharts(run: RunInMirror, { commits, head, path, base }: ChartsQuery): Promise<readonly ChartAtCommit[]> {
  for (const one of [...commits, head, ...(base === undefined ? [] : [base])]) requireCommit(one);
  if (commits.length === 0) return [];
  const trees = await readTypes(run, treesAt(commits, path));
  const after = base === undefined ? '' : await run(['rev-list', '--ancestry-path', '--end-of-options', head, `^${base}`]);
  const containing = new Set([base, ...after.split('\n')]);
  return commits.map((commit, at) => ({ commit, chart: treeIn(trees[at]), containsBase: containing.has(commit) }));
}

/** A line each is asked of git, so a path with a line break is none that it knows. */
function treesAt(commits: readonly string[], path: string): readonly string[] {
  return path.includes('\n') ? [] : commits.map((commit) => (path === '.' ? `${commit}^{tree}` : `${commit}:${path}`));
}

/**
 * What git says each of several names is, in one question. Of a link that leads nowhere it
 * says more lines, with whatever the link holds: a name between, which nobody can guess, ends
 * each answer.
 */
async function readTypes(run: RunInMirror, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const end = `no-${randomUUID()}`;
  const args = ['cat-file', '--follow-symlinks', '--batch-check=%(objectname) %(objecttype)'];
  const said = await run(args, names.map((name) => `${name}\n${end}\n`).join(''));
  return said.split(`${end} missing\n`).map((answer) => answer.split('\n', 1)[0] ?? '');
}

const treeIn = (line: string | undefined) => /^([0-9a-f]{40,64}) tree$/.exec(line ?? '')?.[1];

/** The newest commits up to one that touched a path, newest first. */
export async function readCommits(
  run: RunInMirror,
  { head, path, most }: { readonly head: string; readonly path: string; readonly most: number },
): Promise<readonly Commit[]> {
  requireCommit(head);
  const log = await run(['log', `--max-count=${most}`, FORMAT, '--end-of-options', head, '--', path]);
  return log.split('\n').flatMap((line) => {
    const [commit = '', subject = '', author = '', at = ''] = line.split('\0');
    return commit === '' ? [] : [{ commit, subject: subject.trimEnd(), author: author.trimEnd(), at }];
  });
}

/** The commit that is kept under a name; undefined for none. */
export async function readKept(run: RunInMirror, name: string): Promise<string | undefined> {
  const found = (await run(['for-each-ref', '--format=%(objectname)', refOf(name)])).trim();
  return found === '' ? undefined : found;
}

/** Keeps a commit under a name, so that neither a force push nor a clean-up loses it. */
export async function keepCommit(run: RunInMirror, name: string, commit: string): Promise<void> {
  requireCommit(commit);
  await run(['update-ref', refOf(name), commit]);
}

/** A mirror that was just cloned has upstream's refs of that name, which are not ours. */
export async function deleteForeignKeptRefs(run: RunInMirror): Promise<void> {
  const commands = await run(['for-each-ref', '--format=delete %(refname)', FOLDER]);
  if (commands.trim() !== '') await run(['update-ref', '--stdin'], commands);
}

function refOf(name: string): string {
  if (!NAME.test(name)) throw new AppError('invalid', `${JSON.stringify(name)} is not a valid name for a kept commit`);
  return `${FOLDER}${name}`;
}

function requireCommit(text: string): void {
  if (!COMMIT.test(text)) throw new AppError('invalid', `a commit must be given in full, found ${JSON.stringify(text)}`);
}
