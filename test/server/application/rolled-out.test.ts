import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { parseApplication, rolledOutComponent } from '@/server/application';

const settings = { name: 'settings', type: 'k8s-objects', properties: { objects: [] } };
const web = { name: 'web', type: 'webservice', properties: { image: 'web:1' } };
const back = { name: 'back', type: 'worker', properties: { image: 'back:1' } };

const anApplication = (components: readonly object[], properties?: object) => ({
  ...KINDS.application,
  metadata: { name: 'shop', namespace: 'shop', uid: 'uid-shop' },
  spec: { components, ...(properties === undefined ? {} : { policies: [{ name: 'staged', type: 'rollout', properties }] }) },
});

it('[issue 9.3] tells which component is rolled out as the engine does: the only one with a workload, wherever it stands', () => {
  for (const application of [anApplication([settings, web], {}), anApplication([web, back], { component: 'back' }), anApplication([web])]) {
    expect(rolledOutComponent(application)).toBe(parseApplication(application).rollout?.component);
  }
  expect(rolledOutComponent(anApplication([settings, web], {}))).toBe('web');
});

it('[issue 9.3] tells none where the policy names none that could be', () => {
  for (const properties of [{}, { component: 'settings' }, { ratio: 0 }])
    expect(rolledOutComponent(anApplication([settings, web, back], properties))).toBeUndefined();
});
