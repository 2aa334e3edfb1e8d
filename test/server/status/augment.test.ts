import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { ComputeError } from '@/server/status/result';
import { augment } from '@/server/status/surface/augment';

const NOW = toInstant(Date.UTC(2031, 4, 4, 10, 0, 0, 700));

function aClaim(status?: object | null): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'vault', namespace: 'shop' },
    ...(status === undefined ? {} : { status: { ...status } }),
  };
}

describe('augment', () => {
  it('[status 7] makes the list of conditions where there is none, in whole seconds', () => {
    const at = '2031-05-04T10:00:00Z';
    const pending = { type: 'Reconciling', status: 'True', reason: 'NotBound', message: 'PVC is not Bound. phase: unknown' };
    for (const claim of [aClaim(), aClaim({})]) {
      expect(augment(claim, NOW).status).toEqual({ conditions: [{ ...pending, lastTransitionTime: at, lastUpdateTime: at }] });
    }
  });

  it('[status 7] refuses conditions that are present and no list, even where it would add none', () => {
    expect(() => augment(aClaim({ phase: 'Bound', conditions: null }), NOW)).toThrow(ComputeError);
    expect(() => augment(aClaim({ phase: 'Bound', conditions: {} }), NOW)).toThrow(ComputeError);
    expect(augment(aClaim({ phase: 'Bound', conditions: [] }), NOW).status).toEqual({ phase: 'Bound', conditions: [] });
  });

  it('[status 7] needs a type of every entry it writes beside, and a status of the one it writes over', () => {
    const beside = { type: 'Resizing' };
    expect(augment(aClaim({ conditions: [beside] }), NOW).status).toMatchObject({ conditions: [beside, { type: 'Reconciling' }] });
    for (const entry of [null, {}, { type: null }, { type: 'Reconciling' }, { type: 'Reconciling', status: null }]) {
      expect(() => augment(aClaim({ conditions: [entry] }), NOW)).toThrow(ComputeError);
      expect(() => augment(aClaim({ phase: 'Bound', conditions: [entry] }), NOW)).not.toThrow();
    }
  });

  it('[status 7] refuses a status that is null, which is no place for conditions', () => {
    expect(() => augment({ ...aClaim(), status: JSON.parse('null') }, NOW)).toThrow(ComputeError);
  });
});
