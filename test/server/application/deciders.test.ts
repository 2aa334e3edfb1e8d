import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { decidersOf, garbageContextOf } from '@/server/application/decide/collection';
import { collectionOfDeletion, decideGone, isFinalizerOfOurs } from '@/server/application/decide/deletion';
import type { Observation, ObservedDecision } from '@/server/application/observe/observe';
import { keepsObjects, readPreviewedDeletion, withPreviewedDeletion } from '@/server/application/plan/previewed-deletion';
import type { GarbagePlan, ResourceTracker } from '@/server/dispatch';
import { LABEL } from '@/server/dispatch';

const DIGEST = 'sha256:shown';
const plan = (more: Partial<GarbagePlan> = {}): GarbagePlan =>
  ({
    items: [{ verdict: 'deleted' }, { verdict: 'deleted' }, { verdict: 'held' }],
    digest: DIGEST,
    refused: undefined,
    ...more,
  }) as unknown as GarbagePlan;

interface Given {
  readonly approvals?: object;
  readonly requester?: string;
  readonly isEnd?: boolean;
  readonly finalizers?: readonly string[];
}

function anApplication({ approvals = {}, requester, isEnd = false, finalizers = [] }: Given = {}): KubeObject {
  return {
    ...KINDS.application,
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'app',
      generation: 1,
      finalizers: [...finalizers],
      ...(isEnd ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      ...(requester === undefined ? {} : { annotations: { 'slipway.dev/requested-by': requester } }),
    },
    spec: {
      components: [{ name: 'web', type: 'webservice', properties: { image: 'registry.example.com/web:1' } }],
      policies: [{ name: 'rollout', type: 'rollout', properties: { component: 'web', control: { approvals } } }],
    },
  };
}

const decision = (user: string, more: { readonly spec?: object; readonly phase?: string } = {}): KubeObject => ({
  ...KINDS.stageDecision,
  metadata: { name: `by-${user}`, namespace: 'shop', uid: `by-${user}` },
  spec: {
    applicationRef: { name: 'web', uid: 'app' },
    verb: 'approve',
    actor: { user, groups: ['ops'] },
    seen: { garbage: DIGEST },
    ...more.spec,
  },
  status: { phase: more.phase ?? 'Accepted' },
});
const deciders = (given: Given, decisions: readonly KubeObject[] = [], shown = plan()) =>
  decidersOf(anApplication(given), { plan: shown, rollout: undefined, decisions, among: ALONE });
/** No application in another one. */
const ALONE: Parameters<typeof decidersOf>[1]['among'] = {
  own: 'slipway',
  applications: { get: () => undefined },
  trackers: { list: () => [] },
};
const ada = { user: 'ada', groups: ['ops'] };

describe('who may let go on what waits to be deleted', () => {
  it('[design 5] is whoever the policy asks, and not who requested the change where it wants someone else', () => {
    expect(deciders({})).toMatchObject({ groups: [], not: [], people: false });
    const bound = deciders({ approvals: { groups: ['ops'], allowSelf: false }, requester: 'ada' });
    expect(bound).toMatchObject({ groups: ['ops'], not: ['ada'], people: true });
    expect(bound.refusalReason(ada)).toBe('ada requested this change, and the policy requires someone else');
    expect(bound.refusalReason({ user: 'ben', groups: [] })).toBe('the policy requires someone of ops, and ben is in none of them');
    expect(bound.refusalReason({ user: 'ben', groups: ['ops'] })).toBeUndefined();
    expect(deciders({ requester: 'ada' }).not).toEqual([]);
    expect(deciders({ approvals: { allowSelf: false } }).not).toEqual([]);
  });

  it('[design 5] is anybody where no policy asks for somebody, and while the application cannot be read', () => {
    const bare = anApplication({ requester: 'ada' });
    for (const spec of [{ ...(bare.spec as object), policies: [] }, { components: 'none' }]) {
      const who = decidersOf({ ...bare, spec }, { plan: plan(), rollout: undefined, decisions: [], among: ALONE });
      expect([who.groups, who.not, who.people, who.refusalReason(ada)]).toEqual([[], [], false, undefined]);
    }
  });

  it('[design 5] is anybody at the end of an application, of whom one more is wanted: who deletes it is noted nowhere', () => {
    const end = deciders({ approvals: { allowSelf: false }, requester: 'ada', isEnd: true });
    expect([end.not, end.people, end.refusalReason(ada)]).toEqual([[], true, undefined]);
  });

  it.each<[string, { readonly spec?: object; readonly phase?: string }, boolean]>([
    ['was accepted', {}, true],
    ['nobody has judged yet', { phase: 'Pending' }, false],
    ['was rejected', { phase: 'Rejected' }, false],
    ['saw something else', { spec: { seen: { garbage: 'sha256:other' } } }, false],
    ['saw nothing', { spec: { seen: undefined } }, false],
    ['is about a former application', { spec: { applicationRef: { name: 'web', uid: 'former' } } }, false],
    ['is about the rollout', { spec: { applicationRef: undefined, rolloutRef: { name: 'web', uid: 'ro' } } }, false],
    ['is of somebody whom the policy no longer asks', { spec: { actor: { user: 'ada', groups: ['dev'] } } }, false],
  ])('[issue 10.2] has decided by one that %s', (_which, more, counts) => {
    const held = deciders({ approvals: { groups: ['ops'] } }, [decision('ada', more)]);
    expect(held.not).toEqual(counts ? ['ada'] : []);
    expect(held.refusalReason(ada)).toBe(counts ? 'ada has already approved exactly this; that approval counts' : undefined);
  });

  it('[issue 10.2] of a plan that a safety rule holds has decided only by as many objects as go', () => {
    const refused = plan({ refused: '2 of 2 objects would be deleted' });
    const not = (count: number | undefined) =>
      deciders({}, [decision('ada', { spec: count === undefined ? {} : { garbage: { count } } })], refused).not;
    expect([not(undefined), not(1), not(2), not(3)]).toEqual([[], [], ['ada'], ['ada']]);
  });

  it('[issue 10.2] is told of an approval of theirs that counts already, for exactly what they saw', () => {
    const held = deciders({}, [decision('ada')]);
    const again = 'ada has already approved exactly this; that approval counts';
    expect(held.repeatReason({ actor: ada, seen: { garbage: DIGEST } })).toBe(again);
    expect(held.repeatReason({ actor: ada, seen: { garbage: 'sha256:other' } })).toBeUndefined();
    expect(held.repeatReason({ actor: ada })).toBeUndefined();
    expect(held.repeatReason({ actor: { user: 'ben', groups: [] }, seen: { garbage: DIGEST } })).toBeUndefined();
    expect(held.repeatReason({ actor: ada, seen: { garbage: DIGEST }, garbage: { count: 3 } })).toBeUndefined();
  });
});

describe('what a collection is judged by', () => {
  it('[issue 14.1] is the application as it stands: at its end it has no components, and its objects stay where that was asked', () => {
    expect(garbageContextOf(anApplication())).toMatchObject({ components: ['web'], application: { name: 'web' } });
    expect(garbageContextOf(anApplication())).not.toHaveProperty('release');
    const end = (...finalizers: readonly string[]) => garbageContextOf(anApplication({ isEnd: true, finalizers }));
    expect(end()).toMatchObject({ components: [] });
    expect(end()).not.toHaveProperty('release');
    expect(end('app.oam.dev/orphan-resource')).toMatchObject({ components: [], release: true });
    expect(garbageContextOf({ ...anApplication(), spec: { components: 'none' } })).toEqual({});
  });

  it('[dispatch 11] is at its end also the record of an earlier release, once, and only where that waits for it', () => {
    const legacy = { name: 'shop-web', entries: [] } as unknown as ResourceTracker;
    const own = { name: 'web-v1-shop', entries: [] } as unknown as ResourceTracker;
    const olds = (finalizers: readonly string[], held: readonly ResourceTracker[]) => {
      const object = anApplication({ isEnd: true, finalizers });
      const seen = { object, application: { fault: 'x' }, trackerNamed: (name: string) => (name === legacy.name ? legacy : undefined) };
      return collectionOfDeletion(seen as unknown as Observation, held).olds.map(({ name }) => name);
    };
    const waits = ['resourceTracker.finalizer.core.oam.dev'];
    expect([olds(waits, [own]), olds(waits, [own, legacy]), olds([], [own])]).toEqual([
      ['shop-web', 'web-v1-shop'],
      ['web-v1-shop', 'shop-web'],
      ['web-v1-shop'],
    ]);
  });
});

describe('what is left of an application that is gone', () => {
  const tracker = (metadata: object, spec: object = { type: 'versioned' }, status: object = {}): KubeObject => ({
    ...KINDS.resourceTracker,
    metadata: { name: 't', labels: { [LABEL.appUid]: 'app' }, ...metadata },
    spec,
    status,
  });
  const removed = (one: KubeObject) => decideGone({ decisions: [], trackers: [one] }, 'shop/web').removed.length === 1;
  const listed = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'shop' };

  it('[dispatch 13] goes where it is a tracker of ours that lists nothing, and stays where it may list anything', () => {
    expect(removed(tracker({}))).toBe(true);
    expect(removed(tracker({ labels: {} }))).toBe(false);
    expect(removed(tracker({ deletionTimestamp: '2026-01-01T00:00:00Z' }))).toBe(false);
    expect(removed(tracker({}, { type: 'versioned', managedResources: [listed] }))).toBe(false);
    expect(removed(tracker({}, {}, { trackedResources: [] }))).toBe(false);
    expect(removed(tracker({}, { type: 'versioned', compression: { type: 'gzip', data: 'none' } }))).toBe(false);
  });

  it('[dispatch 13] has rollbacks rejected, and decisions that were judged stay as they are', () => {
    const seen = (spec: object, phase: string) => ({ object: { metadata: {} }, spec, phase }) as unknown as ObservedDecision;
    const rollback = { rolloutRef: { name: 'web', uid: 'ro' }, verb: 'rollback' };
    const decisions = [seen(rollback, 'Pending'), seen(rollback, 'Accepted'), seen({ ...rollback, verb: 'abort' }, 'Pending')];
    const sentence = 'a rollback changes the application, and this rollout has none; change its target instead';
    expect(decideGone({ decisions, trackers: [] }, 'shop/web').rejected).toEqual([{ decision: decisions[0], sentence }]);
  });
});

describe('an application that is about to be deleted', () => {
  const [tracked, orphan] = ['app.oam.dev/resource-tracker-finalizer', 'app.oam.dev/orphan-resource'];
  const seen = (objects: 'keep' | 'delete', finalizers: readonly string[], digest?: string) =>
    withPreviewedDeletion(anApplication({ finalizers, requester: 'ada' }), { objects, ...(digest === undefined ? {} : { digest }) });

  it('[issue 14.1] waits for its engine, keeps its objects where that was shown, and leaves the finalizers of others', () => {
    for (const before of [['other/one'], ['other/one', tracked], [orphan, 'other/one', tracked]]) {
      const [kept, deleted] = [seen('keep', before, DIGEST), seen('delete', before, DIGEST)];
      expect(kept.metadata.finalizers).toEqual(['other/one', tracked, orphan]);
      expect(deleted.metadata.finalizers).toEqual(['other/one', tracked]);
      expect([keepsObjects(kept), keepsObjects(deleted)]).toEqual([true, false]);
    }
    const bare = anApplication();
    expect(keepsObjects({ ...bare, metadata: { name: 'web', namespace: 'shop' } })).toBe(false);
    expect(withPreviewedDeletion({ ...bare, metadata: { name: 'web' } }, { objects: 'delete' }).metadata).toEqual({
      name: 'web',
      finalizers: [tracked],
    });
  });

  it('[issue 14.1] names the plan that was seen, which counts once it is being deleted', () => {
    const noted = seen('delete', [], DIGEST);
    expect(noted.metadata.annotations).toEqual({ 'slipway.dev/requested-by': 'ada', 'slipway.dev/end-plan': DIGEST });
    expect(seen('delete', []).metadata.annotations).toEqual({ 'slipway.dev/requested-by': 'ada' });
    expect(readPreviewedDeletion(noted)).toBeUndefined();
    const going = { ...noted, metadata: { ...noted.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(readPreviewedDeletion(going)).toBe(DIGEST);
  });

  it('[dispatch 11] is held by the finalizers that its engine takes away, and by no other', () => {
    const ours = [tracked, orphan, 'resourceTracker.finalizer.core.oam.dev'];
    expect(ours.map(isFinalizerOfOurs)).toEqual([true, true, true]);
    expect(['other/one', 'foregroundDeletion', ''].map(isFinalizerOfOurs)).toEqual([false, false, false]);
  });
});
