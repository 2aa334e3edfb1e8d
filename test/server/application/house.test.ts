import { expect, it } from 'vitest';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';

const application = (image: string) => ({
  ...KINDS.application,
  metadata: { name: 'web' },
  spec: {
    components: [
      {
        name: 'web',
        type: 'webservice',
        properties: { image, ports: [{ port: 80, expose: true }] },
        traits: [{ type: 'scaler', properties: { replicas: 4 } }],
      },
      {
        name: 'settings',
        type: 'k8s-objects',
        properties: { objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `for-${image.replace(':', '-')}` } }] },
      },
    ],
    policies: [{ type: 'rollout', properties: { component: 'web', ratio: 50, control: { scaleDownDelaySeconds: 5 } } }],
  },
});

const latest = async (house: House) => readString(await house.get(KINDS.application, 'web'), 'status', 'latestRevision', 'name');
const runs = (house: House, revision: string) => house.until(`${revision} runs`, async () => (await latest(house)) === revision);
const names = async (house: House, type: { readonly apiVersion: string; readonly kind: string }) =>
  (await house.list(type)).map(({ metadata }) => metadata.name ?? '').filter((name) => name !== 'kube-root-ca.crt');

const state = async (house: House) => ({
  deployments: await names(house, KINDS.deployment),
  configs: await names(house, { apiVersion: 'v1', kind: 'ConfigMap' }),
  revisions: await names(house, KINDS.applicationRevision),
  replicas: (await house.list(KINDS.deployment)).map((deployment) => readField(deployment, 'spec', 'replicas')),
});

it('[design 3] an application is rolled out in stages, and what it no longer has goes at the end', async () => {
  await using house = await startHouse();
  await house.apply(application('web:1'));
  await runs(house, 'web-v1');
  await house.apply(application('web:2'));
  await runs(house, 'web-v2');
  expect(await state(house)).toEqual({ deployments: ['web-v2'], configs: ['for-web-2'], revisions: ['web-v1', 'web-v2'], replicas: [4] });
  const actions = [...house.record.values()].map(({ action }) => action);
  expect(actions.filter((action) => action === 'rollout.started')).toHaveLength(2);
  expect(actions.filter((action) => action === 'garbage.deleted')).toHaveLength(2);
});

it('[design 13 K] engines that stop and start again every second of an upgrade come to the same end', async () => {
  await using house = await startHouse();
  await house.apply(application('web:1'));
  await runs(house, 'web-v1');
  const service = await house.get(KINDS.service, 'web');
  await house.apply(application('web:2'));
  for (let second = 0; second < 15; second++) {
    await house.advance(1000);
    await house.restart();
  }
  await runs(house, 'web-v2');
  expect(await state(house)).toEqual({ deployments: ['web-v2'], configs: ['for-web-2'], revisions: ['web-v1', 'web-v2'], replicas: [4] });
  expect((await house.get(KINDS.service, 'web'))?.metadata.uid).toBe(service?.metadata.uid);
});
