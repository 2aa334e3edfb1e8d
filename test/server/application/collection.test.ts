import { describe, expect, it } from 'vitest';
import type { StageDecisionSpec } from '@/lib/contract/stage-decision';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant } from '@/lib/std/instant';
import type { CollectionInput } from '@/server/application/decide/collection';
import { evaluateCollection } from '@/server/application/decide/collection';
import type { ResourceTracker, TrackerEntry } from '@/server/dispatch';

const entry = (kind: string, name: string): TrackerEntry => ({
  apiVersion: 'v1',
  kind,
  name,
  namespace: 'shop',
  uid: name,
  cluster: 'local',
  component: 'web',
  deleted: false,
  skipGC: false,
});
const tracker = (name: string, entries: readonly TrackerEntry[]): ResourceTracker => ({
  name,
  uid: name,
  form: 'managed',
  type: 'versioned',
  applicationGeneration: 1,
  labels: {},
  annotations: {},
  entries,
  intact: true,
});

const rollout = (approvals: { required?: number; groups?: string[]; allowSelf?: boolean }) =>
  ({ component: 'web', strategy: 'availability', ratio: 10, overlap: true, stageTimeoutMinutes: 2, control: { approvals } }) as const;

const input = (more: Partial<CollectionInput> = {}): CollectionInput => ({
  application: { name: 'web', namespace: 'shop', uid: 'app', rollout: undefined },
  components: ['web'],
  olds: [tracker('old', [entry('ConfigMap', 'a'), entry('PersistentVolumeClaim', 'data')])],
  next: tracker('next', [entry('ConfigMap', 'b')]),
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
        tracker(
          'old',
          ['a', 'c', 'd', 'e', 'f', 'g'].map((name) => entry('ConfigMap', name)),
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
