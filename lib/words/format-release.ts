import { fromCatalogue } from './catalogue/catalogue';
import { formatCount, formatList } from './figures';
import { formatUser } from './format-requester';
import type { Archive, Dependency, ReconcileTrigger, ReleaseMessage } from './release-message';
import { formatCancelled } from './releases/format-cancelled';
import { byMembers, countGiven, formatGiven } from './releases/format-given';
import { formatMembers } from './sessions/format-members';

type Sentences = { readonly [Id in ReleaseMessage['id']]: (message: Extract<ReleaseMessage, { readonly id: Id }>) => string };

/** Which loop it was, as the field calls them. */
export const TRIGGER_WORDS: Readonly<Record<ReconcileTrigger, string>> = {
  schedule: 'the periodic check',
  resource: 'a change of the resource',
  commit: 'a new commit',
  repository: 'the return of its repository',
  values: 'a change of a Secret or ConfigMap',
  drift: 'a change of a live object',
  deletion: 'the deletion of the resource',
  decision: 'a decision',
};

/** A commit as git shortens it; a version stays as it is. */
export function shortRevision(revision: string): string {
  return /^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 8) : revision;
}

/** A SHA-256 as people are shown it. */
export function shortDigest(digest: string): string {
  return `sha256:${digest.slice(0, 12)}`;
}

/** An archive of a chart: its version, and its digest. */
const formatArchive = ({ revision, digest }: Archive) => `${revision} (${shortDigest(digest)})`;

/** Charts that another depends on, as they are found. */
export function formatDependencies(all: readonly Dependency[]): string {
  return formatList(all.map(({ name, version, digest }) => `${name} ${formatArchive({ revision: version, digest })}`));
}

const at = (revision: string | null) => (revision === null ? '' : ` at ${shortRevision(revision)}`);
const by = (rule: string | null) => (rule === null ? '' : ` (rule ${rule})`);

/** When a repository that cannot be fetched is tried again. */
const fetchedAgain = (next: string | null) => (next === null ? '' : `; the repository is fetched again at ${next}`);

/** When something was known last. */
const asOf = (known: string | null) => (known === null ? '' : ` as of ${known}`);

/** That nothing is released by an approval any more, and why. */
const voidOf = (commit: string) => `the approval of commit ${shortRevision(commit)} is void, since the branch no longer contains it`;

/** That a release is at a commit that is not upstream any more. */
const goneOf = (commit: string) => `the branch no longer contains commit ${shortRevision(commit)}, which the release is at`;

const DONE = { installed: 'installed', upgraded: 'upgraded', 'rolled-back': 'rolled back', 'put-back': 'live objects reverted' } as const;

const SENTENCES: Sentences = {
  'state.in-sync': ({ loop, outcome, revision }) =>
    outcome === 'equal'
      ? `matches its chart${at(revision)}, compared ${loop === 'schedule' ? 'by' : 'after'} ${TRIGGER_WORDS[loop]}`
      : outcome === 'unmoved'
        ? `matches its chart${at(revision)}; nothing has changed since it was compared`
        : `${DONE[outcome]}${at(revision)} after ${TRIGGER_WORDS[loop]}`,
  'state.in-sync-told': ({ revision, elsewhere }) =>
    `released${at(revision)}${elsewhere ? '; the replica that holds the Lease compares it and has the results' : ''}`,
  'state.was-in-sync': ({ revision, at: known, why }) => `in sync${at(revision)}${asOf(known)}, not compared since: ${say(why)}`,
  'state.branch-gone': ({ branch, revision }) =>
    `branch ${branch} no longer exists upstream; ${revision === null ? 'no commit is released' : `the release stays${at(revision)}, the last known commit,`} until the branch exists again or another is named`,
  'state.unfetched': ({ why, since, next, stays }) =>
    `fetching the chart repository has failed since ${since}: ${why}${fetchedAgain(next)}${stays ? '; the release stays at the last commit known' : ''}`,
  'state.changing': ({ phase, ended }) => (ended ? `helm ${ended} has ended; the result follows` : `Helm is running: ${phase}`),
  'state.reported': ({ reported: { by: told, text }, isElsewhere, why }) => {
    const said = told === 'status' ? `the last phase reported is ${text}` : `Helm's storage says ${text}`;
    if (isElsewhere) return `${said}; whether Helm is running now is known only to the replica that holds the Lease, if one does`;
    return `${said}, but this server is running no Helm for it${why === null ? '' : `: ${say(why)}`}`;
  },
  'state.retrying': ({ command, why }) => `helm ${command} is running; the attempt before it failed: ${why}`,
  'state.turn': ({ command, behind, others }) => {
    const foreign = others === 0 ? [] : [`${formatCount(others, 'release')} of ${others === 1 ? 'another namespace' : 'other namespaces'}`];
    const whom = [...behind.map((one) => `${one.release} (${one.command} since ${one.since})`), ...foreign];
    return `helm ${command} waits for its turn, since Helm is running for ${whom.length === 0 ? 'other releases' : formatList(whom)}`;
  },
  'state.spec-ahead': ({ generation, seen }) =>
    `generation ${generation} of the resource has not been reconciled yet, the last was ${seen}`,
  'state.uninstalling': () => 'its resource is being deleted, and Helm is uninstalling it',
  'state.uninstall-waits': ({ finalizer }) =>
    `its resource is being deleted, and stays until Helm has uninstalled the release; to delete the resource and leave the release, remove finalizer ${finalizer}`,
  'state.uninstall-failed': ({ why, finalizer }) =>
    `its resource is being deleted, and Helm could not uninstall the release: ${why}. It is retried; to delete the resource and leave the release, remove finalizer ${finalizer}`,
  'upgrade.deleted': () => 'its resource is being deleted',
  'act.deleted': () => 'its resource is being deleted, and its release is uninstalled',
  'state.failed': ({ why, loop, nextFetch, stays }) =>
    `${loop === null ? '' : loop === 'schedule' ? `${TRIGGER_WORDS[loop]} failed: ` : `failed after ${TRIGGER_WORDS[loop]}: `}${why}${fetchedAgain(nextFetch)}${stays ? '; the release stays as it is' : ''}`,
  'state.pending': ({ stored, why }) =>
    `Helm's storage says ${stored}, so nothing can be released over it until someone unlocks it${why === null ? '' : `: ${why}`}`,
  'state.refused': ({ by: other, release, namespace }) =>
    `release ${release} in ${namespace} is declared by ${other}; this resource is ignored`,
  'state.rolled-back': ({ revision, why }) =>
    `the upgrade${revision === null ? '' : ` to ${shortRevision(revision)}`} failed and was rolled back${why === '' ? '' : `: ${why}`}`,
  'state.drifted': ({ why }) => why,
  'state.suspended': () =>
    'suspended, so it is not reconciled until spec.suspend is false; deleting the resource still uninstalls the release',
  'state.not-looked-at': () => 'not reconciled yet',
  'state.not-compared': ({ stored, why }) =>
    `Helm's storage says ${stored}; not compared with its chart yet${why === null ? '' : `: ${say(why)}`}`,
  'wait.engine': ({ why }) => why,
  'wait.remedy': ({ why, command }) => `${why}; run ${command}`,
  'drift.turned-off': () => 'not compared: annotation slipway.dev/drift-detection is "disabled"',
  'drift.unknown': ({ why }) => `could not be compared: ${why}`,
  'drift.disabled': () => 'not compared: neither spec.driftDetection nor annotation slipway.dev/drift-detection enables it',
  'drift.wrong': ({ why }) => why,
  'drift.not-compared': () => 'not compared yet',
  'drift.none': () => 'live objects match the release',
  'drift.was-none': ({ at: known, why }) => `live objects matched the release${asOf(known)}, not compared since: ${say(why)}`,
  'drift.was-found': ({ found, at: known, why }) => `${found}${asOf(known)}, not compared since: ${say(why)}`,
  'drift.found': ({ why }) => why,
  'upgrade.none-due': ({ rule, revision, outcome }) =>
    outcome === 'equal'
      ? `up to date${at(revision)}: a dry run found no difference in values or chart${by(rule)}`
      : `up to date${at(revision)}: chart, values, service account, Helm and stored revision are unchanged since the last dry run${by(rule)}`,
  'upgrade.done': ({ rule, revision, outcome }) => `it was ${outcome}${at(revision)}${by(rule)}`,
  'upgrade.failed': ({ rule, revision, why }) => `the attempt${at(revision)} failed${by(rule)}: ${why}`,
  'upgrade.dropped': () => 'the resource changed during the comparison; it is compared again with the new spec',
  'state.plan-moved': ({ why }) => `change on hold: ${why}`,
  'upgrade.plan-moved': ({ why }) => `nothing was run, since ${why}; accept the current plan, or edit again`,
  'upgrade.suspended': () => 'it is suspended, so it is not reconciled (rule X-SUSP-1)',
  'upgrade.refused': ({ by: other }) => `${other} declares the same release and was created first`,
  'upgrade.not-looked-at': () => 'not reconciled yet since the server started',
  'upgrade.held': ({ by: user }) => `held by ${user}: not installed or upgraded until the hold is lifted`,
  'upgrade.rolled-back': () => 'rolled back by a person to an earlier revision',
  'upgrade.remediated': ({ rule, revision, why }) =>
    `the attempt failed, so Helm rolled back${revision === null ? '' : ` to ${shortRevision(revision)}`}${by(rule)}: ${why}`,
  'upgrade.put-back': () => 'up to date; live objects that differed from the release were reverted',
  'upgrade.commit-waits': ({ commit }) => `commit ${shortRevision(commit)} waits for approval; until then the release stays as it is`,
  'decided.void': ({ commit }) => `void: the branch no longer contains commit ${shortRevision(commit)}`,
  'upgrade.under-way': () => 'Helm is running; the result follows',
  'decided.waits-for-helm': () => 'waits until the Helm process that is running has ended',
  'state.held': ({ by: user, at: since, verb, revision, reason, lost }) =>
    `${verb === 'hold' ? 'held' : `rolled back to revision ${revision ?? 'unknown'} and held`} by ${user} since ${since}${reason === null ? '' : `: ${reason}`}${lost === null ? '' : `; ${goneOf(lost)}`}`,
  'act.held': ({ by: user }) => `${user} holds the release; lift the hold first`,
  'act.not-held': () => 'nothing holds the release',
  'act.no-earlier-revision': () => 'Helm has stored no earlier revision to roll back to',
  'does.sync': () => 'The repository is fetched and the release is reconciled now, not at the next check.',
  'does.sync-upgrades': () => 'If values or chart differ, it is upgraded.',
  'does.sync-failed': () => 'The last attempt failed: it is retried only if its spec, values or chart have changed since then.',
  'does.rollback': ({ account, namespace }) =>
    `Helm rolls back to the chosen revision as ${account === null ? 'the server' : `service account ${account} of namespace ${namespace}`}.`,
  'does.holds': () => 'The release is neither installed nor upgraded until the hold is lifted.',
  'does.deletion': () => 'Deleting its resource still uninstalls it.',
  'does.lift': ({ to, isGated }) =>
    `The release is reconciled at once. If values or chart differ, it is upgraded to the ${isGated ? `last approved ${to}` : to === 'archive' ? 'archive that its version resolves to' : 'newest commit of its chart'}.`,
  'does.lift-gated': ({ to }) => `The release is reconciled at once. It stays as it is: no ${to} of its chart has been approved yet.`,
  'decided.another': () => 'the resource was deleted and created again after the decision',
  'decided.expired': () => 'it expired before it was carried out; decide again',
  'decided.unreadable': () => 'the decision cannot be read: it needs a resource, a known verb and an actor',
  'decided.sync': () => 'the release is being reconciled',
  'decided.hold': () => 'the release is held',
  'decided.lift': () => 'the hold is lifted, and the release is being reconciled',
  'decided.gone': ({ resource }) => `${resource} does not exist`,
  'decided.hold-moved': ({ by: user }) => `another decision, by ${user}, now holds the release; review it again`,
  'decided.no-revision': ({ revision }) => `Helm has stored no revision ${revision} of the release`,
  'decided.already-there': ({ revision }) => `revision ${revision} is already deployed; hold the release to keep it`,
  'decided.stored-moved': ({ seen, newest }) =>
    `the newest revision is now ${newest}, it was ${seen ?? 'none'} when this was decided; review it again`,
  'decided.may-not': ({ user, right }) => `${user} may not do this: the rollback requires the right ${right}`,
  'decided.rollback': ({ revision }) => `Helm is rolling back to revision ${revision}; the release is held`,
  'decided.rolled-back': ({ revision }) => `Helm rolled back to revision ${revision}; the release is held until the hold is lifted`,
  'decided.failed': ({ revision, why }) =>
    `Helm could not roll back to revision ${revision}: ${why}; the release is held until the hold is lifted`,
  'decided.interrupted': () => "interrupted before Helm finished; check Helm's storage. The release is held until the hold is lifted",
  'act.cancelled': ({ by }) =>
    `${by} cancelled it; it is retried when something changes, or on a sync unless it was left failed or rolled back`,
  'act.nothing-under-way': () => 'Helm is not running for this release',
  'act.under-way': () => 'Helm is running for this release; stop it first',
  'act.not-pending': ({ stored }) =>
    stored === null ? 'Helm has stored no revision of it' : `Helm's storage says ${stored}: nothing is locked`,
  'does.cancel': () => 'The running Helm process gets SIGTERM, and SIGKILL after 30 s.',
  'does.cancel-waiting': () =>
    'Helm has not started yet: the release leaves the queue, and nothing is changed. It is not retried until something changes or someone syncs it.',
  'does.cancel-leaves': () =>
    'An install or upgrade is left failed, with the objects written so far. A rollback, or a killed process, is left pending: unlock it then. A dry run changes nothing.',
  'does.cancel-then': () =>
    'Remediation of the resource applies: the first install of a HelmRelease is uninstalled, and one with spec.rollback rolls back. An upgrade left failed or rolled back is retried only when its resource, values or chart change; anything else is also retried when someone syncs it.',
  'does.unlock': () => "The pending revision is marked failed in Helm's storage. No object is changed.",
  'does.unlock-then': () =>
    'Helm can then release again: the next commit upgrades it, or you roll back. A Helm process elsewhere, such as in a pipeline, is not stopped.',
  'decided.cancel': () => 'Helm is being stopped',
  'decided.nothing-cancelled': () => 'Helm had already finished',
  'decided.cancelled': formatCancelled,
  'decided.unlock': ({ revision }) => `revision ${revision} is being marked failed`,
  'decided.unlocked': ({ revision }) => `revision ${revision} is marked failed: Helm can release again`,
  'decided.unlock-failed': ({ why }) => `nothing was unlocked: ${why}`,
  'decided.cut-short': () => "interrupted; check Helm's storage",
  'decided.ungranted': ({ why }) => why,
  'decided.may-not-unlock': ({ user, right }) => `${user} may not do this: Helm's storage requires the right ${right}`,
  'act.not-gated': () => 'its commits need no approval',
  'act.nothing-waits': () => 'no commit of its chart waits for approval',
  'act.no-archive-waits': () => 'no archive of its chart waits for approval',
  'act.nothing-looser': () => 'the policy in force is the one that its annotations, its namespace and the server request',
  'gate.waits': ({ commit, subject, author, given, lost, dependencies }) => {
    const fetched = dependencies.length === 0 ? '' : `; its dependencies resolve to ${formatDependencies(dependencies)}`;
    const gone = lost === null ? '' : `; ${voidOf(lost)}`;
    return `commit ${shortRevision(commit)} by ${author} waits for approval (${formatGiven(given)}): ${subject}${fetched}${gone}`;
  },
  'gate.given': formatGiven,
  'gate.void': ({ commit }) => voidOf(commit),
  'gate.moved': ({ commit }) => `commit ${shortRevision(commit)} is no longer the one that the release may go to; another was approved`,
  'state.commit-gone': ({ commit }) => `${goneOf(commit)}; it stays there until another commit is approved`,
  'gate.archive-waits': ({ given, ...archive }) => `archive ${formatArchive(archive)} waits for approval (${formatGiven(given)})`,
  'gate.archive-moved': ({ version, now, before, required, lost }) => {
    const was = before.revision === now.revision && before.digest !== null ? `archive ${shortDigest(before.digest)}` : before.revision;
    const to = before.revision === now.revision ? `archive ${shortDigest(now.digest)} of ${now.revision}` : now.revision;
    const gone = lost === null ? '' : `; archive ${formatArchive(lost)} was approved and is no longer published`;
    return `version ${JSON.stringify(version)} now resolves to ${to} instead of ${was}; this needs ${formatCount(required, 'approval')} or a change of the resource${gone}`;
  },
  'gate.dependencies-moved': ({ commit, now, before }) => {
    const was = before.length === 0 ? 'which is not what was approved' : `no longer to ${formatDependencies(before)}`;
    return `dependencies of commit ${shortRevision(commit)} now resolve to ${formatDependencies(now) || 'none'}, ${was}; this needs approval, or a change of the resource once it is released`;
  },
  'gate.demands': ({ of: what, required, groups }) =>
    required === 0 ? `${what}s need no approval` : `each ${what} needs ${formatCount(required, 'approval')}${byMembers(groups, required)}`,
  'state.gated': ({ required, lost, isInstalled, behind }) =>
    (behind === null ? '' : `${say(behind)}; `) +
    (lost === null
      ? `no commit is approved for it yet, so it ${isInstalled ? 'stays as it is' : 'is not installed'}; a commit needs ${formatCount(required, 'approval')}`
      : `${voidOf(lost)}; ${isInstalled ? 'the release stays as it is, and ' : 'nothing is installed, and '}another commit needs ${formatCount(required, 'approval')}`),
  'upgrade.gated': ({ required, lost }) =>
    lost === null ? `no commit is approved for it yet; a commit needs ${formatCount(required, 'approval')}` : voidOf(lost),
  'state.depends': ({ why }) => why,
  'upgrade.depends': ({ why }) => why,
  'does.approve': () =>
    'With the last required approval, the release is installed or upgraded at exactly this commit, even if newer ones exist.',
  'does.approve-keeps': () => 'Newer commits need their own approval. Changes of the resource need none.',
  'does.approve-forward': () => 'No approval takes the release back to a commit older than the last approved one; a rollback does.',
  'does.approve-archive': () =>
    'With the last required approval, the release is upgraded to exactly this archive, even if its version resolves to another by then.',
  'does.approve-archive-keeps': () =>
    'Other archives need their own approval, under the same version too. Changes of the resource need none.',
  'does.loosen': () => 'With the last required approval, the looser policy takes effect.',
  'decided.approve': ({ commit }) => `approval of commit ${shortRevision(commit)} counts`,
  'decided.already-approved': ({ commit }) => `commit ${shortRevision(commit)} is already approved`,
  'decided.not-on-branch': ({ commit }) => `the branch does not contain commit ${shortRevision(commit)}`,
  'decided.no-chart': ({ commit }) => `commit ${shortRevision(commit)} has no chart at the path of the release`,
  'decided.chart-moved': ({ commit }) => `the chart in commit ${shortRevision(commit)} has changed since it was reviewed; review it again`,
  'decided.goes-back': ({ commit, approved }) =>
    `commit ${shortRevision(commit)} does not contain commit ${shortRevision(approved)}, the last one approved; to go back, roll back the release`,
  'decided.approve-archive': ({ digest }) => `approval of archive ${shortDigest(digest)} counts`,
  'decided.archive-already-approved': ({ digest }) => `archive ${shortDigest(digest)} is already the approved one`,
  'decided.archive-moved': ({ digest }) => `archive ${shortDigest(digest)} is not the one that waits; review it again`,
  'decided.archive-approved': ({ by: users, ...archive }) =>
    `approved by ${formatList(users)}: the release goes to archive ${formatArchive(archive)}`,
  'decided.loosen': () => 'approval of the looser policy counts',
  'decided.demand-moved': () => 'the policy in force or the requested one has changed since it was seen; review it again',
  'decided.no-release': ({ release, namespace }) => `Helm stores no release ${release} in ${namespace}`,
  'decided.declared': ({ by: resource }) => `${resource} declares the release; delete that resource instead`,
  'decided.uninstall': () => 'accepted; Helm uninstalls the release when it is its turn',
  'decided.uninstalled': ({ release, namespace }) => `Helm uninstalled release ${release} in ${namespace}`,
  'decided.uninstall-failed': ({ why }) => `Helm could not uninstall the release: ${why}`,
  'decided.uninstall-interrupted': () =>
    "interrupted before Helm finished; check Helm's storage, and uninstall again where a revision is left",
  'decided.may-not-uninstall': ({ user, right }) => `${user} may not do this: the uninstall requires the right ${right}`,
  'decided.no-member': ({ user, groups }) => `${user} may not approve this: it requires a member of ${formatMembers(groups)}`,
  'decided.no-person': ({ user, groups }) =>
    `several people are required, and ${formatUser(user)} is not a person; a gate whose groups name ${formatList(groups, 'or')} counts it`,
  'decided.approved-twice': ({ user, have, required }) => `${user} has already approved this, and that counts (${have} of ${required})`,
  'decided.counted': ({ have, required }) => countGiven(have, required),
  'decided.approved': ({ commit, by: users }) => `approved by ${formatList(users)}: the release goes to commit ${shortRevision(commit)}`,
  'decided.loosened': ({ by: users }) => `approved by ${formatList(users)}: the looser policy is in force`,
  'upgrade.elsewhere': () => 'only the replica that holds the Lease reconciles releases and has the results',
};

/** A message about a Helm release, as it is said. */
export const formatRelease = (message: ReleaseMessage): string => fromCatalogue(say(message));

function say(message: ReleaseMessage): string {
  const sentence = SENTENCES[message.id] as (message: ReleaseMessage) => string;
  return sentence(message);
}
