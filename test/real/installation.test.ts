import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '@/lib/contract/finding';
import { doctorReport } from '@/lib/contract/finding';
import { KINDS, REQUESTED_BY } from '@/lib/kube/kinds';
import { toAddress } from '@/lib/kube/object';
import { installMissing, readManifests } from '@/server/installation';
import { realClock } from '@/server/platform';
import type { ApiPerson } from '../support/api-person';
import { signIn } from '../support/api-person';
import { aController } from '../support/applications';
import { openCluster } from '../support/census';
import { aDefinition } from '../support/definitions';
import { startServerProcess } from '../support/server-process';
import { silentLog } from '../support/silent-log';
import type { ControlPlane } from './control-plane';
import { startControlPlane } from './control-plane';

/** What the doctor finds each time it is asked, by whoever the printed address signs in. */
function doctorOf({ get }: ApiPerson): () => Promise<readonly Finding[]> {
  return async () => doctorReport.parse((await get('/api/v1/doctor')).body).findings;
}

describe('a cluster that has never seen Slipway', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  it('[design 13 A] takes an application, and notes who requested it, from the moment a server with the opt-in is there', async () => {
    await using cluster = openCluster(plane.kubeconfig);
    await installMissing(await readManifests('deploy/rbac'), { cluster, clock: realClock, log: silentLog });
    await using server = await startServerProcess(['--kubeconfig', path.join(path.dirname(plane.kubeconfig), 'slipway.kubeconfig')]);
    const made = await cluster.create({
      ...KINDS.application,
      metadata: { name: 'first', namespace: 'default' },
      spec: { components: [] },
    });
    expect(made.metadata.annotations).toMatchObject({ [REQUESTED_BY.user]: 'admin' });
    expect(server.stderr()).not.toContain('does not record who requests');
  }, 120_000);

  it('[issue 9.3] tells what an older definition drops, until it is applied again, and stops within 60 s of another controller', async () => {
    await using cluster = openCluster(plane.kubeconfig);
    const current = await aDefinition('rolloutorchestrators');
    const { metadata } = await cluster.get(toAddress(current));
    await cluster.update({ ...(await aDefinition('rolloutorchestrators', (schema) => schema.remove('spec.control.gates'))), metadata });
    await using server = await startServerProcess(['--kubeconfig', plane.kubeconfig]);
    expect(server.stderr()).toContain('drops spec.control.gates; kubectl apply -f deploy/crds/rolloutorchestrators.yaml fixes it');
    const ask = doctorOf(await signIn(server, server.address));
    expect((await ask()).map(({ area, subject }) => `${area} ${subject}`)).toEqual(['definitions RolloutOrchestrator']);

    const stored = await cluster.get(toAddress(current));
    await cluster.update({ ...current, metadata: stored.metadata });
    await expect.poll(ask, { timeout: 10_000, interval: 200 }).toEqual([]);

    await cluster.create(aController('progressive-rollout', 'registry.example.com/serving-progressive-rollout:1'));
    await expect.poll(ask, { timeout: 62_000, interval: 500 }).toMatchObject([
      { area: 'modes', subject: 'rollout engine' },
      {
        area: 'policies',
        subject: 'ValidatingAdmissionPolicyBinding rollouts.slipway.dev',
        remedy: 'kubectl delete -f deploy/admission-rollouts.yaml',
      },
    ]);
  }, 180_000);
});
