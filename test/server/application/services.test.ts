import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { parseApplication } from '@/server/application';
import { servicesOf } from '@/server/application/observe/services';
import type { ResourceTracker } from '@/server/dispatch';
import { loadStatusRules } from '@/server/status/custom/status-rules';
import { ManualClock } from '@/test/support/manual-clock';
import { FakeApiServer } from '../../support/dispatch-server';
import { FakeInformers } from '../../support/fake-informers';
import { liveStatusOf } from '../../support/live-status';

const ingress: KubeObject = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'web', namespace: 'shop' } };
const application = parseApplication({
  ...KINDS.application,
  metadata: { name: 'shopfront', namespace: 'shop', uid: 'u1' },
  spec: { components: [{ name: 'web', type: 'webservice', properties: { image: 'registry.example.com/web:1' } }], policies: [] },
});
const tracker: ResourceTracker = {
  name: 'shopfront-v1-shop',
  uid: 'u2',
  form: 'managed',
  type: 'versioned',
  applicationGeneration: 1,
  labels: {},
  annotations: {},
  intact: true,
  entries: [
    {
      apiVersion: ingress.apiVersion,
      kind: 'Ingress',
      namespace: 'shop',
      name: 'web',
      component: 'web',
      cluster: '',
      deleted: false,
      skipGC: false,
    },
  ],
};

describe('the state of a component', () => {
  it('[status 11.7] follows the rules that the server turned on, and kstatus alone without them', async () => {
    const told = (rules: Awaited<ReturnType<typeof loadStatusRules>>) => {
      const status = liveStatusOf(new FakeInformers(new FakeApiServer()), new ManualClock(), rules);
      return servicesOf(application, tracker, { cache: { read: () => ingress }, status }).services[0];
    };
    expect(told(await loadStatusRules())).toMatchObject({ healthy: false, message: 'Ingress web: Ingress has no address' });
    expect(told({})).toMatchObject({ healthy: true, message: '1 object is current' });
  });

  it('[issue 9.1] says of what was deleted what the status says of it', () => {
    const status = liveStatusOf(new FakeInformers(new FakeApiServer()), new ManualClock());
    const { services, isFailed } = servicesOf(application, tracker, { cache: { read: () => undefined }, status });
    expect(services[0]).toMatchObject({ healthy: false, message: 'Ingress web: Resource not found' });
    expect(isFailed).toBe(true);
  });
});
