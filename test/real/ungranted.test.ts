import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { SavePreview } from '@/lib/contract/change-rows';
import { CHARTS_ACCOUNT, grantObjects } from '@/lib/contract/grant';
import { getCondition } from '@/lib/kube/condition';
import { readNumber } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { installMissing, readManifests } from '@/server/installation';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { realClock } from '@/server/platform';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import type { ApiPerson } from '../support/api-person';
import { signIn } from '../support/api-person';
import { openCluster } from '../support/census';
import { createOnceServed } from '../support/create-once-served';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { silentLog } from '../support/silent-log';
import { until } from '../support/until';
import type { ControlPlane } from './control-plane';
import { startControlPlane } from './control-plane';

const NS = 'shop';
const NOTICED_MS = 90_000;
const COMMAND = `slipway grant ${NS} | kubectl apply -f -`;
const RBAC = { apiGroup: 'rbac.authorization.k8s.io' } as const;
const WEB = { ...KINDS.rolloutOrchestrator, namespace: NS, name: 'web' } as const;
const LEDGER = { ...KINDS.helmRelease, namespace: NS, name: 'ledger' } as const;
const UNTIL = `in namespace ${NS} until its owner grants it: ${COMMAND}`;

const entry = (revisionName: string) => ({ revisionName, minScale: 2, maxScale: 2, percent: 100 });
const aRevision = (name: string, replicas: number) => {
  const labels = { 'serving.knative.dev/revision': name, 'serving.knative.dev/service': 'web' };
  const template = {
    metadata: { labels: { app: name, ...labels } },
    spec: { containers: [{ name: 'web', image: 'registry.example.com/web:1' }] },
  };
  return {
    ...KINDS.deployment,
    metadata: { name, namespace: NS, labels },
    spec: { replicas, selector: { matchLabels: { app: name } }, template },
  };
};
const manifest = stringify({
  ...KINDS.application,
  metadata: { name: 'settings', namespace: NS },
  spec: {
    components: [
      {
        name: 'set',
        type: 'k8s-objects',
        properties: { objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' } }] },
      },
    ],
  },
});

describe('a namespace that nobody granted, on a real control plane of its own', () => {
  let plane: ControlPlane;
  let admin: RemoteCluster;
  let server: ServerProcess;
  let ann: ApiPerson;

  beforeAll(async () => {
    plane = await startControlPlane();
    admin = openCluster(plane.kubeconfig);
    const deps = { cluster: admin, clock: realClock, log: silentLog };
    await installMissing([...(await readManifests('deploy/rbac/people.yaml')), ...(await readManifests('deploy/rbac/server.yaml'))], deps);
    await installMissing([...(await readManifests('deploy/crds')), ...(await readManifests('deploy'))], deps);
    await admin.create({ ...KINDS.namespace, metadata: { name: NS } });
    const roleRef = { ...RBAC, kind: 'ClusterRole', name: 'admin' };
    const subjects = [{ ...RBAC, kind: 'User', name: 'ann' }];
    await admin.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'owner', namespace: NS },
      roleRef,
      subjects,
    });
    const folder = path.dirname(plane.kubeconfig);
    const { path: helm } = await obtainHelm();
    server = await startServerProcess(['--kubeconfig', path.join(folder, 'slipway.kubeconfig'), '--auth', 'token', '--helm', helm]);
    const kubeconfig = parse(await readFile(path.join(folder, 'ann.kubeconfig'), 'utf8')) as {
      readonly users: readonly { readonly user: { readonly token: string } }[];
    };
    ann = await signIn(server, `${server.origin}/sign-in?token=${kubeconfig.users[0]?.user.token ?? ''}`);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await admin?.[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  it('[issue 10.1] a rollout and a release of kubectl, and the preview of an application, tell what the server lacks and the command; with the grant they go on', async () => {
    await admin.create(aRevision('web-v1', 2));
    await admin.create(aRevision('web-v2', 0));
    const spec = { initialRevisions: [entry('web-v1')], targetRevisions: [entry('web-v2')], rolloutStrategy: 'availability' };
    await createOnceServed(admin, { ...KINDS.rolloutOrchestrator, metadata: { name: WEB.name, namespace: NS }, spec });
    const chart = { repository: 'http://127.0.0.1:9/', name: 'ledger', version: '1.0.0' };
    await createOnceServed(admin, { ...KINDS.helmRelease, metadata: { name: LEDGER.name, namespace: NS }, spec: { chart } });

    const granted = async () => getCondition(await admin.get(WEB), 'Granted');
    await until('the rollout waits', async () => (await granted())?.reason === 'NotGranted', NOTICED_MS);
    expect((await granted())?.message).toBe(`the server may not patch deployments.apps/scale ${UNTIL}`);
    const released = async () => getCondition(await admin.get(LEDGER), 'Released');
    await until('the release waits', async () => (await released())?.reason === 'NotGranted', NOTICED_MS);
    expect((await released())?.message).toBe(`the server may not get, impersonate, list secrets, serviceaccounts ${UNTIL}`);
    const preview = async () => (await ann.post('/api/v1/applications', { manifest, dryRun: true })).body as SavePreview;
    expect(await preview()).toMatchObject({
      ungranted: `the server may not create, patch configmaps ${UNTIL}`,
      changes: [{ name: 'settings', verdict: 'new' }],
    });
    expect(readNumber(await admin.get({ ...KINDS.deployment, namespace: NS, name: 'web-v2' }), 'spec', 'replicas')).toBe(0);

    for (const object of grantObjects(NS)) await admin.create(object);
    const scaled = async () =>
      (readNumber(await admin.get({ ...KINDS.deployment, namespace: NS, name: 'web-v2' }), 'spec', 'replicas') ?? 0) > 0;
    await until('the rollout moves', scaled, NOTICED_MS);
    await until('its condition goes', async () => (await granted()) === undefined, NOTICED_MS);
    // Nothing is at that address: whoever asks for the chart has got past the grant, as the account that came with it.
    await until('the release asks for its chart', async () => (await released())?.reason === 'ChartFetchFailed', NOTICED_MS);
    expect(await admin.get({ apiVersion: 'v1', kind: 'ServiceAccount', namespace: NS, name: CHARTS_ACCOUNT })).toBeDefined();
    expect(await preview()).not.toHaveProperty('ungranted');
  });
});
