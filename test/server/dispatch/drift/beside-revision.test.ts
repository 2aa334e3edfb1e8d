import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { apply, ENGINE_MERGE_OPTIONS } from '@/server/dispatch';
import { findDrift } from '@/server/dispatch/drift/find-drift';
import { FakeApiServer } from '../../../support/dispatch-server';

describe('an object beside a revision that is not applied', () => {
  const marked = (revision: string, spec: object): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'web',
      namespace: 'shop',
      labels: { tier: 'front', 'app.oam.dev/appRevision': revision, 'app.oam.dev/app-revision-hash': `of ${revision}` },
      annotations: { note: 'a', 'oam.dev/kubevela-version': `of ${revision}` },
    },
    spec: { ports: [{ port: 80 }], ...spec },
  });

  async function live(): Promise<KubeObject> {
    const server = new FakeApiServer();
    const owner = {
      apiVersion: 'core.oam.dev/v1beta1',
      kind: 'ResourceTracker',
      name: 'web-v1-shop',
      uid: 'first',
      controller: true,
      blockOwnerDeletion: true,
    };
    const manifest = marked('web-v1', { clusterIP: '10.0.0.1' });
    const { object } = await apply(
      server,
      { ...manifest, metadata: { ...manifest.metadata, ownerReferences: [owner] } },
      { secretKey: 'a key' },
    );
    return object;
  }

  it('[issue 9.4] tells what the revision changes, and nothing of what a dispatch keeps there for itself', async () => {
    const wanted = marked('web-v2', { clusterIP: '10.0.0.2' });
    const found = (isApplied: boolean) =>
      findDrift({
        manifest: wanted,
        live: before,
        tracker: { name: 'web-v2-shop', uid: 'second' },
        isApplied,
        policy: {},
        options: ENGINE_MERGE_OPTIONS,
      });
    const before = await live();
    expect(found(false).map(({ path }) => path)).toEqual(['spec.clusterIP']);
    expect(found(true).length).toBeGreaterThan(5);
  });

  it('[issue 9.4] tells the labels and annotations that people give', async () => {
    const { metadata, ...rest } = marked('web-v2', { clusterIP: '10.0.0.1' });
    const wanted = {
      ...rest,
      metadata: { ...metadata, labels: { ...metadata.labels, tier: 'back' }, annotations: { ...metadata.annotations, note: 'b' } },
    };
    const fields = findDrift({
      manifest: wanted,
      live: await live(),
      tracker: { name: 'web-v2-shop', uid: 'second' },
      isApplied: false,
      policy: {},
      options: ENGINE_MERGE_OPTIONS,
    });
    expect(fields.map(({ path }) => path).sort()).toEqual(['metadata.annotations.note', 'metadata.labels.tier']);
  });
});
