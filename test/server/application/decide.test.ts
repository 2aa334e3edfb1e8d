import { describe, expect, it } from 'vitest';
import { KINDS, PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { parseApplication } from '@/server/application';
import { changedCollectionReason, decideCollection } from '@/server/application/decide/collection';
import { decideGone, heldDeletionOf } from '@/server/application/decide/deletion';
import type { RunPlan } from '@/server/application/decide/model';
import type { Obstacle } from '@/server/application/decide/obstacle';
import { passOutcomeOf } from '@/server/application/decide/obstacle';
import { repairOf } from '@/server/application/decide/repair';
import { answerRevert } from '@/server/application/decide/revert';
import { decideRolloutWrite } from '@/server/application/decide/rollout';
import { decideStatus } from '@/server/application/decide/status';
import type { Observation, ObservedDecision } from '@/server/application/observe/observe';
import type { GarbagePlan } from '@/server/dispatch';
import { LABEL } from '@/server/dispatch';

const asked = (annotations = {}) =>
  parseApplication({
    ...KINDS.application,
    metadata: { name: 'web', namespace: 'shop', uid: 'app', generation: 2, annotations },
    spec: { components: [{ name: 'web', type: 'webservice', properties: { image: 'registry.example.com/web:1' } }], policies: [] },
  });

const planOf = (more: Partial<RunPlan> = {}, application = asked()): RunPlan => ({
  application,
  revision: { name: 'web-v2', number: 2, hash: 'h', stored: undefined },
  rendered: { manifests: [], workloads: {} },
  previous: 'web-v1',
  unreported: undefined,
  olds: [],
  accepted: [],
  dispatch: true,
  restore: undefined,
  served: [],
  rollout: { kind: 'none' },
  collect: { kind: 'now' },
  toRevert: new Set(),
  isUnrecorded: true,
  ...more,
});

const fine = { services: [{ name: 'web', namespace: 'shop', healthy: true, message: '1 object is current' }], isFailed: false };
const garbage = (more: Partial<GarbagePlan> = {}) =>
  ({ items: [], digest: 'sha256:a', from: ['web-v1-shop'], to: 'web-v2-shop', refused: undefined, ...more }) as unknown as GarbagePlan;

describe('what the application engine decides at an obstacle', () => {
  it.each([
    [
      { kind: 'unpermitted', why: 'x' },
      { phase: 'held', value: { status: 'False', reason: 'NotPermitted', message: 'x' }, againMs: 10_000 },
    ],
    [
      { kind: 'ungranted', why: 'x' },
      { phase: 'held', value: { status: 'False', reason: 'NotGranted', message: 'x' }, againMs: 30_000 },
    ],
    [
      { kind: 'planMoved', why: 'x' },
      { phase: 'held', value: { status: 'False', reason: 'PlanMoved', message: 'x' }, againMs: 10_000 },
    ],
    [
      { kind: 'unserved', why: 'x' },
      { value: { status: 'Unknown', reason: 'Waiting', message: 'x' }, againMs: 500 },
    ],
    [
      { kind: 'unread', why: 'x', againMs: 7 },
      { value: { status: 'Unknown', reason: 'Waiting', message: 'x' }, againMs: 7 },
    ],
    [{ kind: 'unread', why: undefined, againMs: 7 }, { againMs: 7 }],
  ] as const)('[dispatch 13] says of %o what holds it and looks again in its time', (obstacle, ending) => {
    expect(passOutcomeOf(obstacle as Obstacle, false)).toEqual(ending);
  });

  it('[dispatch 13] says nothing of copies that are being read once the revision is applied', () => {
    expect(passOutcomeOf({ kind: 'unread', why: 'x', againMs: 7 }, true)).toEqual({ againMs: 7 });
  });

  it('[dispatch 13] says of an application that is being deleted what keeps it', () => {
    expect(heldDeletionOf({ kind: 'ungranted', why: 'x' })).toMatchObject({
      change: { phase: 'deleting', values: { Collected: { reason: 'NotGranted' } } },
      againMs: 30_000,
    });
    expect(heldDeletionOf({ kind: 'unread', why: undefined, againMs: 7 })).toEqual({ change: undefined, againMs: 7 });
    expect(heldDeletionOf({ kind: 'held', why: 'x', plan: garbage() })).toMatchObject({
      change: { values: { Ready: { reason: 'Deleting', message: 'x' } } },
    });
  });
});

describe('what the application engine decides while it acts', () => {
  it('[dispatch 13] collects only what may go, and nothing while the server says otherwise than the copies', () => {
    const plan = garbage({ items: [{ verdict: 'deleted' }] as unknown as GarbagePlan['items'] });
    const shown = { plan, held: undefined, evaluated: [] };
    expect(decideCollection(shown, [], false).kind).toBe('waiting');
    expect(decideCollection({ ...shown, held: 'x' }, [], true)).toMatchObject({ kind: 'held', why: 'x' });
    expect(decideCollection({ ...shown, plan: garbage() }, [], true).kind).toBe('done');
    expect(decideCollection(shown, [], true).kind).toBe('collect');
    expect(changedCollectionReason(shown, shown)).toBeUndefined();
    expect(changedCollectionReason(shown, { ...shown, plan: garbage({ digest: 'sha256:b' }) })).toContain('is changing');
    expect(changedCollectionReason(shown, { ...shown, held: 'x' })).toBe('x');
  });

  it('[dispatch 13] names the revision as reached only once nothing waits and nothing is held', () => {
    const result = {
      plan: planOf(),
      object: asked().object,
      outcome: { kind: 'done' },
      fares: fine,
      withheld: undefined,
      open: undefined,
    } as const;
    expect(decideStatus(result)).toMatchObject({
      reached: ['web-v2'],
      againMs: undefined,
      change: { phase: 'running', latestRevision: { revision: 2 } },
    });
    const held = decideStatus({ ...result, outcome: { kind: 'held', why: 'x', plan: garbage() } });
    expect(held).toMatchObject({
      reached: [],
      againMs: 10_000,
      change: { phase: 'held', values: { Ready: { reason: 'Held', message: 'x' } } },
    });
    expect(held.change.latestRevision).toBeUndefined();
    const waiting = decideStatus({ ...result, plan: planOf({ collect: { kind: 'wait', why: 'x', untilMs: 9 } }) });
    expect(waiting).toMatchObject({
      againMs: 9,
      change: { phase: 'rollingOut', isMoving: true, values: { RolledOut: { status: 'Unknown', message: 'x' } } },
    });
  });

  it('[dispatch 13] tells of a repair by fields, never by values', () => {
    const manifest: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } };
    const after = { ...manifest, metadata: { ...manifest.metadata, uid: 'u', resourceVersion: '7' } };
    expect(repairOf({ manifest, tracker: undefined, before: undefined, after } as never, {} as never)).toMatchObject({
      key: 'ConfigMap a in shop ',
      sentence: 'ConfigMap a in shop was missing and was recreated',
      fields: [],
    });
  });

  it('[dispatch 13] answers a request to put back at once, done or not', () => {
    const application = asked({ [PUT_BACK.asked]: '/ConfigMap/shop/a', [PUT_BACK.user]: 'ada' });
    expect(answerRevert(planOf(), undefined)).toBeUndefined();
    expect(answerRevert(planOf({}, application), 'x')).toMatchObject({
      action: 'drift.put-back.refused',
      sentence: expect.stringContaining(': x'),
    });
    expect(answerRevert(planOf({ dispatch: false }, application), undefined)?.sentence).toContain(
      'nothing of web is currently being applied',
    );
  });

  it('[dispatch 13] writes nothing of a rollout that stays as it is, and removes one that is no longer wanted', () => {
    const seen = { rollout: undefined, revisions: [] } as unknown as Observation;
    const given = { workloads: [], requester: undefined, dropped: () => null };
    const object = { ...KINDS.rolloutOrchestrator, metadata: { name: 'web', namespace: 'shop' } };
    expect(decideRolloutWrite(planOf(), seen, given)).toEqual({ kind: 'none' });
    expect(decideRolloutWrite(planOf({ rollout: { kind: 'leave', why: 'x' } }), seen, given)).toEqual({ kind: 'none' });
    expect(decideRolloutWrite(planOf({ rollout: { kind: 'remove', rollout: { object } as never } }), seen, given)).toEqual({
      kind: 'remove',
      object,
    });
  });

  it('[dispatch 13] rejects what is decided about an application that is gone, and takes away only trackers that list nothing', () => {
    const decision = (spec: object, phase = 'Pending') => ({ object: { metadata: {} }, spec, phase }) as unknown as ObservedDecision;
    const tracker = (metadata: object): KubeObject => ({
      ...KINDS.resourceTracker,
      metadata: { name: 't', ...metadata },
      spec: { type: 'versioned' },
    });
    const about = { applicationRef: { name: 'web', uid: 'app' }, verb: 'approve' };
    const { rejected, removed } = decideGone(
      {
        decisions: [decision(about), decision(about, 'Accepted'), decision({ verb: 'pause' })],
        trackers: [tracker({}), tracker({ labels: { [LABEL.appUid]: 'app' }, deletionTimestamp: '2026-01-01T00:00:00Z' })],
      },
      'shop/web',
    );
    expect(rejected.map(({ sentence }) => sentence)).toEqual(['there is no application shop/web']);
    expect(removed).toEqual([]);
  });
});
