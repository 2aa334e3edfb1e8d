import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS, REQUESTED_BY } from '@/lib/kube/kinds';
import { openCluster } from '../support/census';
import { startServerProcess } from '../support/server-process';
import type { ControlPlane } from './control-plane';
import { startControlPlane } from './control-plane';

describe('a cluster that has never seen Slipway', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  it('[design 13 A] takes an application, and notes who asked for it, from the moment the server is there', async () => {
    await using server = await startServerProcess(['--kubeconfig', plane.kubeconfig]);
    await using cluster = openCluster(plane.kubeconfig);
    const made = await cluster.create({ ...KINDS.application, metadata: { name: 'first', namespace: 'default' }, spec: { components: [] } });
    expect(made.metadata.annotations).toMatchObject({ [REQUESTED_BY.user]: 'admin' });
    expect(server.stderr()).not.toContain('does not note who asks');
  }, 120_000);
});
