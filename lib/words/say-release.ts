import { sayCount, sayList } from './figures';
import type { LoopName, ReleaseMessage } from './release-message';

type Sentences = { readonly [Id in ReleaseMessage['id']]: (message: Extract<ReleaseMessage, { readonly id: Id }>) => string };

/** Which loop it was, as the field calls them. */
export const LOOP_WORD: Readonly<Record<LoopName, string>> = {
  schedule: 'the periodic check',
  resource: 'a change of the resource',
  commit: 'a new commit',
  deletion: 'the deletion of the resource',
  decision: 'a decision',
};

/** A commit as git shortens it; a version stays as it is. */
export function shortRevision(revision: string): string {
  return /^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 8) : revision;
}

const at = (revision: string | null) => (revision === null ? '' : ` at ${shortRevision(revision)}`);
const by = (rule: string | null) => (rule === null ? '' : ` (rule ${rule})`);

/** Of which groups the people are that count; each list wants one. */
const sayMembers = (groups: readonly (readonly string[])[]) => sayList(groups.map((clause) => sayList(clause, 'or')));
const byMembers = (groups: readonly (readonly string[])[]) => (groups.length === 0 ? '' : ` by a member of ${sayMembers(groups)}`);

const FOUND = { equal: 'found it equal to its chart', unmoved: 'found that nothing moved since it was equal' } as const;
const DONE = { installed: 'installed', upgraded: 'upgraded', 'rolled-back': 'rolled back' } as const;

const SENTENCES: Sentences = {
  'state.in-sync': ({ loop, outcome, revision }) =>
    outcome === 'equal' || outcome === 'unmoved'
      ? `${LOOP_WORD[loop]} ${FOUND[outcome]}${at(revision)}`
      : `${DONE[outcome]}${at(revision)} after ${LOOP_WORD[loop]}`,
  'state.in-sync-told': ({ revision }) => `released${at(revision)}`,
  'state.changing': ({ phase }) => `Helm is at work: ${phase}`,
  'state.spec-ahead': ({ generation, seen }) => `generation ${generation} of the resource has not been looked at yet, ${seen} was the last`,
  'state.failed': ({ why, loop }) => (loop === null ? why : `${LOOP_WORD[loop]} failed: ${why}`),
  'state.pending': ({ stored, why }) => `Helm's storage says ${stored}, so nothing can be released over it${why === null ? '' : `: ${why}`}`,
  'state.refused': ({ by: other, release, namespace }) => `release ${release} in ${namespace} is declared by ${other}; this resource is passed over`,
  'state.rolled-back': ({ revision, why }) =>
    `the upgrade${revision === null ? '' : ` to ${shortRevision(revision)}`} failed and was rolled back${why === '' ? '' : `: ${why}`}`,
  'state.drifted': ({ why }) => why,
  'state.suspended': () => 'suspended: nothing happens until spec.suspend is false; deleting the resource still uninstalls it',
  'state.not-looked-at': () => 'not reconciled yet',
  'state.not-compared': ({ stored }) => `Helm's storage says ${stored}; not compared with its chart yet`,
  'wait.engine': ({ why }) => why,
  'wait.mend': ({ why, command }) => `${why}; run ${command}`,
  'drift.base': () => 'not compared: releases of this kind are compared with what Helm stored, not with live objects',
  'drift.disabled': () => 'not compared: neither spec.driftDetection nor annotation slipway.dev/drift-detection asks for it',
  'drift.wrong': ({ why }) => why,
  'drift.not-compared': () => 'not compared yet',
  'drift.none': () => 'live objects match the release',
  'drift.found': ({ why }) => why,
  'upgrade.none-due': ({ rule, revision, outcome }) =>
    outcome === 'equal'
      ? `a dry run of the chart${at(revision)} gave what is released already: neither values nor chart differ${by(rule)}`
      : `up to date${at(revision)}: chart, values, service account, Helm and stored revision are unchanged since the last dry run${by(rule)}`,
  'upgrade.done': ({ rule, revision, outcome }) => `it was ${outcome}${at(revision)}${by(rule)}`,
  'upgrade.failed': ({ rule, revision, why }) => `the attempt${at(revision)} failed${by(rule)}: ${why}`,
  'upgrade.dropped': () => 'the resource changed during the comparison; it is compared again with the new spec',
  'state.plan-moved': ({ why }) => `change on hold: ${why}`,
  'upgrade.plan-moved': ({ why }) => `nothing was run, since ${why}; accept the current plan, or edit again`,
  'upgrade.suspended': () => 'it is suspended, so it is not reconciled (rule X-SUSP-1)',
  'upgrade.refused': ({ by: other }) => `${other} declares the same release and came first`,
  'upgrade.not-looked-at': () => 'this process has not reconciled it yet',
  'upgrade.held': ({ by: user }) => `${user} holds it: nothing is installed or upgraded until the hold is lifted`,
  'upgrade.rolled-back': () => 'a person rolled it back to an earlier revision',
  'state.held': ({ by: user, at: since, verb, revision, reason }) =>
    `${verb === 'hold' ? 'held' : `rolled back to revision ${revision ?? 'unknown'} and held`} by ${user} since ${since}${reason === null ? '' : `: ${reason}`}`,
  'act.held': ({ by: user }) => `${user} holds the release; lift the hold first`,
  'act.not-held': () => 'nothing holds the release',
  'does.sync': () => 'The repository is fetched, and the release is compared with its chart now instead of at the next check.',
  'does.sync-upgrades': () => 'If values or chart differ, it is upgraded.',
  'does.rollback': () => 'Helm rolls back to the revision you choose, as the account of the namespace; the objects of that revision are restored.',
  'does.holds': () => 'The release is neither installed nor upgraded, whatever commits or changes of its resource arrive, until the hold is lifted.',
  'does.deletion': () => 'Deleting its resource still uninstalls it.',
  'does.lift': () => 'The release is reconciled at once: what differs from the chart at its newest commit is upgraded.',
  'decided.another': () => 'the resource is not the one that was seen: it was deleted and created again',
  'decided.expired': () => 'it expired before it was carried out; decide again',
  'decided.unreadable': () => 'the decision cannot be read: it wants a resource, a known verb and an actor',
  'decided.sync': () => 'the release is being looked at',
  'decided.hold': () => 'the release is held',
  'decided.lift': () => 'the release is no longer held, and is being looked at',
  'decided.gone': ({ resource }) => `there is no ${resource}`,
  'decided.hold-moved': ({ by: user }) => `another decision holds the release by now, by ${user}; look again`,
  'decided.no-revision': ({ revision }) => `Helm has stored no revision ${revision} of the release`,
  'decided.already-there': ({ revision }) => `revision ${revision} is the one that is deployed; hold the release to keep it`,
  'decided.stored-moved': ({ seen, newest }) => `revision ${newest} is the newest by now, ${seen ?? 'none'} was when it was decided; look again`,
  'decided.may-not': ({ user, right }) => `${user} may not do this: what the rollback writes wants the right ${right}`,
  'decided.rollback': ({ revision }) => `Helm is going back to revision ${revision}; the release is held from now on`,
  'decided.rolled-back': ({ revision }) => `Helm went back to revision ${revision}; the release is held until that is lifted`,
  'decided.failed': ({ revision, why }) => `Helm could not go back to revision ${revision}: ${why}; the release is held all the same until that is lifted`,
  'decided.interrupted': () => "it was interrupted before Helm ended; see what Helm's storage says. The release is held until that is lifted",
  'act.nothing-under-way': () => 'Helm is not at work on it',
  'act.under-way': () => 'Helm is at work on it; cancel that first',
  'act.not-pending': ({ stored }) => (stored === null ? 'Helm has stored nothing of it' : `Helm's storage says ${stored}: nothing is locked`),
  'does.cancel': () => 'The Helm process that works on the release is asked to end; after 30 s it is killed.',
  'does.cancel-leaves': () =>
    'An install or upgrade is left failed, with the objects that it had written by then. A rollback, or a process that had to be killed, is left pending: unlock it then.',
  'does.cancel-then': () =>
    'What its resource says of failures is done: a HelmRelease with spec.rollback goes back. Loops do not try the same again until something changes.',
  'does.unlock': () => "The pending revision is marked failed in Helm's storage. Nothing else is written, and no object is changed.",
  'does.unlock-then': () =>
    'From then on Helm takes the release again: the next commit upgrades it, or you roll back. A Helm that is at work elsewhere, in a pipeline or at a shell, is not ended by this.',
  'decided.cancel': () => 'Helm is asked to end',
  'decided.nothing-cancelled': () => 'Helm had ended by itself before it was asked to',
  'decided.cancelled': ({ command, stored, revision }) =>
    `helm ${command} was ended${stored === null ? '; nothing is stored of the release' : `; Helm's storage says ${stored} at revision ${revision ?? 'unknown'}`}`,
  'decided.unlock': ({ revision }) => `revision ${revision} is being marked failed`,
  'decided.unlocked': ({ revision }) => `revision ${revision} is marked failed: Helm takes the release again`,
  'decided.unlock-failed': ({ why }) => `nothing was unlocked: ${why}`,
  'decided.unlock-interrupted': () => "it was interrupted; see what Helm's storage says",
  'decided.ungranted': ({ why }) => why,
  'decided.may-not-unlock': ({ user, right }) => `${user} may not do this: Helm's storage wants the right ${right}`,
  'act.not-gated': () => 'its commits want no approval',
  'act.nothing-waits': () => 'the newest commit of its chart is approved already',
  'act.nothing-looser': () => 'what is in force is what its annotations, its namespace and the server ask for',
  'gate.waits': ({ commit, subject, author, given, required }) =>
    `commit ${shortRevision(commit)} by ${author} waits for approval, ${given} of ${required} given: ${subject}`,
  'gate.demands': ({ required, groups }) => `each commit wants ${sayCount(required, 'approval')}${byMembers(groups)}`,
  'state.gated': ({ required, lost }) =>
    lost === null
      ? `no commit is approved for it yet, so nothing is installed or upgraded; a commit wants ${sayCount(required, 'approval')}`
      : `commit ${shortRevision(lost)} was approved, but the branch no longer contains it; another commit wants ${sayCount(required, 'approval')}`,
  'upgrade.gated': ({ required, lost }) =>
    lost === null
      ? `no commit is approved for it yet; a commit wants ${sayCount(required, 'approval')}`
      : `the branch no longer contains commit ${shortRevision(lost)}, the last one that was approved`,
  'state.depends': ({ why }) => why,
  'upgrade.depends': ({ why }) => why,
  'does.approve': () =>
    'With the last approval that is wanted, the release is installed or upgraded at exactly this commit, also where newer ones have come by then.',
  'does.approve-keeps': () => 'Newer commits wait for their own approval. Changes of its resource are released without one.',
  'does.loosen': () => 'With the last approval that the stricter demand wants, the looser one is in force, and commits go by that.',
  'decided.approve': ({ commit }) => `approval of commit ${shortRevision(commit)} counts`,
  'decided.already-approved': ({ commit }) => `the release is at commit ${shortRevision(commit)} already: that is the last one approved`,
  'decided.not-on-branch': ({ commit }) => `the branch does not contain commit ${shortRevision(commit)}`,
  'decided.no-chart': ({ commit }) => `there is no chart at the path of the release in commit ${shortRevision(commit)}`,
  'decided.chart-moved': ({ commit }) => `the chart in commit ${shortRevision(commit)} is not the one that was seen; look again`,
  'decided.loosen': () => 'approval of the looser policy counts',
  'decided.demand-moved': () => 'the policy in force or the requested one has changed since it was seen; look again',
  'decided.no-member': ({ user, groups }) => `${user} may not approve this: it requires a member of ${sayMembers(groups)}`,
  'decided.approved-twice': ({ user }) => `${user} has approved it already; another person is required`,
  'decided.counted': ({ have, required }) => `${have} of ${sayCount(required, 'approval')}`,
  'decided.approved': ({ commit, by: users }) => `approved by ${sayList(users)}: the release goes to commit ${shortRevision(commit)}`,
  'decided.loosened': ({ by: users }) => `approved by ${sayList(users)}: the looser policy is in force`,
  'upgrade.elsewhere': () => 'another replica reconciles releases, and only that one knows the results',
};

/** A message about a Helm release, as it is said. */
export function sayRelease(message: ReleaseMessage): string {
  const say = SENTENCES[message.id] as (message: ReleaseMessage) => string;
  return say(message);
}
