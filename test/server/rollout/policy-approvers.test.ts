import { describe, expect, it } from 'vitest';
import type { Approver } from '@/server/rollout/policy/approvers';
import {
  explainSelfApproval,
  explainUnmeetable,
  noApproverReason,
  requiredApprovers,
  withoutRequester,
} from '@/server/rollout/policy/approvers';
import type { ControlInput, ControlPolicy } from '@/server/rollout/policy/control-policy';
import { resolvePolicy } from '@/server/rollout/policy/control-policy';
import type { RolloutTerms } from '@/server/rollout/policy/strictness';
import { termsInForce } from '@/server/rollout/policy/terms-in-force';

const BOT = 'system:serviceaccount:ci:bot';
type Approvals = ControlPolicy['approvals'];
const approvals = (more: Partial<Approvals>): Approvals => ({ required: 1, groups: [], allowSelf: true, ...more });

describe('who approves', () => {
  it.each<{
    readonly who: string;
    readonly of: Partial<Approvals>;
    readonly user: string;
    readonly groups?: readonly string[];
    readonly askers?: readonly string[];
    readonly why?: string;
  }>([
    { who: 'anybody where it names none', of: {}, user: 'ann' },
    { who: 'somebody of a group', of: { groups: ['sre', 'dev'] }, user: 'ann', groups: ['qa', 'dev'] },
    {
      who: 'nobody of another group',
      of: { groups: ['sre', 'dev'] },
      user: 'ann',
      groups: ['qa'],
      why: 'the policy requires someone of sre or dev, and ann is in none of them',
    },
    {
      who: 'nobody of no group',
      of: { groups: ['sre'] },
      user: 'ann',
      why: 'the policy requires someone of sre, and ann is in none of them',
    },
    { who: 'whoever asked, where it lets them', of: {}, user: 'ann', askers: ['ann'] },
    {
      who: 'not whoever asked, where it does not',
      of: { allowSelf: false },
      user: 'ann',
      askers: ['ben', 'ann'],
      why: 'ann requested this change, and the policy requires someone else',
    },
    {
      who: 'not whoever asked, though of the group',
      of: { allowSelf: false, groups: ['sre'] },
      user: 'ann',
      groups: ['sre'],
      askers: ['ann'],
      why: 'ann requested this change, and the policy requires someone else',
    },
    { who: 'somebody else', of: { allowSelf: false }, user: 'ann', askers: ['ben'] },
    {
      who: 'nobody, where it is unknown who asked',
      of: { allowSelf: false },
      user: 'ann',
      why: 'it is unknown who requested this change, and the policy requires someone else to approve it',
    },
    { who: 'an account where one approval of anybody is wanted', of: {}, user: BOT },
    {
      who: 'no account where two people are wanted',
      of: { required: 2 },
      user: BOT,
      why: 'the policy counts people, and service account bot in ci is not a person; a policy whose approvals.groups names system:serviceaccounts:ci or system:serviceaccounts counts it',
    },
    {
      who: 'no account where somebody else is wanted',
      of: { allowSelf: false },
      user: BOT,
      askers: ['ben'],
      why: 'the policy counts people, and service account bot in ci is not a person; a policy whose approvals.groups names system:serviceaccounts:ci or system:serviceaccounts counts it',
    },
    { who: 'an account whose group is named', of: { required: 2, groups: ['system:serviceaccounts:ci'] }, user: BOT },
    {
      who: 'no account of another namespace',
      of: { groups: ['system:serviceaccounts:prod'] },
      user: BOT,
      why: 'the policy requires someone of system:serviceaccounts:prod, and service account bot in ci is in none of them',
    },
    { who: 'a person where two are wanted', of: { required: 2 }, user: 'ann' },
  ])('[issue 10.7] $who', ({ of, user, groups, askers = [], why }) => {
    expect(noApproverReason(approvals(of), { user, groups }, askers)).toBe(why);
  });

  it.each<{ readonly of: Partial<Approvals>; readonly onlyPeople: boolean; readonly excludesRequester: boolean }>([
    { of: {}, onlyPeople: false, excludesRequester: false },
    { of: { required: 2 }, onlyPeople: true, excludesRequester: false },
    { of: { allowSelf: false }, onlyPeople: true, excludesRequester: true },
    { of: { groups: ['sre'] }, onlyPeople: false, excludesRequester: false },
  ])('[issue 10.7] is said to others in the same way: $of', ({ of, ...asked }) => {
    expect(requiredApprovers(approvals(of))).toEqual({ groups: of.groups ?? [], ...asked });
  });

  it('[issue 10.7] is one more where the requester may not and nobody can be noted as such', () => {
    const [open, closed] = [approvals({ required: 2 }), approvals({ required: 2, allowSelf: false, groups: ['sre'] })];
    expect(withoutRequester(open)).toBe(open);
    expect(withoutRequester(closed)).toEqual({ required: 3, allowSelf: true, groups: ['sre'] });
  });

  it('[issue 10.7] is explained to a program that asks for a policy by which nobody approves what they asked for', () => {
    const closed: ControlInput = { approvals: { allowSelf: false } };
    expect(explainSelfApproval(closed, BOT)).toBe(
      'the policy does not let the requester approve a change: here that is service account bot in ci; who changed what it applies is unknown, and may approve it',
    );
    expect(explainSelfApproval(closed, 'ann')).toBeUndefined();
    expect(explainSelfApproval(closed, undefined)).toBeUndefined();
    expect(explainSelfApproval({}, BOT)).toBeUndefined();
  });
});

describe('a policy that nobody could meet', () => {
  const [ann, ben, cid]: readonly Approver[] = [
    { user: 'ann', groups: ['sre'] },
    { user: 'ben', groups: ['sre', 'dev'] },
    { user: 'cid', groups: [] },
  ];
  const all = [ann, ben, cid].filter((one) => one !== undefined);
  const atOnce = 'it is in force as soon as it is applied, and as many people have to decide to loosen it again';

  it.each<{
    readonly what: string;
    readonly of: NonNullable<ControlInput['approvals']>;
    readonly known?: readonly Approver[];
    readonly by?: string;
    readonly why?: string;
  }>([
    { what: 'as many as there are', of: { required: 3 }, known: all },
    {
      what: 'one more than there are',
      of: { required: 4 },
      known: all,
      why: `the policy requires 4 approvals at each gate, and only ann, ben and cid can approve here; ${atOnce}`,
    },
    { what: 'as many as there are of a group', of: { required: 2, groups: ['sre'] }, known: all },
    {
      what: 'more than there are of its groups',
      of: { required: 2, groups: ['dev', 'qa'] },
      known: all,
      why: `the policy requires 2 approvals at each gate from dev or qa, and only ben can approve here; ${atOnce}`,
    },
    {
      what: 'one of a group that nobody is in',
      of: { groups: ['qa'] },
      known: all,
      why: `the policy requires 1 approval at each gate from qa, and no one can approve here; ${atOnce}`,
    },
    {
      what: 'all of them, but not who asks',
      of: { required: 3, allowSelf: false },
      known: all,
      by: 'ann',
      why: `the policy requires 3 approvals at each gate, and only ben and cid can approve here; ${atOnce}`,
    },
    { what: 'all of them, who asks too', of: { required: 3, allowSelf: true }, known: all, by: 'ann' },
    { what: 'all others', of: { required: 2, allowSelf: false }, known: all, by: 'ann' },
    { what: 'all of them, of a stranger', of: { required: 3, allowSelf: false }, known: all, by: 'dan' },
    {
      what: 'one of a group without a name',
      of: { groups: [' '] },
      known: all,
      why: `the policy requires 1 approval at each gate from  , and a group without a name has no members; ${atOnce}`,
    },
    { what: 'one of a group with a name or one without', of: { groups: ['', 'sre'] }, known: all },
    { what: 'ten where nobody is known', of: { required: 10 } },
    {
      what: 'eleven where nobody is known',
      of: { required: 11 },
      why: `the policy requires 11 approvals at each gate; make sure that enough people may approve: ${atOnce}`,
    },
    {
      what: 'one of a group without a name where nobody is known',
      of: { groups: [''] },
      why: `the policy requires 1 approval at each gate from , and a group without a name has no members; ${atOnce}`,
    },
  ])('[issue 10.7] is told as such before it is in force: $what', ({ of, known, by, why }) => {
    expect(explainUnmeetable({ approvals: of }, { known, by })).toBe(why);
  });
});

describe('the terms that bind a rollout', () => {
  const terms = (required: number, ratio = 10): RolloutTerms => ({ ratio, overlap: true, control: { approvals: { required } } });

  it('[issue 10.7] are those asked for where none are in force, and where none of them is looser', () => {
    expect(termsInForce({}, terms(1))).toMatchObject({ terms: terms(1), policy: { approvals: { required: 1 } }, loosening: undefined });
    expect(termsInForce({ terms: terms(2) }, terms(3))).toMatchObject({
      terms: terms(3),
      policy: { approvals: { required: 3 } },
      loosening: undefined,
    });
  });

  it('[issue 10.7] stay the stricter ones until somebody decides, which is asked with what waits', () => {
    const found = termsInForce({ terms: terms(2) }, terms(1, 50));
    expect(found).toMatchObject({ terms: terms(2), policy: { approvals: { required: 2 } } });
    expect(found.loosening).toMatchObject({ asked: terms(1, 50), fields: ['ratio', 'control.approvals.required'] });
  });

  it('[issue 10.7] are named to whoever decides by a digest of all that they saw, and of the round', () => {
    const digestOf = (...given: Parameters<typeof termsInForce>) => termsInForce(...given).loosening?.digest;
    const first = digestOf({ terms: terms(2) }, terms(1));
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(digestOf({ terms: terms(2), loosenRound: undefined }, terms(1))).toBe(first);
    const others = [
      digestOf({ terms: terms(3) }, terms(1)),
      digestOf({ terms: terms(3) }, terms(2)),
      digestOf({ terms: terms(2), loosenRound: 0 }, terms(1)),
      digestOf({ terms: terms(2), loosenRound: 1 }, terms(1)),
    ];
    expect(new Set([first, ...others]).size).toBe(5);
  });
});

it('[issue 10.7] a policy that is not written out is that of one approval by anybody', () => {
  expect(resolvePolicy({ approvals: {} }).approvals).toEqual(approvals({}));
  expect(resolvePolicy({ approvals: { required: 2, groups: ['sre'], allowSelf: false } }).approvals).toEqual({
    required: 2,
    groups: ['sre'],
    allowSelf: false,
  });
});
