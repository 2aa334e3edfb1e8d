import { awaitedApproval } from '@/lib/contract/release-gate';
import type { ReleaseRow } from '@/lib/contract/release-rows';
import { releaseSeverity } from '@/lib/contract/release-state';
import { readString } from '@/lib/kube/fields';
import { toIso } from '@/lib/std/instant';
import { formatRelease, TRIGGER_WORDS } from '@/lib/words/format-release';
import { capitalise } from '../capitalise';
import type { ListShape } from '../views/list-view';
import { metadataOf } from '../views/metadata';
import type { ListedRelease } from './describe';

/** The line of the table of releases. */
export function toReleaseRow({ object, kind, told }: ListedRelease): ReleaseRow {
  const { at, release, state, says, waits, chart, revision, commit, lastAct, drift, nextCheckAt, gate, goneBranch, failedAt } = told;
  const { namespace: ns = '', name } = at;
  return {
    key: `${ns}/${kind}/${name}`,
    ns,
    kind,
    name,
    state,
    sentence: capitalise(formatRelease(says), [name, release.name]),
    release: { ...release },
    chart,
    revision,
    commit,
    lastAct: lastAct === null ? null : toLastAct(lastAct),
    drift: { state: drift.state, sentence: capitalise(formatRelease(drift.says)) },
    waits: waits === null ? null : capitalise(formatRelease(waits)),
    nextCheckAt: nextCheckAt === null ? null : toIso(nextCheckAt),
    flux: null,
    approval: approvalOf(gate) ?? keptBackOf({ object, told }),
    ...approvalCommitOf(gate),
    ...approvalSinceOf(gate),
    ...deciderOf(gate),
    ...goneBranchIn(goneBranch),
    ...goneCommitIn(gate),
    ...(failedAt === null ? {} : { failedAt }),
    ...metadataOf(object),
  };
}

function toLastAct({
  at,
  by,
  outcome,
  revision,
  storedRevision,
  users,
}: NonNullable<ListedRelease['told']['lastAct']>): ReleaseRow['lastAct'] {
  return { at, by: by === null ? null : TRIGGER_WORDS[by], outcome, revision, storedRevision, users: [...users] };
}

function goneBranchIn(says: ListedRelease['told']['goneBranch']): Pick<ReleaseRow, 'goneBranch' | 'lostBranch'> {
  if (says === null) return {};
  const goneBranch = capitalise(formatRelease(says));
  return { goneBranch, lostBranch: goneBranch };
}

function goneCommitIn(gate: ListedRelease['told']['gate']): Pick<ReleaseRow, 'goneCommit'> {
  return gate?.gone == null ? {} : { goneCommit: capitalise(formatRelease({ id: 'state.commit-gone', commit: gate.gone })) };
}

function approvalOf(gate: ListedRelease['told']['gate']): string | null {
  const archive = gate?.archive?.waiting;
  if (gate != null && archive != null) {
    const { revision, digest } = archive;
    return capitalise(formatRelease({ id: 'gate.archive-waits', revision, digest, given: gate.given }));
  }
  if (gate?.waiting == null) return gate?.lost == null ? null : capitalise(formatRelease({ id: 'gate.void', commit: gate.lost }));
  const { commit, subject, author, dependencies } = gate.waiting;
  return capitalise(
    formatRelease({
      id: 'gate.waits',
      commit,
      subject,
      author,
      given: gate.given,
      lost: gate.lost ?? null,
      dependencies: dependencies ?? [],
    }),
  );
}

function approvalCommitOf(gate: ListedRelease['told']['gate']): Pick<ReleaseRow, 'approvalCommit'> {
  return gate?.waiting == null || gate.archive?.waiting != null ? {} : { approvalCommit: gate.waiting.commit };
}

function approvalSinceOf(gate: ListedRelease['told']['gate']): Pick<ReleaseRow, 'approvalSince'> {
  const since = gate?.archive?.waiting?.at ?? gate?.waiting?.since;
  return since === undefined ? {} : { approvalSince: since };
}

/** Why a gate keeps a release back although no commit and no archive waits: dependencies of the approved commit lead elsewhere. */
function keptBackOf({ object, told: { gate, state, says } }: Pick<ListedRelease, 'object' | 'told'>): string | null {
  const isKept = gate !== null && state === 'waiting' && readString(object, 'status', 'phase') === 'ApprovalRequired';
  return isKept ? capitalise(formatRelease(says)) : null;
}

/** Who is asked about what waits: people who are in a group of each list. */
function deciderOf(gate: ListedRelease['told']['gate']): Pick<ReleaseRow, 'decider'> {
  if (gate === null || awaitedApproval(gate) === undefined) return {};
  const people = gate.required > 1 ? { people: true } : {};
  const [groups = [], ...further] = gate.groups.map((list) => [...list]);
  const andGroups = further.length > 0 ? { andGroups: further } : {};
  return { decider: { verb: 'approve', groups, ...andGroups, not: [...gate.approvers], ...people } };
}

export const releaseList: ListShape<ReleaseRow> = {
  namespaceOf: (row) => row.ns,
  text: (row) =>
    `${row.ns}/${row.name} ${row.release.name} ${row.chart?.name ?? ''} ${row.revision ?? ''} ${row.commit?.commit ?? ''} ${row.commit?.subject ?? ''}`,
  marks: (row) => row,
  filter: (row) => row.state,
  drifted: (row) => row.drift.state === 'drifted',
  sorts: {
    name: (row) => row.name,
    ns: (row) => `${row.ns}/${row.name}`,
    state: (row) => releaseSeverity(row.state),
    chart: (row) => `${row.chart?.name ?? ''} ${row.chart?.version ?? ''}`,
    acted: (row) => row.lastAct?.at ?? '',
    next: (row) => row.nextCheckAt ?? '',
  },
  defaultSort: 'state',
};
