import type { CommitComparison, ContentComparison, ReleaseCommits, ReleaseComparison, ThreeWay } from '@/lib/contract/release-comparison';
import type {
  GateView,
  ReleaseDetail,
  ReleaseHistory,
  ReleaseRow,
  RevisionCause,
  RollbackPreview,
  WorkView,
} from '@/lib/contract/release-rows';
import { lineOf } from '@/lib/contract/release-state';
import type { UndeclaredDetail, UndeclaredReleases } from '@/lib/contract/undeclared-releases';
import { t } from '@/lib/words/catalogue/releases/releases';
import { formatCount, formatList } from '@/lib/words/figures';
import { formatOutcome } from '@/lib/words/format-reconcile';
import { formatDependencies, shortDigest, shortRevision } from '@/lib/words/format-release';
import { COMMIT_WORD, HEAD_WORD, LIVE_WORD } from '@/lib/words/releases/compare-words';
import { formatDeclaredBefore } from '@/lib/words/releases/format-declared-before';
import { givenOf } from '@/lib/words/releases/format-given';
import { outcomeWord } from '@/lib/words/releases/outcome-words';
import { RELEASE_DONE_WORD } from '@/lib/words/releases/verb-words';
import { toTable } from '../lists/to-table';

/** Of the subject of a commit so many letters are shown. */
const MAX_SUBJECT = 50;

/** Every release on a line: where, how, which chart, at which commit, and why. */
export function describeReleases(rows: readonly ReleaseRow[]): string {
  if (rows.length === 0) return 'no releases';
  const cells = rows.map((row) => [
    row.ns,
    row.name,
    row.kind,
    row.state,
    row.chart === null ? '-' : `${row.chart.name} ${row.chart.version}`,
    row.revision === null ? '-' : shortRevision(row.commit?.commit ?? row.revision),
    row.commit === null ? '-' : shorten(row.commit.subject),
    lineOf(row),
  ]);
  return toTable([['NAMESPACE', 'NAME', 'KIND', 'STATE', 'CHART', 'REVISION', 'SUBJECT', 'NOW'], ...cells]);
}

/** One release, a line for each thing that is known of it. */
export function describeDetail(release: ReleaseDetail): string {
  const { lastAct, hold } = release;
  const lines: [string, string][] = [
    ['release', `${release.release.name} in ${release.release.namespace}, declared by ${release.kind} ${release.ns}/${release.name}`],
    ['state', `${release.state}: ${release.sentence}`],
    ...helmLines(release.work),
    ...(release.waits === null ? [] : [['waits', release.waits] as [string, string]]),
    ['upgrade', release.upgrade],
    ['drift', release.drift.sentence],
    ['chart', release.chart === null ? '-' : `${release.chart.name} ${release.chart.version}`],
    ['revision', release.revision === null ? '-' : `${release.revision}${release.onlyAttempted ? ', attempted but not released' : ''}`],
    ...(release.commit === null
      ? []
      : [
          [
            'chart commit',
            `${shortRevision(release.commit.commit)} ${release.commit.subject} (${release.commit.author}, ${release.commit.at})`,
          ] as [string, string],
        ]),
    ['last act', lastAct === null ? '-' : formatAct(lastAct)],
    ...(hold === null ? [] : [['hold', `${hold.decision} by ${hold.by} since ${hold.at}`] as [string, string]]),
    ...(release.gate === null ? [] : gateLines(release.gate, release.origin)),
    ['next check', release.nextCheckAt ?? '-'],
    ...(release.webhook === null
      ? []
      : [
          [
            'webhook',
            `${release.webhook.path}, signed by key webhook of Secret ${release.webhook.secret.namespace}/${release.webhook.secret.name}`,
          ] as [string, string],
        ]),
  ];
  const rows = release.reconciles.map(({ at, by, outcome, revision, rule, why, error }) => [
    at,
    outcomeWord(outcome),
    by,
    revision === null ? '-' : shortRevision(revision),
    rule ?? '-',
    [why, error].filter((text) => text !== null).join('; '),
  ]);
  const told = toTable(lines.map(([term, text]) => [`${term}:`, text]));
  return rows.length === 0 ? told : `${told}\n\n${toTable([['AT', 'OUTCOME', 'LOOP', 'REVISION', 'RULE', 'WHY'], ...rows])}`;
}

/** What Helm does to it now. */
function helmLines(work: WorkView | null): [string, string][] {
  if (work?.kind !== 'here' || work.until !== null) return [];
  return [
    [
      'helm',
      `${work.command} ${work.isWaiting ? 'waits for its turn ' : ''}since ${work.since}${work.line === null ? '' : `: ${work.line}`}`,
    ],
  ];
}

function gateLines(gate: GateView, origin: ReleaseDetail['origin']): [string, string][] {
  const { sentence, looser, approved, lost, gone, waiting, archive } = gate;
  const demanded: [string, string] = ['approval', looser === null ? sentence : `${sentence}; a looser policy is requested: ${looser}`];
  if (origin.kind === 'repository') {
    const { current, waiting: found } = archive ?? {};
    const by = current == null || current.by.length === 0 ? 'with a change of its resource' : `by ${formatList(current.by)}`;
    return [
      demanded,
      ['approved', current == null ? '-' : `${current.revision} ${shortDigest(current.digest)} ${by} ${current.at}`],
      ['archive', found == null ? '-' : `${found.revision} sha256:${found.digest} waits: ${givenOf(gate)}`],
    ];
  }
  return [
    demanded,
    [
      'approved',
      approved == null
        ? '-'
        : `${shortRevision(approved.commit)} by ${formatList(approved.by)} ${approved.at}${lost == null ? '' : '; void, since the branch no longer contains it'}${gone == null ? '' : '; the branch no longer contains it'}`,
    ],
    [
      'commit',
      waiting == null
        ? '-'
        : `${shortRevision(waiting.commit)} ${waiting.subject} (${waiting.author})${withDependencies(waiting)} waits: ${givenOf(gate)}`,
    ],
  ];
}

function withDependencies({ dependencies }: NonNullable<GateView['waiting']>): string {
  return dependencies == null ? '' : ` with ${formatDependencies(dependencies)}`;
}

/** The stored revisions, newest first. */
export function describeHistory({ revisions }: ReleaseHistory): string {
  if (revisions.length === 0) return 'Helm has stored no revision of this release';
  const cells = revisions.map(({ revision, status, storedAt, chart, chartVersion, description, cause }) => [
    String(revision),
    status,
    storedAt ?? '-',
    chart === null ? '-' : `${chart} ${chartVersion ?? ''}`,
    cause === null ? '-' : formatCause(cause),
    description ?? '',
  ]);
  return toTable([['REVISION', 'STATUS', 'STORED', 'CHART', 'MADE BY', 'DESCRIPTION'], ...cells]);
}

function formatAct({ outcome, at, by, users }: NonNullable<ReleaseRow['lastAct']>): string {
  const whose = users.length === 0 ? '' : ` of ${formatList(users)}`;
  return `${formatOutcome(outcome)} ${at}${by === null ? '' : `, by ${by}${whose}`}`;
}

function formatCause({ by, verb, users, reason, commit }: RevisionCause): string {
  const said = verb === null ? '' : t.verbBy(RELEASE_DONE_WORD[verb], formatList(users));
  const people = `${said}${verb === null || reason === null ? '' : ` (${reason})`}`;
  return `${by}${people}${commit === null ? '' : `, ${shortRevision(commit.commit)} ${shorten(commit.subject)}`}`;
}

function shorten(text: string): string {
  return text.length > MAX_SUBJECT ? `${text.slice(0, MAX_SUBJECT - 1)}…` : text;
}

/** What tells whether a release is stuck: its newest revision, and the work of Helm on it. */
export function describeLock({ revision, status, storedAt }: ReleaseHistory['revisions'][number], work: WorkView | null): string {
  const head = `revision ${revision} is ${status}${storedAt === null ? '' : `, stored ${storedAt}`}`;
  if (work === null) return `${head}\nSlipway has not run Helm on it since the server started`;
  if (work.kind === 'elsewhere') return `${head}\nonly the replica that holds the Lease knows whether Helm is running on it`;
  const { command, since, line } = work;
  return `${head}\nhelm ${command} since ${since}: ${howOf(work)}${line === null ? '' : `\nits last line: ${line}`}`;
}

/** What going back does to each object that it changes. */
export function describePreview({ from, to, objects }: RollbackPreview): string {
  const moved = objects.filter(({ change }) => change !== 'same');
  const head = `from revision ${from} to ${to}: ${moved.length === 0 ? 'no object differs' : formatCount(moved.length, 'object')} of ${objects.length}`;
  return [head, ...moved.map(({ kind, ns, name, change }) => `  ${change} ${kind} ${ns === null ? '' : `${ns}/`}${name}`)].join('\n');
}

/** The releases that no resource declares. */
export function describeUndeclared({ releases, why }: UndeclaredReleases): string {
  const cells = releases.map(({ ns, name, revision, status, storage, declaredBefore, uninstall }) => [
    ns,
    name,
    String(revision),
    storage === 'configmaps' ? `${status} (in ConfigMaps)` : status,
    [
      ...(declaredBefore === null ? [] : [formatDeclaredBefore(declaredBefore)]),
      ...(uninstall === null ? [] : [`uninstall by ${uninstall.user}: ${uninstall.message}`]),
    ].join('; '),
  ]);
  const table =
    releases.length === 0
      ? 'every release that Helm keeps is declared by a resource'
      : toTable([['NAMESPACE', 'NAME', 'REVISION', 'STATUS', 'NOTE'], ...cells]);
  return why === null ? table : `${table}\nnot everything could be read: ${why}`;
}

/** What uninstalling a release does that no resource declares. */
export function describeUninstall({ ns, name, revision, status, account, declaredBefore, objects, hooks }: UndeclaredDetail): string {
  const [kept, deleted] = [objects.filter(({ isKept }) => isKept), objects.filter(({ isKept }) => !isKept)];
  const toLine = (verb: string) => (object: UndeclaredDetail['hooks'][number]) =>
    `  ${verb} ${object.kind} ${object.ns === null ? '' : `${object.ns}/`}${object.name}`;
  return [
    `release ${name} in ${ns}, revision ${revision}, ${status}${declaredBefore === null ? '' : `; ${formatDeclaredBefore(declaredBefore)}`}`,
    `Helm runs as ${account === null ? 'the server' : `ServiceAccount ${account} of ${ns}`}, deletes ${formatCount(deleted.length, 'object')} and every stored revision`,
    ...deleted.map(toLine('delete')),
    ...kept.map(toLine('keep')),
    ...hooks.map(toLine('run hook')),
  ].join('\n');
}

/** The newest commits that touched the chart, newest first. */
export function describeCommits({ commits, more, why }: ReleaseCommits): string {
  if (commits.length === 0) return 'no commit of the branch touches the folder of the chart';
  const isGated = commits.some(({ approval }) => approval !== undefined);
  const withApprovals = (approvals: string) => (isGated ? [approvals] : []);
  const cells = commits.map(({ commit, state, at, author, subject, approval }) => [
    shortRevision(commit),
    COMMIT_WORD[state],
    ...withApprovals(approval?.sentence ?? '-'),
    at,
    author,
    subject,
  ]);
  const notes = [
    ...(more ? ['older commits are in the repository'] : []),
    ...(why === null ? [] : [`git cannot tell which of them it contains: ${why}`]),
  ];
  return [toTable([['COMMIT', 'STATE', ...withApprovals('APPROVALS'), 'COMMITTED', 'AUTHOR', 'SUBJECT'], ...cells]), ...notes].join('\n');
}

/** The chart at its head, what is stored and what is live, an object on a line. */
export function describeThreeWays({ stored, head, objects }: ThreeWay): string {
  const sides = `chart at ${head.revision === null ? '-' : shortRevision(head.revision)}, ${stored === null ? 'nothing stored' : `stored revision ${stored}`}`;
  const cells = objects.map(({ kind, ns, name, head: at, live, first, by, why }) => [
    kind,
    ns === null ? name : `${ns}/${name}`,
    HEAD_WORD[at],
    LIVE_WORD[live],
    why ?? (first === null ? '' : `${first}${by === null ? '' : `, set by ${by}`}`),
  ]);
  const lines = [sides, ...(head.why === null ? [] : [`the chart was not rendered: ${head.why}`])];
  return [...lines, '', toTable([['KIND', 'NAME', 'HEAD', 'LIVE', 'FIRST DIFFERENCE'], ...cells])].join('\n');
}

/** How two stored revisions differ, as `diff` writes it. */
export function describeComparison({ from, to, ...content }: ReleaseComparison): string {
  return describeContent(`from revision ${from} to ${to}`, content);
}

/** How what is stored and what the chart of a commit would make differ, and which definitions Helm would not upgrade. */
export function describeCommitComparison({ from, commit, definitions, nondeterministic, ...content }: CommitComparison): string {
  const compared = describeContent(`${from === null ? 'from nothing' : `from revision ${from}`} to commit ${commit}`, content);
  const eachTime = nondeterministic.map(({ kind, ns }) => `\n${kind} in ${ns}: under another name each time the chart is rendered`);
  const told = [compared, ...eachTime].join('\n');
  if (definitions.length === 0) return told;
  return `${told}\n\nHelm would not upgrade what is in the crds folder of the chart; what is installed differs: ${formatList(definitions)}`;
}

/** How two contents of a release differ, below a line that says which they are. */
function describeContent(between: string, { values, valuesDiffer, objects, hidesValues }: ContentComparison): string {
  const toLines = (lines: ContentComparison['values']) => lines.map(({ sign, text }) => (sign === '…' ? `  ${text}` : `${sign} ${text}`));
  const alike = valuesDiffer ? ['  only masked values differ'] : ['  the same'];
  const told = objects.flatMap(({ kind, ns, name, change, diff }) => {
    const content = diff === null ? ['  you may not see this object'] : diff.length === 0 ? ['  only masked values differ'] : toLines(diff);
    return ['', `${change} ${kind} ${ns === null ? '' : `${ns}/`}${name}`, ...content];
  });
  const head = `${between}: ${objects.length === 0 ? 'no object differs' : formatCount(objects.length, 'object')}`;
  const hidden = hidesValues ? ' (values that are not in the resource are masked)' : '';
  return [head, '', `values${hidden}`, ...(values.length > 0 ? toLines(values) : alike), ...told].join('\n');
}

/** How Helm ended: a signal, or that nobody saw it, says that what it left is not what it wanted. */
function howOf({ until, killedBy, isInherited }: Extract<WorkView, { readonly kind: 'here' }>): string {
  if (until === null) return 'running';
  if (killedBy !== null) return `killed (${killedBy}) ${until}`;
  return isInherited ? 'not running; it was started before this server, which did not see it end' : `ended ${until}`;
}
