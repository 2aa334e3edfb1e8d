import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldSet } from '@/server/embedded/fields/field-set';
import { asMember, difference, EMPTY, intersection, LEAF, pathsOf, setOfPath, union, without } from '@/server/embedded/fields/field-set';
import { intern } from '@/server/embedded/fields/intern';

const paths = fc.uniqueArray(fc.array(fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}'), { minLength: 1, maxLength: 3 }), {
  maxLength: 8,
  selector: (path) => path.join('/'),
});
const toSet = (all: readonly (readonly string[])[]) => all.reduce<FieldSet>((set, path) => union(set, setOfPath(path)), EMPTY);
const told = (set: FieldSet) => [...pathsOf(set)].sort();
const expected = (all: readonly (readonly string[])[]) => told(toSet(all));
const key = (path: readonly string[]) => path.join('/');
const has = (all: readonly (readonly string[])[], path: readonly string[]) => all.some((other) => key(other) === key(path));

describe('sets of field paths', () => {
  it('[cluster W4] are sets: joined, removed and met as their paths are', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const [a, b] = [toSet(left), toSet(right)];
        expect(told(a)).toHaveLength(left.length);
        expect(told(union(a, b))).toEqual(expected([...left, ...right.filter((path) => !has(left, path))]));
        expect(told(difference(a, b))).toEqual(expected(left.filter((path) => !has(right, path))));
        expect(told(intersection(a, b))).toEqual(expected(left.filter((path) => has(right, path))));
        expect(told(without(a, b))).toEqual(
          expected(left.filter((path) => !path.some((_element, at) => has(right, path.slice(0, at + 1))))),
        );
      }),
    );
  });

  it('[cluster W4] are one object in memory when they are equal, in whatever order they were made', () => {
    fc.assert(
      fc.property(paths, (all) => {
        expect(intern(toSet(all))).toBe(intern(JSON.parse(JSON.stringify(toSet([...all].reverse())))));
      }),
    );
  });

  it('[cluster W4] tell paths as the original does, those that end at a level first', () => {
    const set = { 'f:a': asMember({ 'k:{"name":"x","port":80}': { 'f:z': LEAF } }), 'f:b': LEAF, 'f:c': { 'v:"s"': LEAF } };
    expect(pathsOf(set)).toEqual(['.a', '.b', '.a[name="x",port=80].z', '.c[="s"]']);
  });
});
