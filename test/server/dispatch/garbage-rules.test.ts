import { describe, expect, it } from 'vitest';
import type { GarbageContext, GarbagePolicy, LiveState } from '@/server/dispatch';
import { holdsData, outcomeByPolicy, planGarbage } from '@/server/dispatch';
import { APPLICATION, allThere, entry, objectOf, seen, TIED, thereWith, tracker, verdicts } from './garbage-rig';

const A = entry('ConfigMap', 'a');
const NEXT = tracker('next', []);
const only = (strategy: 'never' | 'onAppUpdate' | 'onAppDelete', more: object = {}): GarbagePolicy => ({
  rules: [{ selector: { resourceNames: ['a'] }, strategy, ...more }],
});
/** What becomes of one object that nothing has any more. */
const judged = (context: GarbageContext, next: typeof NEXT | undefined = NEXT, one = A) =>
  planGarbage(tracker('old', [one]), next, context).items[0];

describe('the rules of the garbage-collect policy', () => {
  it.each([
    ['goes without a policy', undefined, 'goes'],
    ['goes with one that has no rules', {}, 'goes'],
    ['goes where no rule selects it', { rules: [{ selector: { resourceNames: ['b'] }, strategy: 'never' }] }, 'goes'],
    ['stays for good', only('never'), 'never'],
    ['waits for the application to go', only('onAppDelete'), 'onAppDelete'],
    ['goes with the revision, also where older ones are kept', { ...only('onAppUpdate'), keepLegacyResource: true }, 'goes'],
    ['stays for good, also where older ones are kept', { ...only('never'), keepLegacyResource: true }, 'never'],
    ['is kept with older revisions', { keepLegacyResource: true }, 'legacy'],
    ['leaves what it owns', only('onAppUpdate', { propagation: 'orphan' }), 'orphan'],
    ['takes what it owns first', only('onAppUpdate', { propagation: 'cascading' }), 'cascading'],
    ['stays for good, whatever would become of what it owns', only('never', { propagation: 'orphan' }), 'never'],
  ] as const)('[dispatch G9] an object %s', (_what, policy, fate) => {
    expect(outcomeByPolicy(policy as GarbagePolicy | undefined, A)).toBe(fate);
  });

  it('[dispatch G9] the first rule that selects an object decides', () => {
    const twice: GarbagePolicy = { rules: [...(only('never').rules ?? []), ...(only('onAppUpdate').rules ?? [])] };
    expect(outcomeByPolicy(twice, A)).toBe('never');
    expect(outcomeByPolicy({ rules: [...(twice.rules ?? [])].reverse() }, A)).toBe('goes');
  });

  it('[dispatch G9] what waits for the application keeps its tracker while that goes on, and goes with it', () => {
    for (const [policy, why] of [
      [only('onAppDelete'), 'a rule of the garbage-collect policy deletes it only with the application'],
      [{ keepLegacyResource: true }, 'the garbage-collect policy keeps what older revisions had'],
    ] as const) {
      const context = { ...thereWith({ labels: TIED }), policy, application: APPLICATION };
      expect(judged(context)).toMatchObject({ verdict: 'kept', why, retained: true });
      expect(judged(context)).not.toHaveProperty('released');
      const atTheEnd = evaluatedWithoutNext(context);
      expect(atTheEnd).toMatchObject({ verdict: 'deleted', why: 'its application is being deleted' });
      expect(atTheEnd).not.toHaveProperty('retained');
    }
  });

  it('[dispatch G9] what stays for good is let loose, with the application and without', () => {
    const context = { ...thereWith({ labels: TIED }), policy: only('never'), application: APPLICATION };
    for (const item of [judged(context), evaluatedWithoutNext(context)]) {
      expect(item).toMatchObject({ verdict: 'kept', why: 'a rule of the garbage-collect policy never deletes it', released: true });
      expect(item).not.toHaveProperty('retained');
    }
  });

  it.each([
    [undefined, undefined],
    ['orphan', 'Orphan'],
    ['cascading', 'Foreground'],
  ] as const)('[dispatch G9] a rule with propagation %s deletes with %s', (propagation, wanted) => {
    expect(judged({ ...allThere, policy: only('onAppUpdate', { propagation }) })?.propagation).toBe(wanted);
  });

  it('[dispatch G9] in order of dependency what was applied last goes first', () => {
    const old = tracker('old', [A, entry('ConfigMap', 'b')]);
    const names = (policy: GarbagePolicy | undefined) =>
      planGarbage(old, undefined, { ...allThere, policy }).items.map((item) => item.entry.name);
    expect([names(undefined), names({}), names({ order: 'dependency' })]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['b', 'a'],
    ]);
  });
});

describe('what stays behind', () => {
  const OURS = { application: APPLICATION };
  const tied: LiveState = { kind: 'present', object: objectOf(A, { labels: TIED }) };

  it.each<[string, LiveState, Pick<GarbageContext, 'application'>, boolean | undefined]>([
    ['that carries the labels of the application loses them', tied, OURS, true],
    ['of which nothing is known is looked at then', { kind: 'unknown', why: 'no answer' }, OURS, true],
    ['that is gone has nothing to lose', { kind: 'absent' }, OURS, undefined],
    ['without labels has nothing to lose', { kind: 'present', object: objectOf(A) }, OURS, undefined],
    [
      'of another namespace is none of ours',
      { kind: 'present', object: objectOf(A, { labels: { ...TIED, 'app.oam.dev/namespace': 'bank' } }) },
      OURS,
      undefined,
    ],
    [
      'of another application is none of ours',
      { kind: 'present', object: objectOf(A, { labels: { ...TIED, 'app.oam.dev/name': 'api' } }) },
      OURS,
      undefined,
    ],
    [
      'that was replaced is none of ours',
      { kind: 'present', object: objectOf({ ...A, uid: 'another' }, { labels: TIED }) },
      OURS,
      undefined,
    ],
    ['keeps its labels where nobody says whose they are', tied, {}, undefined],
  ])('[dispatch G6] an object %s', (_what, live, whose, released) => {
    const context = { ...seen(live), ...whose };
    const left = judged({ ...context, release: true });
    expect(left).toMatchObject({ verdict: 'kept', why: 'the application asks to leave its objects in place' });
    expect(left?.released).toBe(released);
    const skipped = judged(context, NEXT, { ...A, skipGC: true });
    expect(skipped).toMatchObject({ verdict: 'kept', why: 'its record says to skip it' });
    expect(skipped?.released).toBe(released);
  });

  it('[dispatch G6] an object that was recorded without uid is told by its labels alone', () => {
    const { uid: _uid, ...bare } = A;
    expect(judged({ ...seen(tied), application: APPLICATION, release: true }, NEXT, bare)?.released).toBe(true);
  });

  it('[dispatch G5] an object that asks to be skipped stays while its component is there, and goes after it', () => {
    const asks = (labels: object, annotations: object) => thereWith({ labels, annotations });
    const component = { 'app.oam.dev/component': 'web' };
    const asked = { 'app.oam.dev/skipGC': '' };
    const verdictOf = (context: GarbageContext, components?: readonly string[]) =>
      judged(components ? { ...context, components } : context)?.verdict;
    expect(judged({ ...asks(component, asked), components: ['web'] })).toMatchObject({
      why: 'its annotation app.oam.dev/skipGC asks to leave it',
    });
    expect(verdictOf(asks(component, asked), ['web'])).toBe('kept');
    expect(verdictOf(asks(component, asked), ['api'])).toBe('deleted');
    expect(verdictOf(asks(component, asked))).toBe('deleted');
    expect(verdictOf(asks(component, {}), ['web'])).toBe('deleted');
    expect(verdictOf(asks({}, asked), ['web'])).toBe('deleted');
  });

  it('[dispatch G7] an object that one of its own trackers controls goes', () => {
    const owned = (uid: string) =>
      thereWith({ ownerReferences: [{ apiVersion: 'x/v1', kind: 'ResourceTracker', name: 'one', uid, controller: true }] });
    for (const uid of ['uid:ResourceTracker/old', 'uid:ResourceTracker/next']) {
      expect(judged(owned(uid))).toMatchObject({ verdict: 'deleted', controller: uid });
    }
    expect(evaluatedWithoutNext(owned('uid:ResourceTracker/next'))?.verdict).toBe('kept');
    expect(evaluatedWithoutNext(owned('uid:ResourceTracker/old'))?.verdict).toBe('deleted');
  });

  it('[issue 9, 6] a deletion remembers what it was judged by', () => {
    const plain = judged(thereWith({ labels: TIED }));
    expect(plain).toMatchObject({ verdict: 'deleted', evaluatedBy: { labels: TIED, asks: false }, controller: undefined });
    expect(judged(thereWith({ annotations: { 'app.oam.dev/skipGC': '' } }))?.evaluatedBy).toEqual({ labels: undefined, asks: true });
  });
});

describe('what holds data or other objects', () => {
  it.each([
    ['v1', 'PersistentVolume', true],
    ['v1', 'PersistentVolumeClaim', true],
    ['v1', 'Namespace', true],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', true],
    ['apiextensions.k8s.io/v1beta1', 'CustomResourceDefinition', true],
    ['apps.example.dev/v1', 'Namespace', false],
    ['example.dev/v1', 'CustomResourceDefinition', false],
    ['v1', 'ConfigMap', false],
  ])('[design 8] %s %s: %s', (apiVersion, kind, precious) => {
    expect(holdsData({ apiVersion, kind })).toBe(precious);
  });

  it('[design 8] only goes where a decision names exactly it', () => {
    const claim = entry('PersistentVolumeClaim', 'data');
    const namespace = (({ namespace: _none, ...bare }) => bare)(entry('Namespace', 'shop'));
    const named = (one: typeof A, ...objects: readonly string[]) => judged({ ...allThere, named: { objects } }, NEXT, one);
    expect(named(claim, 'PersistentVolumeClaim/shop/data')).toMatchObject({ verdict: 'deleted', named: true, why: 'a decision names it' });
    for (const name of [
      'PersistentVolumeClaim/data',
      'PersistentVolumeClaim//data',
      'PersistentVolumeClaim/bank/data',
      'PersistentVolumeClaim/shop/logs',
    ]) {
      expect(named(claim, name)?.verdict).toBe('held');
    }
    expect(named(namespace, 'Namespace//shop')?.verdict).toBe('deleted');
    expect(named(namespace, 'Namespace/shop')?.verdict).toBe('deleted');
    expect(named(namespace, 'Namespace/shop/shop')?.verdict).toBe('held');
    expect(named(namespace)).toMatchObject({
      verdict: 'held',
      why: 'a Namespace is deleted only when a decision names it; it stays without an owner',
    });
    // What would go anyway is not marked by a decision that names it as well: it would change the digest.
    expect(named(A, 'ConfigMap/shop/a')).not.toHaveProperty('named');
    const cascading = judged({
      ...allThere,
      named: { objects: ['ConfigMap/shop/a'] },
      policy: only('onAppUpdate', { propagation: 'orphan' }),
    });
    expect(cascading).not.toHaveProperty('named');
  });
});

/** As `judged`, while the application is going. */
function evaluatedWithoutNext(context: GarbageContext) {
  return planGarbage(tracker('old', [A]), undefined, context).items[0];
}

describe('an object by its place', () => {
  it('[dispatch G2] of another cluster is not the one of the same name here', () => {
    const far = { ...A, cluster: 'east' };
    const plan = planGarbage(tracker('old', [A]), tracker('next', [far]), allThere);
    expect(plan.items.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['ConfigMap/shop/a', 'deleted'],
      ['east:ConfigMap/shop/a', 'new'],
    ]);
    expect(verdicts(planGarbage(tracker('old', [far]), tracker('next', [far]), allThere))).toEqual({ a: 'handed-over' });
  });
});
