import { expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { installMissing, readManifests, watchInstallation } from '@/server/installation';
import type { House } from '../support/house';
import { startHouse } from '../support/house';
import { silentLog } from '../support/silent-log';

const POLICY = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy', name: 'stagedecisions.slipway.dev' };

async function watched(house: House, deployed: readonly KubeObject[], signal: AbortSignal) {
  const { cluster, clock, informers } = house;
  const { store: deployments } = informers.open({ apiVersion: 'apps/v1', kind: 'Deployment' });
  return watchInstallation({ cluster, deployments, deployed, needsPolicies: true, clock, log: silentLog, signal, untrustedFields: {} });
}

it('[issue 10, 2] finds its policies and bindings stored as they are deployed, hears of each change, and lets nothing past a gate meanwhile', async () => {
  await using house = await startHouse({ clusterKind: 'real' });
  const policies = (await readManifests('deploy')).filter(({ apiVersion }) => apiVersion.startsWith('admissionregistration'));
  await installMissing(policies, { cluster: house.cluster, clock: house.clock, log: silentLog });
  const ending = new AbortController();
  const decisions = policies.find(({ kind, metadata }) => kind === POLICY.kind && metadata.name === POLICY.name);
  try {
    const installation = await watched(house, policies, ending.signal);
    expect(installation.findings().filter(({ area }) => area === 'policies')).toEqual([]);
    expect((await installation.examine(ending.signal)).filter(({ area }) => area === 'policies')).toEqual([]);
    await house.cluster.patch(POLICY, { type: 'merge', body: { spec: { failurePolicy: 'Ignore' } } });
    await house.until(
      'the change is heard of',
      () => installation.decisionsBlockedReason('approve')?.includes('spec.failurePolicy needs "Fail", found "Ignore"') === true,
    );
    expect([installation.decisionsBlockedReason('pause'), installation.decisionsBlockedReason('abort')]).toEqual([null, null]);
    await house.cluster.delete(POLICY);
    await house.until('its end is heard of', () => installation.decisionsBlockedReason('abort')?.includes('is missing') === true);
    if (decisions !== undefined) await house.cluster.create(decisions);
    await house.until('it is back', () => installation.decisionsBlockedReason('approve') === null);
  } finally {
    ending.abort();
    await house.cluster.delete(POLICY).catch(() => undefined); // decisions of other tests are made in the name of others
  }
  expect(toAddress(decisions as KubeObject)).toEqual(POLICY); // found above, or nothing was put back
});
