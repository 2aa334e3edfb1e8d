import { describe, expect, it } from 'vitest';
import { doctorReport } from '@/lib/contract/finding';
import { readField, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { installMissing, readManifests } from '@/server/installation';
import { realClock } from '@/server/platform';
import { signIn } from '../support/api-person';
import { openCluster } from '../support/census';
import { aDefinition } from '../support/definitions';
import { aRevision, BY_KUBECTL } from '../support/rollout-by-kubectl';
import { startServerProcess } from '../support/server-process';
import { silentLog } from '../support/silent-log';
import { startControlPlane } from './control-plane';

describe('a rollout that was written while the definition dropped its gates', () => {
  it('[issue 9.3] is held also once the definition is fixed, until it is applied again', async () => {
    await using plane = await startControlPlane({ nodes: 2 });
    await using cluster = openCluster(plane.kubeconfig);
    await installMissing(await readManifests('deploy/rbac'), { cluster, clock: realClock, log: silentLog });
    const namespace = 'gates-lost';
    const at = (object: KubeObject) => ({ ...object, metadata: { ...object.metadata, namespace } });
    await cluster.create({ ...KINDS.namespace, metadata: { name: namespace } });
    const current = await aDefinition('rolloutorchestrators');
    const define = async (definition: KubeObject) => {
      const { metadata } = await cluster.get(toAddress(current));
      await cluster.update({ ...definition, metadata });
    };
    await cluster.create(await aDefinition('rolloutorchestrators', (schema) => schema.remove('spec.control.gates')));
    for (const revision of [aRevision('web-v1', 4), aRevision('web-v2', 0)]) await cluster.create(at(revision));
    const ready = async () => {
      const counts = ['web-v1', 'web-v2'].map(async (name) =>
        readNumber(await cluster.get({ ...KINDS.deployment, namespace, name }), 'status', 'readyReplicas'),
      );
      return (await Promise.all(counts)).map((count) => count ?? 0);
    };
    await expect.poll(ready, { timeout: 60_000, interval: 200 }).toEqual([4, 0]);

    await using server = await startServerProcess(['--kubeconfig', plane.kubeconfig]);
    const person = await signIn(server, server.address);
    const ask = async () => doctorReport.parse((await person.get('/api/v1/doctor')).body).findings;
    const rollout = () => cluster.get({ ...KINDS.rolloutOrchestrator, namespace, name: 'web' });
    await cluster.create(at(BY_KUBECTL));
    await expect
      .poll(async () => readString(await rollout(), 'status', 'annotations', 'slipway.dev/policy-lost'), { timeout: 60_000 })
      .toBe('1');
    await define(current);
    const definitions = async () => (await ask()).filter(({ area }) => area === 'definitions');
    await expect.poll(definitions, { timeout: 60_000, interval: 200 }).toEqual([]);
    // It is held by what it remembers from here on, as its page says.
    const page = async () => JSON.stringify(await person.row(`rollout/${namespace}/web`));
    await expect
      .poll(page, { timeout: 60_000, interval: 200 })
      .toContain('it was written while the cluster’s definition dropped part of its policy');
    expect(await ready()).toEqual([4, 0]);

    const stored = await rollout();
    await cluster.update({ ...stored, spec: BY_KUBECTL.spec });
    await expect.poll(ready, { timeout: 120_000, interval: 200 }).toEqual([2, 2]);
    await expect.poll(page, { timeout: 60_000, interval: 200 }).toContain('Paused');
    expect(readField(await rollout(), 'spec', 'control')).toMatchObject({ gates: 'every-stage' });
    expect(await ready()).toEqual([2, 2]);
  }, 420_000);
});
