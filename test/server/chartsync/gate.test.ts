import { describe, expect, it } from 'vitest';
import type { ReleaseDecisionSpec } from '@/lib/contract/release-decision';
import type { KeptGate } from '@/lib/contract/release-gate';
import { KINDS } from '@/lib/kube/kinds';
import { sayRelease } from '@/lib/words/say-release';
import type { Answers } from '@/server/chartsync/decisions/answers';
import { evaluateApproval, evaluateLoosening } from '@/server/chartsync/decisions/approvals';
import { GateDecisions } from '@/server/chartsync/decisions/gate-decisions';
import type { Holds } from '@/server/chartsync/decisions/holds';
import { isSameDemand, isUncounted, looseningOf, mayApprove, NO_DEMAND, readDemand, stricter } from '@/server/chartsync/gate/demand';
import type { Gates } from '@/server/chartsync/gate/gates';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { CommitFacts } from '@/server/chartsync/ports';
import type { Parts } from '@/server/chartsync/session/parts';

const REF = { kind: 'HelmRelease' as const, name: 'web', uid: 'u' };
const read = (approvals?: string, groups?: string) =>
  readDemand(
    { ...(approvals && { 'slipway.dev/approvals': approvals }), ...(groups && { 'slipway.dev/approval-groups': groups }) },
    'HelmRelease web in shop',
  );

describe('what a gate demands', () => {
  it('[issue 12.1] is read from two annotations', () => {
    expect(read()).toEqual(NO_DEMAND);
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
    expect([mayApprove(read('2'), robot), isUncounted(read('2'), robot), mayApprove(read('2'), { user: 'ann' })]).toEqual([
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
            { verb, actor, seen: { gate: looseningOf(gate, NO_DEMAND) }, releaseRef: REF },
            { gate, supporters: [] },
          );
        const facts = { isOnBranch: true, chart: 'c' } as CommitFacts;
        return evaluateApproval(
          { verb, actor, commit: 'a'.repeat(40), seen: { chart: 'c' }, releaseRef: REF },
          { gate, facts, supporters: [] },
        );
      };
      const told = judge('system:serviceaccount:shop:robot');
      expect(told.phase).toBe('Rejected');
      expect(sayRelease(told.says)).toBe(
        'several people are required, and service account robot in shop is not a person; a gate whose groups name system:serviceaccounts:shop or system:serviceaccounts counts it',
      );
      expect(judge('ann').phase).toBe('Accepted');
    },
  );

  it('[issue 12.1] does not get looser by more groups, whatever their order', () => {
    const kept = stricter(read('2', 'sre'), read('1', 'leads,sre'));
    expect(kept).toEqual({ required: 2, groups: [['sre']] });
    expect(isSameDemand(stricter(kept, kept), kept)).toBe(true);
    expect(isSameDemand(read('1', 'a,b'), read('1', 'b,a'))).toBe(true);
    expect(looseningOf(kept, read('1', 'a,b'))).toBe(looseningOf(kept, read('1', 'b,a')));
    expect(looseningOf(kept, read('1'))).not.toBe(looseningOf(kept, read('2')));
  });
});

describe('an approval that moves the gate', () => {
  it('[issue 12.1] has the release brought to its commit once, also where a copy that is behind shows it as not ended', async () => {
    const resource = readDeclared({
      ...KINDS.fluxHelmRelease,
      metadata: { namespace: 'pay', name: 'ledger', uid: 'u' },
      spec: { chartGitPath: 'a' },
    });
    const at = '2027-01-15T08:00:00.000Z';
    const gate: KeptGate = { required: 1, groups: [], approved: { commit: 'c0', chart: 'a0', at, by: ['ada'] } };
    const [released, ends] = [[] as string[], [true, false]];
    const decisions = new GateDecisions({
      gates: { of: () => gate, change: async () => gate } as unknown as Gates, // no more of it is asked for
      holds: { about: () => [] } as unknown as Holds,
      answers: { end: async () => ends.shift() } as unknown as Answers,
      follow: { look: () => undefined, releaseApproved: ({ key }) => void released.push(key) },
    });
    const spec = {
      verb: 'approve' as const,
      commit: 'c0',
      seen: { chart: 'a0' },
      actor: { user: 'ada' },
      releaseRef: { kind: 'FluxHelmRelease', name: 'ledger', uid: 'u' },
    };
    const object = { ...KINDS.releaseDecision, metadata: { namespace: 'pay', name: 'd' }, spec, status: { phase: 'Accepted', at } };
    const decided = { object, spec: spec as ReleaseDecisionSpec, resource, parts: {} as Parts };
    await decisions.finish(decided);
    await decisions.finish(decided);
    expect(released).toEqual(['pay/ledger']);
    expect(ends).toEqual([]);
  });
});
