import { describe, expect, it } from 'vitest';
import type { ReleaseDecisionSpec } from '@/lib/contract/release-decision';
import type { KeptGate } from '@/lib/contract/release-gate';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { formatRelease } from '@/lib/words/format-release';
import type { Answers } from '@/server/chartsync/decisions/answers';
import { evaluateApproval, evaluateLoosening } from '@/server/chartsync/decisions/approvals';
import type { Evaluation } from '@/server/chartsync/decisions/evaluate';
import { GateDecisions } from '@/server/chartsync/decisions/gate-decisions';
import type { Holds } from '@/server/chartsync/decisions/holds';
import {
  isSameGatePolicy,
  isServiceAccountVote,
  looseningOf,
  mayApprove,
  NO_GATE_POLICY,
  readGatePolicy,
  stricter,
} from '@/server/chartsync/gate/gate-policy';
import type { Gates } from '@/server/chartsync/gate/gates';
import { waitingSince } from '@/server/chartsync/gate/waiting-since';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { ApprovableCommit } from '@/server/chartsync/ports';
import type { SessionComponents } from '@/server/chartsync/session/session-components';

const REF = { kind: 'HelmRelease' as const, name: 'web', uid: 'u' };
const read = (approvals?: string, groups?: string) =>
  readGatePolicy(
    { ...(approvals && { 'slipway.dev/approvals': approvals }), ...(groups && { 'slipway.dev/approval-groups': groups }) },
    'HelmRelease web in shop',
  );

describe('what a gate demands', () => {
  it('[issue 12.1] is read from two annotations', () => {
    expect(read()).toEqual(NO_GATE_POLICY);
    expect(read('2', 'sre, leads,')).toEqual({ required: 2, groups: [['sre', 'leads']] });
  });

  it.each(['two', '-1', '1.5', '21', '1e1'])('[issue 12.1] is no number such as %s, and says of which object', (text) => {
    expect(() => read(text)).toThrow(
      `annotation slipway.dev/approvals of HelmRelease web in shop must be a number from 0 to 20, found "${text}"`,
    );
  });

  it('[issue 12.1] is the higher number, by people of the groups of each', () => {
    const both = stricter(read('1', 'sre,leads'), read('2', 'qa'));
    expect(both.required).toBe(2);
    expect(mayApprove(both, { user: 'ann', groups: ['qa'] })).toBe(false);
    expect(mayApprove(both, { user: 'ann', groups: ['sre'] })).toBe(false);
    expect(mayApprove(both, { user: 'ann', groups: ['leads', 'qa'] })).toBe(true);
    expect(mayApprove(both, { user: 'ann' })).toBe(false);
  });

  it('[issue 10.2] counts no service account as a second person, but where a group of it is named, or one person is enough', () => {
    const robot = { user: 'system:serviceaccount:shop:robot', groups: [] };
    expect([mayApprove(read('2'), robot), isServiceAccountVote(read('2'), robot), mayApprove(read('2'), { user: 'ann' })]).toEqual([
      false,
      true,
      true,
    ]);
    for (const groups of ['system:serviceaccounts:shop', 'leads,system:serviceaccounts'])
      expect(mayApprove(read('2', groups), robot)).toBe(true);
    expect(mayApprove(read('2', 'system:serviceaccounts:bank'), robot)).toBe(false);
    expect(mayApprove(read('1'), robot)).toBe(true);
  });

  it.each(['approve', 'loosen'] as const)(
    '[issue 10.2] refuses %s by a service account with a sentence, and takes that of a person',
    (verb) => {
      const gate: KeptGate = { required: 2, groups: [], waiting: null, approved: null, wanted: { required: 0, groups: [] } };
      const judge = (user: string) => {
        const actor = { user };
        if (verb === 'loosen')
          return evaluateLoosening(
            { verb, actor, seen: { gate: looseningOf(gate, NO_GATE_POLICY) }, releaseRef: REF },
            { gate, approvers: [] },
          );
        const facts = { isOnBranch: true, chart: 'c' } as ApprovableCommit;
        return evaluateApproval({ verb, actor, commit: 'a'.repeat(40), seen: { chart: 'c' } }, { gate, facts, approvers: [] });
      };
      const told = judge('system:serviceaccount:shop:robot');
      expect(told.phase).toBe('Rejected');
      expect(formatRelease(told.says)).toBe(
        'several people are required, and service account robot in shop is not a person; a gate whose groups name system:serviceaccounts:shop or system:serviceaccounts counts it',
      );
      expect(judge('ann').phase).toBe('Accepted');
    },
  );

  it('[issue 12.1] does not get looser by more groups, whatever their order', () => {
    const kept = stricter(read('2', 'sre'), read('1', 'leads,sre'));
    expect(kept).toEqual({ required: 2, groups: [['sre']] });
    expect(isSameGatePolicy(stricter(kept, kept), kept)).toBe(true);
    expect(isSameGatePolicy(read('1', 'a,b'), read('1', 'b,a'))).toBe(true);
    expect(looseningOf(kept, read('1', 'a,b'))).toBe(looseningOf(kept, read('1', 'b,a')));
    expect(looseningOf(kept, read('1'))).not.toBe(looseningOf(kept, read('2')));
  });

  it('[issue 10.2] gets looser by nothing that was decided about an earlier request for the same', () => {
    const gate = (since: string): KeptGate => ({ required: 1, groups: [], wanted: { required: 0, groups: [], since } });
    const seen = { gate: looseningOf(gate('monday'), { ...NO_GATE_POLICY, since: 'monday' }) };
    const judge = (since: string) =>
      evaluateLoosening({ verb: 'loosen', actor: { user: 'ann' }, seen, releaseRef: REF }, { gate: gate(since), approvers: [] });
    expect(judge('monday').phase).toBe('Accepted');
    expect(judge('friday')).toEqual({ phase: 'Rejected', says: { id: 'decided.demand-moved' } });
  });
});

const AT = '2027-01-15T08:00:00.000Z';
const LEDGER = readDeclared({
  ...KINDS.fluxHelmRelease,
  metadata: { namespace: 'pay', name: 'ledger', uid: 'u' },
  spec: { chartGitPath: 'a' },
});

function approvalOf(commit: string, status: object): KubeObject {
  const releaseRef = { kind: 'FluxHelmRelease', name: 'ledger', uid: 'u' };
  const spec = {
    releaseRef,
    verb: 'approve',
    actor: { user: 'ada', groups: [] },
    commit: commit.repeat(20),
    seen: { chart: 'a'.repeat(40) },
  };
  return { ...KINDS.releaseDecision, metadata: { namespace: 'pay', name: commit }, spec, status };
}

describe('an approval', () => {
  it('[issue 12.1] that moves the gate has the release brought to its commit once, also where a copy that is behind shows it as not ended', async () => {
    const gate: KeptGate = { required: 1, groups: [], approved: { commit: 'c0', chart: 'a0', at: AT, by: ['ada'] } };
    const [released, ends] = [[] as string[], [true, false]];
    const decisions = new GateDecisions({
      gates: { of: () => gate, change: async () => gate } as unknown as Gates, // no more of it is asked for
      holds: { about: () => [] } as unknown as Holds,
      answers: { end: async () => ends.shift() } as unknown as Answers,
      follow: { look: () => undefined, releaseApproved: ({ key }) => void released.push(key) },
    });
    const object = approvalOf('c0', { phase: 'Accepted', at: AT });
    const decided = { object, spec: object.spec as ReleaseDecisionSpec, resource: LEDGER, parts: {} as SessionComponents };
    await decisions.finish(decided);
    await decisions.finish(decided);
    expect(released).toEqual(['pay/ledger']);
    expect(ends).toEqual([]);
  });

  it('[issue 12.1] is void once the branch has lost the commit before enough people approved it, and those of other commits are not', async () => {
    const gate: KeptGate = {
      required: 2,
      groups: [],
      waiting: { commit: 'c2'.repeat(20), chart: 'a2', subject: 's', author: 'Ada', at: AT },
    };
    const given = ['c0', 'c1', 'c2'].map((commit) => approvalOf(commit, { phase: 'Accepted', at: AT }));
    const rejected = approvalOf('c0', { phase: 'Rejected', at: AT });
    const written: unknown[] = [];
    const decisions = new GateDecisions({
      gates: { of: () => gate } as unknown as Gates, // no more of it is asked for
      holds: { about: () => [...given, rejected] } as unknown as Holds,
      answers: {
        write: async ({ metadata }: KubeObject, { phase, says }: Evaluation) => written.push([metadata.name, phase, formatRelease(says)]),
      } as unknown as Answers,
      follow: { look: () => undefined, releaseApproved: () => undefined },
    });
    const lookAtCommit = async (_resource: unknown, commit: string) => ({ isOnBranch: !commit.startsWith('c0') });
    await decisions.voidLost({ resource: LEDGER, parts: { lookAtCommit } as unknown as SessionComponents });
    expect(written).toEqual([['c0', 'Expired', 'void: the branch no longer contains commit c0c0c0c0']]);
  });
});

describe('since when a commit waits', () => {
  const commit = (name: string, since?: string) => ({
    commit: name,
    chart: 'c',
    subject: '',
    author: '',
    at: '',
    ...(since === undefined ? {} : { since }),
  });

  it('[issue 12.4] is when it was found first, and stays unknown where the definition does not keep it: no look writes it again', () => {
    expect(waitingSince(commit('a'), { before: undefined, foundAt: 'noon' })).toEqual({ since: 'noon' });
    expect(waitingSince(commit('a'), { before: commit('a', 'morning'), foundAt: 'noon' })).toEqual({ since: 'morning' });
    expect(waitingSince(commit('b'), { before: commit('a', 'morning'), foundAt: 'noon' })).toEqual({ since: 'noon' });
    expect(waitingSince(commit('a'), { before: commit('a'), foundAt: 'noon' })).toEqual({});
  });
});
