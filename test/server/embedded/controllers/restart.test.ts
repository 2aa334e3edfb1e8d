import { expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { startControllers } from '@/server/embedded/controllers';
import { FakeHost } from './fake-host';
import { aDeployment, aTemplate, DEPLOYMENT } from './plane';

async function aSettledHost() {
  const host = new FakeHost();
  const running = startControllers(host, { nodes: 2 });
  const labels = { app: 'db' };
  await host.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' }, spec: { finalizers: ['kubernetes'] } });
  await host.cluster.create(aDeployment());
  await host.cluster.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  });
  const workload = {
    metadata: { name: 'db', namespace: 'shop' },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: aTemplate({ labels }) },
  };
  await host.cluster.create({ apiVersion: 'apps/v1', kind: 'StatefulSet', ...workload });
  await host.cluster.create({ apiVersion: 'apps/v1', kind: 'DaemonSet', ...workload, metadata: { name: 'agent', namespace: 'shop' } });
  await host.cluster.create({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'db', namespace: 'shop' },
    spec: { minAvailable: 1, selector: { matchLabels: labels } },
  });
  await host.clock.advance(5000);
  return { host, running };
}

it('[cluster T2] starting again on a settled store writes nothing but the leases of the nodes', async () => {
  const { host, running } = await aSettledHost();
  await running[Symbol.asyncDispose]();
  const written: string[] = [];
  host.onChange(({ after, before }) => written.push((after ?? before)?.kind ?? ''));
  await using _again = startControllers(host, { nodes: 2 });
  await host.clock.advance(1000);
  expect(written).toEqual(['Lease', 'Lease']);
});

it('[cluster T2] what was under way when the controllers stopped goes on when they start again', async () => {
  const { host, running } = await aSettledHost();
  await host.cluster.patch(
    { ...DEPLOYMENT, namespace: 'shop', name: 'web' },
    { type: 'merge', body: { spec: { template: aTemplate({ image: 'nginx:2' }) } } },
  );
  await host.clock.advance(150);
  await running[Symbol.asyncDispose]();
  await host.clock.advance(10_000);
  await using _again = startControllers(host, { nodes: 2 });
  await host.clock.advance(5000);
  const pods = host.list({ apiVersion: 'v1', kind: 'Pod' }, 'shop').filter((pod) => pod.metadata.labels?.app === 'web');
  expect(pods.map((pod) => readString(pod, 'spec', 'containers', 0, 'image'))).toEqual(['nginx:2', 'nginx:2', 'nginx:2', 'nginx:2']);
  expect(host.get(DEPLOYMENT, 'shop/web')?.status).toMatchObject({ availableReplicas: 4, updatedReplicas: 4 });
});

it('[cluster K] controllers that are disposed do nothing more', async () => {
  const { host, running } = await aSettledHost();
  await running[Symbol.asyncDispose]();
  const before = host.writes;
  await host.cluster.create(aDeployment({}, 'late'));
  await host.clock.advance(60_000);
  expect(host.writes).toBe(before + 1);
});
