import { describe, expect, it } from 'vitest';
import type { GarbageContext, GarbagePlan, LiveState } from '@/server/dispatch';
import { digestOfDeletions, planGarbage, toDeletionLine } from '@/server/dispatch';
import { allThere, entry, objectOf, seen, tracker, verdicts } from './garbage-rig';

const many = (name: string, count: number) => Array.from({ length: count }, (_, at) => entry('ConfigMap', `${name}-${at}`));
/** Objects whose name begins with `gone` are there no more. */
const someGone: GarbageContext = {
  live: (one): LiveState => (one.name.startsWith('gone') ? { kind: 'absent' } : { kind: 'present', object: objectOf(one) }),
};

/** What a plan says in which so many go, went and stay. */
function refusal({ going = 0, gone = 0, staying = 0 }, context: Partial<GarbageContext> = {}): string | undefined {
  const shared = many('shared', staying);
  const old = tracker('old', [...many('going', going), ...many('gone', gone), ...shared]);
  return planGarbage(old, tracker('next', shared), { ...someGone, ...context }).refused;
}

describe('a collection of many objects', () => {
  it('[design 8] is refused from five on, where they are more than half of what is there', () => {
    expect(refusal({ going: 5, staying: 4 })).toBe('it would delete 5 of 9 objects, more than half of the application');
    expect(refusal({ going: 5, staying: 5 })).toBeUndefined();
    expect(refusal({ going: 6, staying: 5 })).toBeDefined();
    expect(refusal({ going: 4 })).toBeUndefined();
    expect(refusal({ going: 5 })).toBe('it would delete 5 of 5 objects, more than half of the application');
  });

  it('[design 8] goes where a decision names as many or more, and says how many it named', () => {
    for (const count of [6, 7]) expect(refusal({ going: 6 }, { named: { count } })).toBeUndefined();
    expect(refusal({ going: 6 }, { named: { count: 5 } })).toBe(
      'it would delete 6 of 6 objects, more than half of the application, and 5 were approved',
    );
    expect(refusal({ going: 6 }, { named: { objects: [] } })).toBe('it would delete 6 of 6 objects, more than half of the application');
  });

  it('[design 13 K] does not count what went before, unless it was shown beforehand', () => {
    expect(refusal({ going: 4, gone: 4 })).toBeUndefined();
    expect(refusal({ going: 5, gone: 20, staying: 5 })).toBeUndefined();
    expect(refusal({ going: 5, gone: 20, staying: 4 })).toBe('it would delete 5 of 9 objects, more than half of the application');
    expect(refusal({ going: 4, gone: 4 }, { countGone: true })).toBe('it would delete 8 of 8 objects, more than half of the application');
    expect(refusal({ going: 4, gone: 1, staying: 5 }, { countGone: true })).toBeUndefined();
    // A decision that named the rest has all that it needs.
    expect(refusal({ going: 4, gone: 4 }, { countGone: true, named: { count: 4 } })).toBeUndefined();
  });

  it('[design 14] counts what somebody else created again as well, where it was shown as going beforehand', () => {
    const theirs: GarbageContext = {
      live: (one) => ({ kind: 'present', object: objectOf(one, one.name === 'going-0' ? { uid: 'theirs' } : {}) }),
    };
    const old = tracker('old', many('going', 5));
    const plan = planGarbage(old, tracker('next', []), { ...theirs, countGone: true });
    expect(verdicts(plan)).toMatchObject({ 'going-0': 'kept', 'going-1': 'deleted' });
    expect(plan.refused).toBe('it would delete 5 of 5 objects, more than half of the application');
    expect(planGarbage(old, tracker('next', []), theirs).refused).toBeUndefined();
  });

  it('[design 8] is refused for what is not known before it is for how many go', () => {
    const plan = planGarbage(tracker('old', many('going', 6)), undefined, seen({ kind: 'unknown', why: 'no answer' }));
    expect(plan.refused).toBe('nothing is deleted while the state of ConfigMap going-0 in shop is unknown: no answer');
    // What is held since nobody named it is known.
    const claim = planGarbage(tracker('old', [entry('PersistentVolumeClaim', 'data')]), undefined, allThere);
    expect([verdicts(claim), claim.refused]).toEqual([{ data: 'held' }, undefined]);
    // And what stays whatever it is needs not be known.
    const left = planGarbage(tracker('old', many('left', 2)), undefined, { ...seen({ kind: 'unknown', why: 'no answer' }), release: true });
    expect(left.refused).toBeUndefined();
  });
});

describe('what a plan tells', () => {
  const [a, b, c] = [entry('ConfigMap', 'a'), entry('ConfigMap', 'b'), entry('ConfigMap', 'c')];

  it('[design 13 G] is from which trackers to which, what both list, and what is new', () => {
    const plan = planGarbage(
      [tracker('web-v10', [a]), tracker('web-v9', [b])],
      tracker('next', [b, c, { ...c, component: 'api' }]),
      allThere,
    );
    expect([plan.from, plan.to]).toEqual([['web-v10', 'web-v9'], 'next']);
    expect(plan.items.map(({ id, verdict, why, tracker: listed }) => [id, verdict, why, listed])).toEqual([
      ['ConfigMap/shop/a', 'deleted', 'the newer revision does not have it', 'web-v10'],
      ['ConfigMap/shop/b', 'handed-over', 'next lists it too', 'web-v9'],
      ['ConfigMap/shop/c', 'new', 'only the newer revision has it', 'next'],
    ]);
    expect(plan.items.at(-1)?.entry).toEqual(c);
    expect(planGarbage(tracker('web-v10', [a]), undefined, allThere)).toMatchObject({ from: ['web-v10'], to: undefined });
  });

  it('[design 13 G] of two records of one object the newest counts, unless it names another that is not there', () => {
    const live: GarbageContext = { live: () => ({ kind: 'present', object: objectOf(a) }) };
    const former = { ...a, uid: 'former' };
    const judged = (...records: readonly (typeof a)[]) =>
      planGarbage(
        records.map((one, at) => tracker(`web-v${10 - at}`, [one])),
        undefined,
        live,
      ).items.map(({ verdict, tracker: listed }) => [verdict, listed]);
    expect(judged(a, a)).toEqual([['deleted', 'web-v10']]);
    expect(judged(former, a)).toEqual([['deleted', 'web-v9']]);
    expect(judged(a, former)).toEqual([['deleted', 'web-v10']]);
    expect(judged(former, { ...a, uid: 'older' })).toEqual([['kept', 'web-v10']]);
    // What a record says of the object that lives there is not overruled by an earlier one of the same.
    expect(judged({ ...a, skipGC: true }, a)).toEqual([['kept', 'web-v10']]);
  });

  it('[issue 9.4] is the same plan in whatever order the trackers come, also where they recorded one object under several uids', () => {
    const remade = [7, 8, 9, 10].map((number) =>
      tracker(`web-v${number}`, [
        { ...a, uid: `made-for-${number}` },
        { ...b, uid: `b-of-${number}` },
      ]),
    );
    const orders = [remade, [...remade].reverse(), [...remade].sort((one, other) => (one.name < other.name ? -1 : 1))];
    const plans = orders.map((olds) => planGarbage(olds, tracker('web-v11', [b]), allThere));
    const nines = [7, 9, 8].map((number) => tracker(`web-v${number}`, [{ ...b, uid: `b-of-${number}` }]));
    expect(planGarbage(nines, tracker('web-v11', [b]), allThere).items).toMatchObject([{ uid: 'b-of-9', tracker: 'web-v9' }]);
    for (const plan of plans)
      expect([plan.digest, digestOfDeletions(plan), plan.from]).toEqual([
        plans[0]?.digest,
        plans[0] && digestOfDeletions(plans[0]),
        plans[0]?.from,
      ]);
    expect(plans[0]?.items.find(({ verdict }) => verdict === 'handed-over')).toMatchObject({ uid: 'b-of-10', tracker: 'web-v10' });
  });

  it('[design 13 K] what goes has one digest from the plan until it went, whatever is made besides', () => {
    const going = (plan: GarbagePlan) => digestOfDeletions(plan);
    const planned = planGarbage(tracker('old', [a, b]), tracker('next', [b]), allThere);
    const gone = planGarbage(tracker('old', [a, b]), tracker('next', [b, c]), seen({ kind: 'absent' }));
    const another = planGarbage(tracker('old', [a]), undefined, {
      live: (one) => ({ kind: 'present', object: objectOf({ ...one, uid: 'another' }) }),
    });
    expect(going(gone)).toBe(going(planned));
    expect(going(planGarbage(tracker('old', [c, a]), undefined, allThere))).toBe(
      going(planGarbage(tracker('old', [a, c]), undefined, allThere)),
    );
    expect(going(another)).toBe(going(planned));
    expect(going(planGarbage(tracker('old', [a, b]), undefined, allThere))).not.toBe(going(planned));
    expect(going(planGarbage(tracker('old', [a]), undefined, { ...allThere, release: true }))).not.toBe(going(planned));
    expect(going(planGarbage(tracker('old', [{ ...a, uid: 'other' }]), undefined, seen({ kind: 'absent' })))).not.toBe(going(planned));
  });

  it('[design 13 K] the line of an object names it as it was recorded', () => {
    const lineOf = (context: GarbageContext, one = a) => planGarbage(tracker('old', [one]), undefined, context).items.map(toDeletionLine);
    const { uid: _uid, ...bare } = a;
    expect(lineOf(allThere)).toEqual(['ConfigMap/shop/a|uid:ConfigMap/shop/a|deleted']);
    expect(lineOf(seen({ kind: 'absent' }))).toEqual(['ConfigMap/shop/a|uid:ConfigMap/shop/a|deleted']);
    expect(lineOf(seen({ kind: 'present', object: objectOf({ ...a, uid: 'x' }) }))).toEqual([
      'ConfigMap/shop/a|uid:ConfigMap/shop/a|deleted',
    ]);
    expect(lineOf(seen({ kind: 'present', object: objectOf(a) }), bare)).toEqual(['ConfigMap/shop/a|uid:ConfigMap/shop/a|deleted']);
    for (const one of [a, bare])
      expect(lineOf({ ...seen({ kind: 'present', object: objectOf(a) }), release: true }, one)[0]).toMatch(/\|kept$/);
    const robot = { apiVersion: 'x/v1', kind: 'Robot', name: 'r1', uid: 'r', controller: true };
    expect(lineOf({ live: () => ({ kind: 'present', object: objectOf(a, { ownerReferences: [robot] }) }) }, bare)[0]).toMatch(/\|kept$/);
    expect(lineOf({ ...allThere, release: true })).toEqual(['ConfigMap/shop/a|uid:ConfigMap/shop/a|kept']);
    const claim = entry('PersistentVolumeClaim', 'data');
    const named = { named: { objects: ['PersistentVolumeClaim/shop/data'] } };
    for (const context of [allThere, { ...allThere, ...named }]) {
      expect(lineOf(context, claim)).toEqual(['PersistentVolumeClaim/shop/data|uid:PersistentVolumeClaim/shop/data|held']);
    }
  });
});
