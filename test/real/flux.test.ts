import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { FluxReleaseDetail } from '@/lib/contract/flux-rows';
import { FLUX_KINDS } from '@/lib/kube/flux-kinds';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { installMissing, readManifests } from '@/server/installation';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { realClock } from '@/server/platform';
import type { ApiPerson } from '../support/api-person';
import { signIn } from '../support/api-person';
import { openCluster } from '../support/census';
import { aFluxRelease, FLUX_DEFINITIONS, itsSources } from '../support/flux-definitions';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { silentLog } from '../support/silent-log';
import { until } from '../support/until';
import type { ControlPlane } from './control-plane';
import { startControlPlane } from './control-plane';

const NS = 'shop';
const RBAC = { apiGroup: 'rbac.authorization.k8s.io' } as const;
const API = `/api/v1/namespaces/${NS}/flux/podinfo`;
const PODINFO = { ...FLUX_KINDS['helmrelease-v2'], namespace: NS, name: 'podinfo' };
const REQUESTED = 'reconcile.fluxcd.io/requestedAt';

describe('what Flux drives, on a real control plane', () => {
  let plane: ControlPlane;
  let admin: RemoteCluster;
  let server: ServerProcess;
  let ann: ApiPerson;

  const may = (name: string, rules: readonly object[]) =>
    Promise.all([
      admin.create({ apiVersion: `${RBAC.apiGroup}/v1`, kind: 'Role', metadata: { name, namespace: NS }, rules }),
      admin.create({
        apiVersion: `${RBAC.apiGroup}/v1`,
        kind: 'RoleBinding',
        metadata: { name, namespace: NS },
        roleRef: { ...RBAC, kind: 'Role', name },
        subjects: [{ ...RBAC, kind: 'User', name: 'ann' }],
      }),
    ]);
  const put = async ({ status, metadata: { name = '', namespace = '' }, ...object }: KubeObject) => {
    await admin.create({ ...object, metadata: { name, namespace } } as KubeObject);
    await admin.patch({ ...object, namespace, name } as never, { type: 'merge', body: { status } }, { subresource: 'status' });
  };
  const seen = () => ann.row<FluxReleaseDetail>(`flux/${NS}/helmrelease-v2/podinfo`);
  const ask = async (verb: string, more: object = {}) => {
    const { uid = '', generation = 0 } = (await seen()) ?? {};
    return ann.post(`${API}/actions`, { kind: 'helmrelease-v2', verb, uid, generation, ...more });
  };

  beforeAll(async () => {
    plane = await startControlPlane();
    admin = openCluster(plane.kubeconfig);
    const deps = { cluster: admin, clock: realClock, log: silentLog };
    // Without the roles of people: what somebody may is what they are given here.
    await installMissing(await readManifests('deploy/rbac/server.yaml'), deps);
    await installMissing([...(await readManifests('deploy/crds')), ...(await readManifests('deploy'))], deps);
    await admin.create({ ...KINDS.namespace, metadata: { name: NS } });
    const groups = ['helm.toolkit.fluxcd.io', 'source.toolkit.fluxcd.io'];
    await may('sees-flux', [{ apiGroups: groups, resources: ['*'], verbs: ['get', 'list', 'watch'] }]);
    const folder = path.dirname(plane.kubeconfig);
    server = await startServerProcess(['--kubeconfig', path.join(folder, 'slipway.kubeconfig'), '--auth', 'token']);
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

  it('[issue 12] is shown with the rights of the deployed server as soon as its kinds are installed, to whoever may list it', async () => {
    for (const definition of FLUX_DEFINITIONS) await admin.create(definition);
    await until('the kinds are served', () =>
      put(aFluxRelease('podinfo', NS)).then(
        () => true,
        () => false,
      ),
    );
    for (const source of itsSources('podinfo', NS)) await put(source);
    await until('it is shown', async () => (await seen())?.state === 'in-sync');
    const rows = (await ann.get('/api/v1/releases')).body as { readonly rows: readonly { readonly key: string }[] };
    expect(rows.rows.map(({ key }) => key)).toEqual([`${NS}/helmrelease-v2/podinfo`]);
    const sources = async () => ((await ann.get(`/api/v1/flux-sources?ns=${NS}`)).body as { readonly total: number }).total;
    await until('its sources are shown', async () => (await sources()) === 2);
  });

  it('[issue 12] is asked with the right of the person alone, bound to what they saw', async () => {
    expect(await ask('reconcile')).toMatchObject({ status: 403 });
    await may('asks-flux', [{ apiGroups: ['helm.toolkit.fluxcd.io'], resources: ['helmreleases'], verbs: ['patch'] }]);
    await until('the right is known', async () => (await ask('force')).status === 202);
    const { metadata } = await admin.get(PODINFO);
    expect(metadata.annotations?.[REQUESTED]).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(metadata.annotations?.['reconcile.fluxcd.io/forceAt']).toBe(metadata.annotations?.[REQUESTED]);
    expect((metadata.managedFields as readonly { readonly manager: string }[]).map(({ manager }) => manager)).toContain(
      'slipway.dev/console',
    );
    await until('the page tells that it waits', async () => (await seen())?.asked[0]?.isTaken === false);

    expect((await ask('suspend', { uid: 'another' })).status).toBe(409);
    expect((await ask('suspend', { generation: 7 })).status).toBe(409);
    expect((await ask('suspend')).status).toBe(202);
    expect((await admin.get(PODINFO)).spec).toMatchObject({ suspend: true });
    await until('it is suspended', async () => (await seen())?.state === 'suspended');
    expect(await ask('reconcile')).toMatchObject({ status: 409, text: expect.stringContaining('resume it first') as string });
    const sources = [
      { kind: 'helmchart', ns: NS, name: `${NS}-podinfo`, uid: 'u' },
      { kind: 'helmrepository', ns: NS, name: 'podinfo', uid: 'u' },
    ];
    await until('it is resumed', async () => (await ask('resume')).status === 202 || (await seen())?.flux?.suspended === false);
    await until('that is shown', async () => (await seen())?.flux?.suspended === false);
    expect(await ask('reconcile', { sources })).toMatchObject({ status: 403, text: expect.stringContaining('helmcharts') as string });
  });
});
