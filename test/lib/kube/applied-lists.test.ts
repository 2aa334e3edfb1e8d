import { describe, expect, it } from 'vitest';
import { DISPATCH_MANAGER, isAppliedList, markAppliedLists } from '@/lib/kube/applied-lists';
import type { KubeObject } from '@/lib/kube/object';

const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-01T00:00:01Z';
const OURS = { manager: DISPATCH_MANAGER, operation: 'Update', time: EARLY };
const SOMEBODY = { manager: 'somebody', operation: 'Update', time: LATE };

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly time: string;
  readonly subresource?: string;
}

/** Whether the rules of an object count as written, given who owns what. */
function areWritten(...owners: readonly (readonly [Entry, object])[]): boolean {
  const rules = [{ name: 'a', to: [{ weight: 1 }] }];
  const managedFields = owners.map(([entry, fieldsV1]) => ({ ...entry, fieldsV1 }));
  const object = { apiVersion: 'example.com/v1', kind: 'Way', metadata: { name: 'w', managedFields }, spec: { rules } } as KubeObject;
  markAppliedLists(object);
  return isAppliedList(rules);
}

const WHOLE = { 'f:spec': { 'f:rules': {} } };
const ENTRY = { 'f:spec': { 'f:rules': { 'k:{"name":"a"}': { 'f:name': {} } } } };
const LABELS = { 'f:metadata': { 'f:labels': { 'f:a': {} } } };

describe('whether a list stands as a dispatch wrote it', () => {
  it.each<[string, boolean, readonly (readonly [Entry, object])[]]>([
    ['it owns it whole', true, [[OURS, WHOLE]]],
    [
      'it owns it whole, and another wrote elsewhere since',
      true,
      [
        [OURS, WHOLE],
        [SOMEBODY, LABELS],
      ],
    ],
    [
      'it owns it whole, and another states the same since',
      true,
      [
        [OURS, WHOLE],
        [SOMEBODY, WHOLE],
      ],
    ],
    [
      'another took it over since',
      false,
      [
        [OURS, LABELS],
        [SOMEBODY, WHOLE],
      ],
    ],
    [
      'another took it over in the same second',
      false,
      [
        [OURS, LABELS],
        [{ ...SOMEBODY, time: EARLY }, WHOLE],
      ],
    ],
    [
      'another wrote it before the dispatch wrote anything',
      true,
      [
        [{ ...OURS, time: LATE }, LABELS],
        [{ ...SOMEBODY, time: EARLY }, WHOLE],
      ],
    ],
    ['it owns an entry, and nobody else does', true, [[OURS, ENTRY]]],
    [
      'it owns an entry, and another set something in it since',
      false,
      [
        [OURS, ENTRY],
        [SOMEBODY, ENTRY],
      ],
    ],
    [
      'another owns the whole content since',
      false,
      [
        [OURS, LABELS],
        [SOMEBODY, { 'f:spec': {} }],
      ],
    ],
    ['no dispatch ever wrote the object', false, [[{ ...SOMEBODY, time: EARLY }, WHOLE]]],
    ['only a status was written under the name', false, [[{ ...OURS, subresource: 'status' }, WHOLE]]],
    [
      'nobody noted when another wrote it',
      false,
      [
        [OURS, LABELS],
        [{ ...SOMEBODY, time: '' }, WHOLE],
      ],
    ],
    ['nobody is noted', false, []],
  ])('%s: %s', (_what, expected, owners) => {
    expect(areWritten(...owners)).toBe(expected);
  });

  it('looks into entries of lists, by their keys and by their places', () => {
    const sources = [{ path: 'token' }];
    const volumes = [{ name: 'token', projected: { sources } }];
    const rules = [{ ports: [{ port: 80 }] }];
    const fieldsV1 = {
      'f:spec': {
        'f:volumes': { 'k:{"name":"token"}': { '.': {}, 'f:projected': { 'f:sources': {} } }, 'k:{not json': {} },
        'f:rules': { 'i:0': { 'f:ports': {} } },
      },
    };
    const touching = { 'f:spec': { 'f:volumes': { 'k:{"name":"other"}': {} }, 'f:rules': { 'i:0': { 'f:other': {} } } } };
    markAppliedLists({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'p',
        managedFields: [
          { ...OURS, fieldsV1 },
          { ...SOMEBODY, fieldsV1: touching },
        ],
      },
      spec: { volumes, rules },
    } as KubeObject);
    expect([volumes, rules, sources, rules[0]?.ports ?? []].map(isAppliedList)).toEqual([false, false, true, true]);
  });
});
