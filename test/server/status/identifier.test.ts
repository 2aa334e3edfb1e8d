import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ObjMetadata } from '@/server/status/identifier';
import { formatObjMetadata, parseObjMetadata } from '@/server/status/identifier';
import {
  equalIdentifiers,
  hashIdentifiers,
  hasIdentifier,
  intersectIdentifiers,
  removeIdentifier,
  subtractIdentifiers,
  unionIdentifiers,
} from '@/server/status/surface/identifier-set';

const word = fc.stringMatching(/^[a-z][a-z0-9.-]{0,8}$/);
const identifiers: fc.Arbitrary<ObjMetadata> = fc.record({
  namespace: fc.oneof(fc.constant(''), word),
  name: word,
  group: fc.oneof(fc.constant(''), word),
  kind: fc.stringMatching(/^[A-Z][A-Za-z]{0,8}$/),
});
const lists = fc.array(identifiers, { maxLength: 6 });

describe('identifiers', () => {
  it('[status 2] reads back every identifier that names neither colons nor underscores', () => {
    fc.assert(
      fc.property(identifiers, (identifier) => {
        expect(parseObjMetadata(formatObjMetadata(identifier))).toEqual(identifier);
      }),
    );
  });

  it('[status 2] keeps colons of RBAC names through the text', () => {
    const role: ObjMetadata = { namespace: '', name: 'system:mate', group: 'rbac.authorization.k8s.io', kind: 'ClusterRole' };
    expect(parseObjMetadata(formatObjMetadata(role))).toEqual(role);
  });

  it('[status 11.10] accepts underscores in names when asked to', () => {
    const text = 'shop_a_b_rbac.authorization.k8s.io_Role';
    expect(() => parseObjMetadata(text)).toThrow('too many fields within: a_b_rbac.authorization.k8s.io');
    expect(parseObjMetadata(text, { underscores: 'accept' }).name).toBe('a_b');
  });

  it('[status 2] has set semantics: order and duplicates do not count', () => {
    fc.assert(
      fc.property(lists, lists, (left, right) => {
        expect(equalIdentifiers(left, [...left, ...left].reverse())).toBe(true);
        expect(hashIdentifiers(left)).toBe(hashIdentifiers([...left].reverse()));
        const union = unionIdentifiers(left, right);
        for (const one of [...left, ...right]) expect(hasIdentifier(union, one)).toBe(true);
        for (const one of intersectIdentifiers(left, right)) expect(hasIdentifier(left, one) && hasIdentifier(right, one)).toBe(true);
        for (const one of subtractIdentifiers(left, right)) expect(hasIdentifier(right, one)).toBe(false);
        expect(equalIdentifiers(unionIdentifiers(subtractIdentifiers(left, right), intersectIdentifiers(left, right)), left)).toBe(true);
      }),
    );
  });

  it('[status 2] fills the hole of a removed entry with the last one', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ namespace: 'shop', name, group: '', kind: 'ConfigMap' })) as [
      ObjMetadata,
      ObjMetadata,
      ObjMetadata,
    ];
    expect(removeIdentifier([a, b, c], a)).toEqual([c, b]);
    expect(removeIdentifier([a, b, c], c)).toEqual([a, b]);
    expect(removeIdentifier([a, b], c)).toEqual([a, b]);
  });
});
