import type { Assignee, Assignees } from '@/lib/contract/inbox/assignees';
import { MOST_ASSIGNED } from '@/lib/contract/inbox/assignees';
import { RELEASE_VERBS } from '@/lib/contract/release-decision';
import { RELEASE_KIND_NAMES } from '@/lib/contract/release-kind';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import type { InboxRow } from '@/lib/contract/system-rows';
import { groupsOfAccount } from '@/lib/kube/user-annotations';
import { inParallel } from '@/lib/std/in-parallel';
import { formatMembers } from '@/lib/words/sessions/format-members';
import type { Act, Session } from '@/server/auth';
import type { CommandDeps } from '../command-deps';
import { refusalReason } from '../read-rights';

const AT_ONCE = 8;

/** Who may act on each thing that waits: the policy is asked first, which costs nothing, then the rights of the person. */
export async function readAssignees(deps: CommandDeps, session: Session, rows: readonly InboxRow[]): Promise<Assignees> {
  const waiting = rows.filter(({ group }) => group === 'waits').slice(0, MOST_ASSIGNED);
  const found: [string, Assignee][] = [];
  await inParallel(waiting, AT_ONCE, async (row) => {
    found.push([row.key, { ...(await assigneeOf(deps, session, row)), sentence: row.sentence }]);
  });
  const assignees = Object.fromEntries(found);
  return { assignees, turns: assignees };
}

async function assigneeOf(deps: CommandDeps, session: Session, row: InboxRow): Promise<Omit<Assignee, 'sentence'>> {
  const what = `${row.name}${row.ns === '' ? '' : ` in ${row.ns}`}: ${row.title}`;
  const { groups = [], andGroups = [], not = [], people = false } = row.decider ?? {};
  const lists = [groups, ...andGroups].filter((list) => list.length > 0);
  const ofAccount = groupsOfAccount(session.user); // of which a session holds none
  const isCounted = ofAccount.length === 0 || !people;
  const isIn = (group: string) => session.groups.includes(group) || ofAccount.includes(group);
  const isAsked = lists.length === 0 ? isCounted : lists.every((list) => list.some(isIn));
  const whom = !isCounted ? 'a person' : not.includes(session.user) ? 'someone else' : 'someone who may decide it';
  const waitsFor = lists.length > 0 ? formatGroups(lists) : whom;
  if (not.includes(session.user) || !isAsked) return { mine: false, waitsFor, what };
  const isMine = (await refusalReason(deps, session, [actOf(row)])) === null;
  return { mine: isMine, waitsFor: isMine ? 'you' : waitsFor, what };
}

/** One list of groups by their names; of several, that somebody must be in each. */
function formatGroups(lists: readonly (readonly string[])[]): string {
  return lists.length === 1 ? formatMembers(lists) : `someone in ${formatMembers(lists)}`;
}

/** Whoever may bind roles in a namespace is who grants it to the server. */
const toGrant = (namespace: string) => ({ verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'rolebindings', namespace });

/** What would let it go on. */
function actOf({ kind, ns, name, href, decider }: InboxRow): Act {
  const place = { ns, name };
  if (kind === 'rollout') {
    const verb = DECISION_VERBS.find((known) => known === decider?.verb) ?? 'approve';
    return { kind: 'decide', on: 'rollout', verb, ...place };
  }
  if (kind === 'application' && decider?.verb === 'approve') return { kind: 'decide', on: 'application', verb: 'approve', ...place };
  if (kind === 'application' && decider?.verb === 'grant') return { kind: 'write-object', right: toGrant(ns) };
  const of = RELEASE_KIND_NAMES.find((known) => known === href.split('/')[3]); // /releases/NAMESPACE/KIND/NAME
  if (kind !== 'release' || of === undefined) return { kind: 'change-application', ...place };
  const verb = RELEASE_VERBS.find((known) => known === decider?.verb) ?? 'sync';
  return { kind: 'decide-release', of, verb, ...place };
}
