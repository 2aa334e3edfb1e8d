import { describe, expect, it } from 'vitest';
import { differenceOf, digestOfPlan, readBasis } from '@/server/application/plan/plan-digest';
import { configMap, holding } from './seen';

const application = (more: object = {}, value = '1') => holding([configMap('a', { a: value })], {}, more);
const lines = (...ids: readonly string[]) => ids.map((id) => ({ id, line: `${id}|changed` }));
const digest = (more: object = {}) =>
  digestOfPlan({ head: 'web', lines: lines('a', 'b'), revision: { name: 'web-v3', isNew: true }, application: application(), ...more });
const basisOf = (text: string) => {
  const basis = readBasis(text);
  if (basis === undefined) throw new Error(`no basis in ${text}`);
  return basis;
};

describe('the digest of a plan', () => {
  it('[design 11] carries what it was made for', () => {
    const basis = basisOf(digest());
    expect(basis).toMatchObject({ revision: 3, isNew: true });
    expect([basis.spec.length, basis.words.length, basis.objects?.size]).toEqual([8, 6, 2]);
    expect([...(basis.objects ?? [])].map((pair) => pair.map(({ length }) => length))).toEqual([
      [6, 4],
      [6, 4],
    ]);
    expect(basisOf(digest({ revision: { name: 'web-v3', isNew: false } }))).toMatchObject({ revision: 3, isNew: false });
    expect(basisOf(digest({ revision: undefined, lines: [] }))).toMatchObject({ revision: 0, isNew: false, objects: new Map() });
    expect(digest()).toMatch(/^sha256:[0-9a-f]{64}\.[0-9a-f]{14}\.3n\.[0-9a-f]{20}$/);
  });

  it('[design 11] of an older server carries nothing', () => {
    expect(['sha256:a', 'sha256:a.b', 'sha256:a.b.c'].map(readBasis)).toEqual([undefined, undefined, undefined]);
  });

  it('[design 11] tells a hundred objects apart, and more only as a whole', () => {
    const many = (count: number) => lines(...Array.from({ length: count }, (_, at) => `o${at}`));
    expect(basisOf(digest({ lines: many(100) })).objects?.size).toBe(100);
    const more = basisOf(digest({ lines: many(101) }));
    expect(more.objects).toBeUndefined();
    expect(differenceOf(more, { application: application(), lines: lines('z') })).toEqual({
      ...{ isOfAnotherSpec: false, isRelabelled: false, moved: [], listed: new Set(), missing: 0 },
    });
  });

  it('[issue 9] tells which objects became another, which were not there, and how many are gone', () => {
    const difference = differenceOf(basisOf(digest()), {
      application: application(),
      lines: [{ id: 'a', line: 'a|kept' }, ...lines('c')],
    });
    expect(difference).toEqual({ isOfAnotherSpec: false, isRelabelled: false, moved: ['a', 'c'], listed: new Set(['a']), missing: 1 });
    expect(differenceOf(basisOf(digest()), { application: application(), lines: lines('a', 'b') })).toMatchObject({
      moved: [],
      missing: 0,
    });
  });

  it('[issue 9] tells another spec from other labels, and those only where they reach the objects', () => {
    const compared = (object: ReturnType<typeof application>) => {
      const { isOfAnotherSpec, isRelabelled } = differenceOf(basisOf(digest()), { application: object, lines: [] });
      return [isOfAnotherSpec, isRelabelled];
    };
    expect(compared(application())).toEqual([false, false]);
    expect(compared(application({}, '2'))).toEqual([true, false]);
    expect(compared({ ...application(), spec: undefined })).toEqual([true, false]);
    expect([compared(application({ labels: { team: 'a' } })), compared(application({ annotations: { team: 'a' } }))]).toEqual([
      [false, true],
      [false, true],
    ]);
    expect(compared(application({ annotations: { 'slipway.dev/plan': 'x' } }))).toEqual([false, false]);
  });
});
