import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { differsInStatusOnly } from '@/lib/kube/status-change';

const anObject = (metadata: object = {}, more: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', generation: 2, resourceVersion: '7', labels: { app: 'web' }, ...metadata },
  spec: { replicas: 3 },
  status: { readyReplicas: 1 },
  ...more,
});

describe('a change of the status alone', () => {
  it.each([
    [true, anObject({ resourceVersion: '8' }, { status: { readyReplicas: 2 } })],
    [true, anObject({ annotations: undefined }, { status: undefined })],
    [false, anObject({ generation: 3 })],
    [false, anObject({ labels: { app: 'other' } })],
    [false, anObject({ annotations: { note: 'x' } })],
    [false, anObject({ labels: undefined })],
    [false, anObject({}, { spec: { replicas: 4 } })],
    [false, anObject({}, { data: { a: 'b' } })],
    [false, undefined],
  ])('is one: %s', (is, after) => {
    expect(differsInStatusOnly(anObject(), after)).toBe(is);
    expect(differsInStatusOnly(after, anObject())).toBe(is);
  });

  it('[issue 13] is found without a look at the status', () => {
    const looks: string[] = [];
    const of = (version: string): KubeObject => {
      const { status, ...object } = anObject({ resourceVersion: version });
      const get = () => {
        looks.push(version);
        return status;
      };
      return Object.defineProperty(object, 'status', { enumerable: true, get });
    };
    expect(differsInStatusOnly(of('7'), of('8'))).toBe(true);
    expect(looks).toEqual([]);
  });
});
