import { describe, expect, it } from 'vitest';
import type { StageDecisionSpec } from '@/lib/contract/stage-decision';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant } from '@/lib/std/instant';
import type { CollectionInput } from '@/server/application/decide/collection';
import { collectionOf, evaluateCollection, predictApproval, withAnswers } from '@/server/application/decide/collection';
import type { RunPlan } from '@/server/application/decide/model';
import type { Observation } from '@/server/application/observe/observe';
import { entryOf, trackerOf } from './tracked';

const rollout = (approvals: { required?: number; groups?: string[]; allowSelf?: boolean }) =>
  ({ component: 'web', strategy: 'availability', ratio: 10, overlap: true, stageTimeoutMinutes: 2, control: { approvals } }) as const;

const input = (more: Partial<CollectionInput> = {}): CollectionInput => ({
  application: { name: 'web', namespace: 'shop', uid: 'app', rollout: undefined },
  components: ['web'],
  olds: [trackerOf('old', [entryOf('ConfigMap', 'a'), entryOf('PersistentVolumeClaim', 'data')])],
  next: trackerOf('next', [entryOf('ConfigMap', 'b')]),
  live: (one) => ({ kind: 'present', object: { apiVersion: 'v1', kind: one.kind, metadata: { name: one.name, uid: one.uid ?? '' } } }),
  decisions: [],
  seenGarbage: undefined,
  accepted: undefined,
  target: 'web-v2',
  now: toInstant(Date.UTC(2026, 0, 1)),
  ...more,
});
const digest = evaluateCollection(input()).plan.digest;

const decision = (spec: Partial<StageDecisionSpec>, phase = 'Pending', user = 'ada') => ({
  object: { ...KINDS.stageDecision, metadata: { name: `by-${user}`, uid: `by-${user}` } },
  spec: {
    applicationRef: { name: 'web', uid: 'app' },
    verb: 'approve',
    actor: { user, groups: ['ops'] },
    seen: { garbage: digest },
    ...spec,
  } as StageDecisionSpec,
  phase,
});

describe('decisions about what an application collects', () => {
  it.each<[string, Partial<StageDecisionSpec>, Partial<CollectionInput>, 'Accepted' | 'Rejected' | 'Expired', string]>([
    ['one that saw exactly this', {}, {}, 'Accepted', '1 object may be deleted'],
    [
      'one that saw something else',
      { seen: { garbage: 'x' } },
      {},
      'Rejected',
      'what would be deleted has changed since it was decided; review it again',
    ],
    ['one that names nothing', { seen: undefined }, {}, 'Rejected', 'it does not say which deletions were seen (seen.garbage)'],
    ['one that saw nothing', { seen: {} }, {}, 'Rejected', 'it does not say which deletions were seen (seen.garbage)'],
    [
      'one for an application that was recreated',
      { applicationRef: { name: 'web', uid: 'former' } },
      {},
      'Rejected',
      'it names an earlier application of this name, which no longer exists',
    ],
    ['another verb', { verb: 'abort' }, {}, 'Rejected', 'the verb about an application must be approve, found abort'],
    ['one that came too late', { expiresAt: '2025-12-31T00:00:00Z' }, {}, 'Expired', 'it expired at 2025-12-31T00:00:00Z'],
    ['one while nothing is to go', {}, { olds: [] }, 'Rejected', 'nothing is waiting to be deleted'],
    [
      'one from outside the groups',
      {},
      { application: { name: 'web', namespace: 'shop', uid: 'app', rollout: rollout({ groups: ['sre'] }) } },
      'Rejected',
      'the policy requires someone of sre, and ada is in none of them',
    ],
  ])('[design 5] %s', (_title, spec, more, phase, message) => {
    expect(evaluateCollection(input({ ...more, decisions: [decision(spec)] })).evaluated).toMatchObject([{ phase, message }]);
  });

  it('[design 5] a quorum needs different people', () => {
    const application = { name: 'web', namespace: 'shop', uid: 'app', rollout: rollout({ required: 2 }) };
    const held = (users: readonly string[]) =>
      evaluateCollection(
        input({ application, seenGarbage: 'sha256:before', decisions: users.map((user) => decision({}, 'Accepted', user)) }),
      ).held;
    expect(held(['ada', 'ada'])).toContain('(1 of 2)');
    expect(held(['ada', 'ben'])).toBeUndefined();
  });

  describe('[issue 10.2] one person', () => {
    const ROBOT = 'system:serviceaccount:shop:robot';
    const under = (approvals: Parameters<typeof rollout>[0], more: Partial<CollectionInput> = {}) =>
      input({
        application: { name: 'web', namespace: 'shop', uid: 'app', rollout: rollout(approvals) },
        seenGarbage: 'sha256:before',
        ...more,
      });
    const of = (asked: CollectionInput, phase: 'Pending' | 'Accepted', users: readonly string[]) =>
      evaluateCollection({ ...asked, decisions: users.map((user) => decision({}, phase, user)) });

    it('is not two by a service account that they may use', () => {
      const { held, evaluated } = of(under({ required: 2 }), 'Pending', ['ada', ROBOT]);
      expect(held).toContain('(1 of 2)');
      expect(evaluated.map(({ phase }) => phase)).toEqual(['Accepted', 'Rejected']);
      expect(evaluated[1]?.message).toContain('the policy counts people, and service account robot in shop is not a person');
      expect(of(under({ required: 2 }), 'Pending', ['ada', 'ben']).held).toBeUndefined();
      const named = under({ required: 2, groups: ['ops', 'system:serviceaccounts:shop'] });
      expect(of(named, 'Pending', ['ada', ROBOT]).held).toBeUndefined();
      expect(of(under({}), 'Pending', [ROBOT]).held).toBeUndefined();
    });

    it('is told what their approval does, and counts once however often they approve', () => {
      const { held, evaluated } = of(under({ required: 3 }), 'Pending', ['ada', 'ada', 'ben', 'cid', 'cid']);
      expect(held).toBeUndefined();
      expect(evaluated.map(({ phase, message }) => `${phase}: ${message}`)).toEqual([
        'Accepted: approval 1 of 3: 2 more are required before 1 object may be deleted',
        'Rejected: ada has already approved exactly this; that approval counts',
        'Accepted: approval 2 of 3: 1 more is required before 1 object may be deleted',
        'Accepted: 1 object may be deleted',
        'Rejected: cid has already approved exactly this; that approval counts',
      ]);
      const later = { ...under({ required: 2 }), decisions: [decision({}, 'Accepted', 'ada'), decision({}, 'Pending', 'ada')] };
      expect(evaluateCollection(later).evaluated).toMatchObject([{ phase: 'Rejected' }]);
    });

    it('may name more than they did before, and is told what that does', () => {
      const data = { objects: ['PersistentVolumeClaim/shop/data'] };
      const judged = (required: number, decisions: CollectionInput['decisions']) =>
        evaluateCollection({ ...under({ required }), decisions }).evaluated.map(({ phase, message }) => `${phase}: ${message}`);
      const more = decision({ garbage: data }, 'Pending', 'ada');
      expect(judged(2, [decision({}, 'Accepted', 'ada'), more])).toEqual([
        'Accepted: approval 1 of 2: 1 more is required before 2 objects may be deleted',
      ]);
      expect(judged(2, [decision({ garbage: data }, 'Accepted', 'ada'), more])).toEqual([
        'Rejected: ada has already approved exactly this; that approval counts',
      ]);
      expect(judged(2, [decision({}, 'Accepted', 'ben'), more])).toEqual([
        'Accepted: it counts, and something is still held: 1 object of those it names must be named by 2 people',
      ]);
    });

    it('is told what holds the rest where nothing more than their approval is wanted', () => {
      const olds = [
        trackerOf(
          'old',
          ['a', 'c', 'd', 'e', 'f', 'g'].map((name) => entryOf('ConfigMap', name)),
        ),
      ];
      const asked = under({}, { olds, seenGarbage: undefined });
      const seen = { garbage: evaluateCollection(asked).plan.digest };
      const [judged] = evaluateCollection({ ...asked, decisions: [decision({ seen, garbage: { count: 3 } })] }).evaluated;
      expect(judged).toMatchObject({
        phase: 'Accepted',
        message: expect.stringMatching(/^it counts, and something is still held: .*3 were approved/),
      });
    });

    it('does not approve what their own change leaves behind, where the policy wants someone else', () => {
      const asked = under({ allowSelf: false }, { requester: 'ada' });
      expect(of(asked, 'Pending', ['ada'])).toMatchObject({
        held: expect.stringContaining('(0 of 1)'),
        evaluated: [{ phase: 'Rejected', message: 'ada requested this change, and the policy requires someone else' }],
      });
      expect(of(asked, 'Pending', ['ben']).held).toBeUndefined();
      expect(of(under({ allowSelf: false }), 'Pending', ['ben']).evaluated).toMatchObject([
        { phase: 'Rejected', message: expect.stringContaining('it is unknown who requested this change') },
      ]);
      expect(of(under({}, { requester: 'ada' }), 'Pending', ['ada']).held).toBeUndefined();
    });

    it('does not approve alone that an application goes, where the policy wants someone else: who deletes it is noted nowhere', () => {
      const end = (approvals: Parameters<typeof rollout>[0]) => under(approvals, { next: undefined, seenGarbage: undefined, seenEnd: 'x' });
      const heldFrom = (approvals: Parameters<typeof rollout>[0], users: readonly string[]) => {
        const asked = end(approvals);
        const seen = { garbage: evaluateCollection(asked).plan.digest };
        return evaluateCollection({ ...asked, decisions: users.map((user) => decision({ seen }, 'Pending', user)) });
      };
      expect(heldFrom({ allowSelf: false }, ['ada'])).toMatchObject({
        held: expect.stringContaining('(1 of 2)'),
        evaluated: [{ phase: 'Accepted' }],
      });
      expect(heldFrom({ allowSelf: false }, ['ada', 'ben']).held).toBeUndefined();
      expect(heldFrom({ allowSelf: false }, ['ada', ROBOT])).toMatchObject({
        held: expect.stringContaining('(1 of 2)'),
        evaluated: [{ phase: 'Accepted' }, { phase: 'Rejected' }],
      });
      expect(heldFrom({ allowSelf: false, required: 2 }, ['ada', 'ben']).held).toContain('(2 of 3)');
      expect(heldFrom({}, ['ada']).held).toBeUndefined();
    });

    it('counts for nothing by a decision that was accepted under a looser policy', () => {
      expect(of(under({ required: 2 }), 'Accepted', ['ada', ROBOT]).held).toContain('(1 of 2)');
      expect(of(under({ groups: ['sre'] }), 'Accepted', ['ada']).held).toContain('(0 of 1)');
      expect(of(under({ groups: ['ops'] }), 'Accepted', ['ada']).held).toBeUndefined();
    });
  });

  it('[design 8] an approval of the rollout may name a claim that goes with its target, for what it saw and no other target', () => {
    const named = {
      applicationRef: undefined,
      rolloutRef: { name: 'web', uid: 'ro' },
      garbage: { objects: ['PersistentVolumeClaim/shop/data'] },
    };
    const verdict = (revision: string) =>
      evaluateCollection(input({ decisions: [decision({ ...named, revision }, 'Accepted')] })).plan.items.find(
        ({ entry: { name } }) => name === 'data',
      )?.verdict;
    expect([verdict('web-v2'), verdict('web-v3')]).toEqual(['deleted', 'held']);
  });

  it('[issue 10.2] what a safety rule holds goes for an approval only, and for as many different persons as the policy requires', () => {
    const garbage = { objects: ['PersistentVolumeClaim/shop/data'], count: 999 };
    const named = { applicationRef: undefined, rolloutRef: { name: 'web', uid: 'ro' }, revision: 'web-v2', garbage };
    const verdict = (decisions: CollectionInput['decisions'], required = 1) => {
      const application = { name: 'web', namespace: 'shop', uid: 'app', rollout: rollout({ required }) };
      return evaluateCollection(input({ application, decisions })).plan.items.find(({ entry: { name } }) => name === 'data')?.verdict;
    };
    for (const verb of ['pause', 'resume', 'abort', 'advance', 'promote-full', 'retry', 'rollback'] as const) {
      expect(verdict([decision({ ...named, verb }, 'Accepted')]), verb).toBe('held');
    }
    const [ada, ben] = [decision(named, 'Accepted', 'ada'), decision(named, 'Accepted', 'ben')];
    expect([verdict([ada]), verdict([ada], 2), verdict([ada, ada], 2), verdict([ada, ben], 2)]).toEqual([
      'deleted',
      'held',
      'held',
      'deleted',
    ]);
  });
});

describe('a decision about what an application collects counts', () => {
  const held = (more: Partial<CollectionInput>) => evaluateCollection(input({ seenGarbage: 'sha256:before', ...more })).held;

  it('[issue 10.2] for exactly what it saw, of this very application, once it was accepted', () => {
    const by = (spec: Partial<StageDecisionSpec>, phase = 'Accepted') => held({ decisions: [decision(spec, phase)] });
    expect(by({})).toBeUndefined();
    for (const spec of [{ seen: { garbage: 'sha256:other' } }, { seen: undefined }, { applicationRef: { name: 'web', uid: 'former' } }])
      expect(by(spec)).toContain('(0 of 1)');
    for (const phase of ['Rejected', 'Expired']) expect(by({}, phase)).toContain('(0 of 1)');
  });

  it('[design 8] about the rollout for the target that it named, whom its engine let decide then; one that waits is not answered here', () => {
    const named = {
      applicationRef: undefined,
      rolloutRef: { name: 'web', uid: 'ro' },
      garbage: { objects: ['PersistentVolumeClaim/shop/data'] },
    };
    const verdict = (spec: Partial<StageDecisionSpec>, more: Partial<CollectionInput> = {}) =>
      evaluateCollection(input({ ...more, decisions: [decision({ ...named, ...spec }, 'Accepted')] })).plan.items.find(
        ({ entry: { name } }) => name === 'data',
      )?.verdict;
    const application = { name: 'web', namespace: 'shop', uid: 'app', rollout: rollout({ groups: ['sre'] }) };
    expect([verdict({ revision: 'web-v2' }), verdict({ revision: 'web-v2' }, { application })]).toEqual(['deleted', 'deleted']);
    expect([verdict({}), verdict({}, { target: undefined })]).toEqual(['held', 'held']);
    expect(verdict({ revision: 'web-v2', seen: { garbage: 'sha256:other' } })).toBe('held');
    expect(evaluateCollection(input({ decisions: [decision({ ...named, revision: 'web-v2' })] })).evaluated).toEqual([]);
  });

  it('[rollout 14.3] until the moment at which it ends, and not at it', () => {
    const phaseAt = (expiresAt: string) => evaluateCollection(input({ decisions: [decision({ expiresAt })] })).evaluated[0]?.phase;
    expect([phaseAt('2026-01-01T00:00:00Z'), phaseAt('2026-01-01T00:00:01Z')]).toEqual(['Expired', 'Accepted']);
  });

  it('[issue 9.4] beside what the change was accepted with: other deletions wait, but for those that were seen at the last gate', () => {
    expect(held({ seenGarbage: undefined, accepted: 'sha256:others' })).toContain('is not what was seen when the change was requested');
    expect(held({ seenGarbage: digest, accepted: 'sha256:others' })).toBeUndefined();
    expect(held({ seenGarbage: undefined, accepted: undefined })).toBeUndefined();
  });

  it('[design 5] as its answer says from then on', () => {
    const [first, second] = [decision({}), decision({ verb: 'abort' }, 'Pending', 'ben')];
    const { evaluated } = evaluateCollection(input({ decisions: [first, second] }));
    const untouched = decision({}, 'Accepted', 'cid');
    expect(withAnswers(evaluated, [first, second, untouched])).toEqual([
      { ...first, phase: 'Accepted' },
      { ...second, phase: 'Rejected' },
      untouched,
    ]);
  });
});

describe('what would let go on what a safety rule holds', () => {
  const six = [
    trackerOf(
      'old',
      ['a', 'c', 'd', 'e', 'f', 'g'].map((name) => entryOf('ConfigMap', name)),
    ),
  ];
  const under = (approvals: Parameters<typeof rollout>[0], more: Partial<CollectionInput> = {}) =>
    input({ application: { name: 'web', namespace: 'shop', uid: 'app', rollout: rollout(approvals) }, olds: six, ...more });
  const heldBy = (asked: CollectionInput) => evaluateCollection(asked).held;

  it('[design 5] is told with the hold, where one approval is not enough, and why that is', () => {
    expect(heldBy(under({ required: 2 }))).toMatch(/; it requires 2 approvals \(0 of 2\)$/);
    expect(heldBy(under({}))).not.toContain('it requires');
    const end = { next: undefined } as const;
    expect(heldBy(under({ allowSelf: false }, end))).toMatch(
      /; it requires 2 approvals, since one of them may be from the person who deletes it \(0 of 2\)$/,
    );
    expect(heldBy(under({ required: 2, allowSelf: false }, { requester: 'ada' }))).toMatch(/; it requires 2 approvals \(0 of 2\)$/);
    expect(heldBy(under({ required: 2 }, end))).toMatch(/; it requires 2 approvals \(0 of 2\)$/);
  });

  it('[issue 10.7] counts what went in between only where the plan was shown before', () => {
    const live: CollectionInput['live'] = (one) => ('ac'.includes(one.name) ? { kind: 'absent' } : input().live(one));
    const [unseen, shown] = [undefined, 'sha256:shown'].map((accepted) => heldBy(under({}, { live, accepted })));
    expect(unseen).toBeUndefined();
    expect(shown).toContain('it would delete 6 of 7 objects, more than half of the application');
  });

  it('[design 5] is nothing while the state of something is unknown, and else approvals of whom the policy asks', () => {
    const asked = under({ required: 2, groups: ['ops'] });
    const predicted = predictApproval(asked, evaluateCollection(asked));
    expect([predicted.isApprovable, predicted.required]).toEqual([true, 2]);
    expect(predicted.refusalReason({ user: 'ada', groups: ['ops'] })).toBeUndefined();
    expect(predicted.refusalReason({ user: 'ada', groups: [] })).toContain('the policy requires someone of ops');
    const blind = under({ required: 2 }, { live: () => ({ kind: 'unknown', why: 'no watch' }) });
    expect(predictApproval(blind, evaluateCollection(blind)).isApprovable).toBe(false);
    expect(heldBy(blind)).not.toContain('it requires 2 approvals');
  });
});

describe('what a rollout was seen to delete', () => {
  it('[design 14] counts for the target at whose gate it was seen, and for no other', () => {
    const seenAt = (target: string | undefined, of: object) => {
      const rolloutPlan = target === undefined ? { kind: 'none' } : { kind: 'ensure', target: { revisionName: target } };
      const plan = { application: { spec: { components: [{ name: 'web' }] } }, olds: [], rollout: rolloutPlan } as unknown as RunPlan;
      const seen = { object: { metadata: {} }, ...of } as unknown as Observation;
      const { seenGarbage, target: named } = collectionOf(plan, seen, { next: undefined, accepted: undefined, requester: undefined });
      return [named, seenGarbage];
    };
    const held = { rollout: { target: 'web-v2', seenGarbage: 'sha256:seen' } };
    expect(seenAt('web-v2', held)).toEqual(['web-v2', 'sha256:seen']);
    expect(seenAt('web-v3', held)).toEqual(['web-v3', undefined]);
    expect(seenAt(undefined, held)).toEqual([undefined, undefined]);
    expect(seenAt('web-v2', {})).toEqual(['web-v2', undefined]);
  });
});

describe('approvals of several persons', () => {
  const application = { name: 'web', namespace: 'shop', uid: 'app', rollout: rollout({ required: 2 }) };
  const data = { objects: ['PersistentVolumeClaim/shop/data'] };
  const ofRollout = { applicationRef: undefined, rolloutRef: { name: 'web', uid: 'ro' }, revision: 'web-v2' };

  it('[issue 10.2] let go what each of them named, and no object that one of them alone did', () => {
    const verdict = (...garbage: readonly (StageDecisionSpec['garbage'] | undefined)[]) => {
      const decisions = garbage.map((named, at) => decision(named ? { garbage: named } : {}, 'Accepted', `p${at}`));
      return evaluateCollection(input({ application, decisions })).plan.items.find(({ entry: { name } }) => name === 'data')?.verdict;
    };
    expect([
      verdict(data, data),
      verdict(data, { count: 9 }),
      verdict(data, { objects: ['ConfigMap/shop/a'] }),
      verdict(data, undefined),
    ]).toEqual(['deleted', 'held', 'held', 'held']);
  });

  it('[issue 10.2] are those about the application: whoever let its rollout go on has not approved this', () => {
    const onRollout = decision(ofRollout, 'Accepted', 'ada');
    const asked = (decisions: CollectionInput['decisions']) =>
      evaluateCollection(input({ application, seenGarbage: 'sha256:before', decisions }));
    expect(asked([onRollout, decision({}, 'Accepted', 'ben')]).held).toContain('(1 of 2)');
    expect(asked([onRollout, decision({}, 'Pending', 'ada')]).evaluated).toMatchObject([{ phase: 'Accepted' }]);
    expect(asked([onRollout, decision({}, 'Accepted', 'ben'), decision({}, 'Pending', 'ada')]).held).toBeUndefined();
  });

  it('[issue 10.2] may name one object more than before, and as many as before counts once', () => {
    const phase = (before: StageDecisionSpec['garbage'], garbage: StageDecisionSpec['garbage']) =>
      evaluateCollection(input({ application, decisions: [decision({ garbage: before }, 'Accepted'), decision({ garbage }, 'Pending')] }))
        .evaluated[0]?.phase;
    expect(phase(data, { objects: [...data.objects, 'ConfigMap/shop/a'] })).toBe('Accepted');
    expect([phase(data, data), phase({ count: 2 }, { count: 2 }), phase({ count: 2 }, { count: 1 })]).toEqual([
      'Rejected',
      'Rejected',
      'Rejected',
    ]);
    expect(phase({ count: 2 }, { count: 3 })).toBe('Accepted');
  });
});
