import { describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import type { InboxRow } from '@/lib/contract/system-rows';
import type { Act, Session } from '@/server/auth';
import type { CommandDeps } from '@/server/commands/command-deps';
import { readAssignees } from '@/server/commands/inbox/read-assignees';

const asked: Act[] = [];

/** The rights of somebody who may decide about what these namespaces hold, and nothing else. */
function depsOf(...namespaces: readonly string[]): CommandDeps {
  asked.length = 0;
  const authorise = async (_session: Session, act: Act) => {
    asked.push(act);
    if ('ns' in act && typeof act.ns === 'string' && namespaces.includes(act.ns)) return { visibility: 'all' };
    throw new AppError('forbidden', 'they may not');
  };
  return { auth: { authorise } } as unknown as CommandDeps;
}

const rowOf = (over: Partial<InboxRow>): InboxRow => ({
  key: 'rollout/shop/web',
  group: 'waits',
  kind: 'rollout',
  ns: 'shop',
  name: 'web',
  title: 'Stage 1 of 2 waits',
  sentence: 'Waiting for 1 approval.',
  health: 'InProgress',
  since: null,
  decider: { verb: 'approve', groups: [], not: [] },
  href: '/rollouts/shop/web',
  ...over,
});
const session = { user: 'ann', groups: ['approvers'] } as unknown as Session;
const assigneeOf = async (deps: CommandDeps, over: Partial<InboxRow>, by: Session = session) =>
  Object.values((await readAssignees(deps, by, [rowOf(over)])).assignees)[0];
/** As signed in: groups of the system are not kept. */
const account = { user: 'system:serviceaccount:ci:pipeline', groups: [] } as unknown as Session;
const decider = (groups: string[], not: string[] = []) => ({ decider: { verb: 'approve', groups, not } });

describe('whose turn it is', () => {
  it.each([
    ['who holds the right', ['shop'], {}, { mine: true, waitsFor: 'you' }],
    ['nobody known, without the right', ['other'], {}, { mine: false, waitsFor: 'someone who may decide it' }],
    ['who is in one of the groups', ['shop'], decider(['leads', 'approvers']), { mine: true, waitsFor: 'you' }],
    [
      'the groups, for who is in none of them',
      ['shop'],
      decider(['leads', 'payments-approvers']),
      { mine: false, waitsFor: 'leads or payments-approvers' },
    ],
    ['the groups, for who is in one and lacks the right', ['other'], decider(['approvers']), { mine: false, waitsFor: 'approvers' }],
    ['somebody else, for who asked for it or has approved it', ['shop'], decider([], ['ann']), { mine: false, waitsFor: 'someone else' }],
    [
      'the groups of both lists, for who is in one of the first only',
      ['shop'],
      { decider: { ...decider(['leads', 'approvers']).decider, andGroups: [['owners', 'sre']] } },
      { mine: false, waitsFor: 'someone in leads or approvers who is also in owners or sre' },
    ],
    [
      'who is in a group of each list',
      ['shop'],
      { decider: { ...decider(['leads', 'approvers']).decider, andGroups: [['owners', 'approvers']] } },
      { mine: true, waitsFor: 'you' },
    ],
    [
      'the groups of both lists, for who is in one of the second only',
      ['shop'],
      { decider: { ...decider(['leads']).decider, andGroups: [['approvers']] } },
      { mine: false, waitsFor: 'someone in leads who is also in approvers' },
    ],
    ['the group, for who has approved it', ['shop'], decider(['approvers'], ['ann']), { mine: false, waitsFor: 'approvers' }],
  ] as const)('[issue 14.3] is that of %s', async (_whose, namespaces, over, turn) => {
    expect(await assigneeOf(depsOf(...namespaces), over as Partial<InboxRow>)).toEqual({
      ...turn,
      what: 'web in shop: Stage 1 of 2 waits',
      sentence: 'Waiting for 1 approval.',
    });
  });

  it.each([
    [
      'where the policy counts people',
      { decider: { verb: 'approve', groups: [], not: [], people: true } },
      { mine: false, waitsFor: 'a person' },
    ],
    ['where one decision of anyone will do', decider([]), { mine: true, waitsFor: 'you' }],
    [
      'in a group that is named',
      { decider: { ...decider(['system:serviceaccounts:ci']).decider, people: true } },
      { mine: true, waitsFor: 'you' },
    ],
    [
      'in none of the groups that are named',
      { decider: { ...decider(['system:serviceaccounts:cd']).decider, people: true } },
      { mine: false, waitsFor: 'system:serviceaccounts:cd' },
    ],
  ] as const)('[issue 10.2] tells a service account %s whether it counts', async (_where, over, turn) => {
    expect(await assigneeOf(depsOf('shop'), over as Partial<InboxRow>, account)).toMatchObject(turn);
  });

  it('[issue 10.2] is that of a person where the policy counts people', async () => {
    expect(await assigneeOf(depsOf('shop'), { decider: { verb: 'approve', groups: [], not: [], people: true } })).toMatchObject({
      mine: true,
    });
  });

  it.each([
    [
      'a rollout',
      { decider: { verb: 'resume', groups: [], not: [] } },
      [{ kind: 'decide', on: 'rollout', verb: 'resume', ns: 'shop', name: 'web' }],
    ],
    [
      'a release in a namespace that is called like a kind of releases',
      { kind: 'release', ns: 'helmrelease', href: '/releases/helmrelease/helmrelease-v1beta1/web?tab=commits&commit=0123' },
      [{ kind: 'decide-release', of: 'helmrelease-v1beta1', verb: 'approve', ns: 'helmrelease', name: 'web' }],
    ],
    [
      'an application',
      { kind: 'application', key: 'application/shop/web', href: '/applications/shop/web' },
      [{ kind: 'decide', on: 'application', verb: 'approve', ns: 'shop', name: 'web' }],
    ],
    [
      'an application that is suspended, or whose plan moved,',
      { kind: 'application', href: '/applications/shop/web', decider: { verb: 'change', groups: [], not: [] } },
      [{ kind: 'change-application', ns: 'shop', name: 'web' }],
    ],
    [
      'an application whose namespace is not granted',
      { kind: 'application', href: '/applications/shop/web', decider: { verb: 'grant', groups: [], not: [] } },
      [
        {
          kind: 'write-object',
          right: { verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'rolebindings', namespace: 'shop' },
        },
      ],
    ],
    [
      'a release',
      { kind: 'release', key: 'approval/shop/helmrelease/web', href: '/releases/shop/helmrelease/web' },
      [{ kind: 'decide-release', of: 'helmrelease', verb: 'approve', ns: 'shop', name: 'web' }],
    ],
    [
      'a rollout of which nobody is named',
      { decider: undefined },
      [{ kind: 'decide', on: 'rollout', verb: 'approve', ns: 'shop', name: 'web' }],
    ],
    [
      'an application of which nobody is named, in a namespace that is called like a kind of release,',
      { kind: 'application', href: '/applications/helmrelease/web', decider: undefined },
      [{ kind: 'change-application', ns: 'shop', name: 'web' }],
    ],
    [
      'a release of which nobody is named',
      { kind: 'release', href: '/releases/shop/helmrelease/web', decider: undefined },
      [{ kind: 'decide-release', of: 'helmrelease', verb: 'sync', ns: 'shop', name: 'web' }],
    ],
    [
      'a release whose namespace is not granted',
      { kind: 'release', href: '/releases/shop/helmrelease/web', decider: { verb: 'grant', groups: [], not: [] } },
      [{ kind: 'decide-release', of: 'helmrelease', verb: 'sync', ns: 'shop', name: 'web' }],
    ],
    [
      'a release of a kind that nobody decides about',
      { kind: 'release', href: '/releases/shop/other/web' },
      [{ kind: 'change-application', ns: 'shop', name: 'web' }],
    ],
  ] as const)('[issue 14.3] asks for the very act that lets %s go on', async (_what, over, acts) => {
    await assigneeOf(depsOf('other'), over as unknown as Partial<InboxRow>);
    expect(asked).toEqual(acts);
  });

  it('[issue 14.3] tells what waits without a namespace, and without anybody named, as plainly', async () => {
    const told = await assigneeOf(depsOf(''), { ns: '', decider: undefined });
    expect(told).toEqual({ mine: true, waitsFor: 'you', what: 'web: Stage 1 of 2 waits', sentence: 'Waiting for 1 approval.' });
  });

  it('[issue 14.3] asks nothing about what waits for nobody, and about sixty at most', async () => {
    const many = Array.from({ length: 80 }, (_, at) => rowOf({ key: `rollout/shop/web-${at}` }));
    const { assignees, turns } = await readAssignees(depsOf('shop'), session, [
      rowOf({ key: 'failing', group: 'failing' }),
      rowOf({ key: 'moving', group: 'moving' }),
      ...many,
    ]);
    expect(Object.keys(assignees)).toHaveLength(60);
    expect(assignees).not.toHaveProperty('failing');
    expect(turns).toEqual(assignees); // as the release before reads it
    expect(asked).toHaveLength(60);
  });
});
