import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { differInStatusOnly } from '@/server/readmodel/applications/status-only';

const deployment = (metadata: object = {}, status: object = {}): KubeObject => ({
  ...KINDS.deployment,
  metadata: { name: 'web', namespace: 'shop', uid: 'u1', generation: 3, resourceVersion: '7', labels: { app: 'web' }, ...metadata },
  spec: { replicas: 2 },
  status,
});

describe('a version of an object that need not be compared again', () => {
  it('[dispatch 13] a new status with a new version and new owners of fields', () => {
    const after = deployment({ resourceVersion: '8', managedFields: [{ manager: 'kube-controller-manager' }] }, { readyReplicas: 2 });
    expect(differInStatusOnly(deployment(), after)).toBe(true);
  });

  it.each([
    ['a new generation', { generation: 4 }],
    ['another label', { labels: { app: 'other' } }],
    ['a label removed', { labels: undefined }],
    ['an annotation', { annotations: { note: 'x' } }],
    ['an owner', { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u2' }] }],
    ['another object of the name', { uid: 'u2' }],
  ])('[dispatch 13] not with %s', (_what, metadata) => {
    expect(differInStatusOnly(deployment(), deployment({ resourceVersion: '8', ...metadata }))).toBe(false);
  });

  it('[dispatch 13] not of a kind without generations, whose content may have changed', () => {
    expect(differInStatusOnly(deployment({ generation: undefined }), deployment({ generation: undefined, resourceVersion: '8' }))).toBe(
      false,
    );
  });
});
