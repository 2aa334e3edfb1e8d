import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress } from '@/lib/kube/object';
import type { Installation } from '@/server/installation';
import { readManifests, watchInstallation } from '@/server/installation';
import type { Cluster, Store } from '@/server/kube';
import { KubeTransportError } from '@/server/kube';
import { silentLog } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import type { FakeCluster } from '../auth/fake-cluster';
import { createFakeCluster } from '../auth/fake-cluster';

const LOOK_MS = 15_000;
const NO_DEPLOYMENTS = { health: () => ({ state: { kind: 'watching' } }), list: () => [] } as unknown as Store; // nothing else is asked of it

describe('what ties a decision to the person who makes it', () => {
  let clock: ManualClock;
  let ending: AbortController;
  let policies: readonly KubeObject[];
  beforeEach(async () => {
    clock = new ManualClock();
    ending = new AbortController();
    policies = (await readManifests('deploy')).filter(({ kind }) => kind.startsWith('ValidatingAdmissionPolicy'));
  });
  afterEach(() => ending.abort());

  const watch = (cluster: Cluster): Promise<Installation> =>
    watchInstallation({
      cluster,
      deployments: NO_DEPLOYMENTS,
      deployed: policies,
      needsPolicies: true,
      clock,
      log: silentLog,
      signal: ending.signal,
      doubted: {},
    });
  const nameOf = ({ kind, metadata }: KubeObject) => describeObject({ kind, name: metadata.name });
  const without = (cluster: FakeCluster, gone: KubeObject): Cluster => ({
    ...cluster,
    get: (at, options) =>
      at.kind === gone.kind && at.name === gone.metadata.name ? cluster.get({ ...at, name: 'nothing' }, options) : cluster.get(at, options),
  });

  it('[issue 9, 6] is complete where every policy and binding of the deployment is there', async () => {
    expect(policies.length).toBeGreaterThan(3);
    const installation = await watch(createFakeCluster({ objects: policies }));
    expect(installation.barred()).toBeNull();
    expect(installation.findings()).toEqual([]);
  });

  it('[issue 9, 6] is missed from the first moment, whichever of its objects is not there, and both the answer and the finding name it', async () => {
    for (const gone of policies) {
      const installation = await watch(without(createFakeCluster({ objects: policies }), gone));
      expect(installation.barred()).toMatch(/; kubectl apply -f deploy\/admission\.yaml fixes it$/);
      expect(installation.barred()).toContain(nameOf(gone));
      expect(installation.findings()).toMatchObject([
        { area: 'policies', sentence: expect.stringContaining(nameOf(gone)), mend: 'kubectl apply -f deploy/admission.yaml' },
      ]);
      expect(installation.findings()[0]?.sentence).not.toContain('kubectl');
    }
  });

  it('[issue 9, 6] is missed soon after somebody takes it away, and back soon after it was applied again', async () => {
    const cluster = createFakeCluster({ objects: policies });
    const installation = await watch(cluster);
    const [policy] = policies;
    if (policy === undefined) throw new Error('no policy is deployed');
    await cluster.delete(toAddress(policy));
    await clock.advance(LOOK_MS);
    expect(installation.barred()).toContain(nameOf(policy));
    await cluster.create(policy);
    await clock.advance(LOOK_MS);
    expect(installation.barred()).toBeNull();
  });

  it('[issue 9, 6] counts as missing while the cluster cannot be asked', async () => {
    const cluster = createFakeCluster({ objects: policies });
    const silent: Cluster = { ...cluster, get: () => Promise.reject(new KubeTransportError('connect ECONNREFUSED')) };
    expect((await watch(silent)).barred()).not.toBeNull();
  });
});
