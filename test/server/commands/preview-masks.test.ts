import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { AskedRight } from '../auth/fake-cluster';
import { anApplication, aRevision, createCommandRig } from './rig';

const FAR = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'db-master', cluster: 'east' };
const labels = { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': 'shop' };
const tracker: KubeObject = {
  ...KINDS.resourceTracker,
  metadata: { name: 'web-v1-shop', labels },
  spec: { type: 'versioned', managedResources: [FAR] },
};
const NEAR = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'db-master', uid: 'key-uid' };
const nearTracker: KubeObject = { ...tracker, spec: { type: 'versioned', managedResources: [NEAR] } };
const key: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db-master', namespace: 'shop', uid: 'key-uid', labels } };
const NEXT = stringify({
  ...KINDS.application,
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    components: [
      { name: 'set', type: 'k8s-objects', properties: { objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }] } },
    ],
  },
});

it.each<readonly [string, (right: AskedRight) => boolean, string]>([
  ['somebody who may get Secrets', () => true, 'Secret db-master in shop'],
  ['nobody else, who sees that there is one anyway', ({ verb, resource }) => !(verb === 'get' && resource === 'secrets'), 'a Secret'],
])('[issue 9.4] a preview names an object to %s, also in the sentence about the whole', async (_who, may, told) => {
  const { commands, session, previews } = await createCommandRig({
    objects: [anApplication(), aRevision('web-v1', 'web:1'), tracker],
    may,
  });
  const shown = await commands.applyApplication(session, { manifest: NEXT, dryRun: true });
  expect(shown).toMatchObject({ refused: expect.stringContaining(`while the state of ${told} is unknown`), counts: { held: 1, new: 1 } });
  if (told === 'a Secret') expect(JSON.stringify(shown)).not.toContain('db-master');
  // As it was worked out it is kept; who may see what is asked when it is looked at.
  expect('plan' in shown && JSON.stringify(previews.get(shown.plan)?.preview)).toContain('db-master');
});

it.each<readonly [string, string, string]>([
  ['somebody who may get Secrets', 'delete', 'may not delete Secret db-master in shop'],
  ['nobody else', 'get,delete', 'may not delete a Secret'],
])('[issue 14.1] why an application cannot be deleted names an object to %s', async (_who, lacking, told) => {
  const may = ({ verb, resource }: AskedRight) => resource !== 'secrets' || !lacking.split(',').includes(verb);
  const { commands, session } = await createCommandRig({ objects: [anApplication(), aRevision('web-v1', 'web:1'), nearTracker, key], may });
  const end = { place: { ns: 'shop', name: 'web' }, uid: 'app-uid', objects: 'delete' } as const;
  const shown = await commands.deleteApplication(session, { ...end, dryRun: true });
  expect(shown).toMatchObject({ refused: expect.stringContaining(told), counts: { deleted: 1 } });
  const plan = 'plan' in shown ? shown.plan : '';
  const refused = await commands.deleteApplication(session, { ...end, plan }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'forbidden', message: expect.stringContaining(told) });
  if (lacking.includes('get')) expect(`${JSON.stringify(shown)}${String(refused)}`).not.toContain('db-master');
});
