import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionView } from '@/lib/contract/requests';
import { KINDS, REQUESTED_BY } from '@/lib/kube/kinds';
import { installMissing, readManifests } from '@/server/installation';
import type { Cluster } from '@/server/kube';
import { isImpersonationRefused, withCaller } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { realClock } from '@/server/platform';
import { openCluster } from '../support/census';
import type { OidcProvider } from '../support/oidc-provider';
import { startOidcProvider } from '../support/oidc-provider';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { TEST_AGENT } from '../support/server-rights/uses';
import { silentLog } from '../support/silent-log';
import type { ControlPlane } from './control-plane';
import { startControlPlane } from './control-plane';

const RBAC = 'rbac.authorization.k8s.io';
const OPERATORS = 'oidc:slipway-operators';
const ADA = { user: 'oidc:ada', groups: [OPERATORS] };
const objects = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } }];
const spec = { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] };
const web = { ...KINDS.application, metadata: { name: 'web', namespace: 'default' }, spec };

describe('sign-in mode oidc on a real control plane of its own', () => {
  let plane: ControlPlane;
  let admin: RemoteCluster;
  let ofServer: RemoteCluster;
  /** The cluster by the credentials of the server. */
  let asServer: Cluster;
  let provider: OidcProvider;
  let server: ServerProcess;

  beforeAll(async () => {
    plane = await startControlPlane();
    admin = openCluster(plane.kubeconfig);
    const deps = { cluster: admin, clock: realClock, log: silentLog };
    for (const file of ['people', 'server', 'oidc/constrained'])
      await installMissing(await readManifests(`deploy/rbac/${file}.yaml`), deps);
    await installMissing([...(await readManifests('deploy/crds')), ...(await readManifests('deploy'))], deps);
    // Far more than the console writes for anybody.
    const [roleRef, subjects] = [
      { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
      [{ apiGroup: RBAC, kind: 'Group', name: OPERATORS }],
    ];
    await admin.create({ apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'operators' }, roleRef, subjects });
    const kubeconfig = path.join(path.dirname(plane.kubeconfig), 'slipway.kubeconfig');
    ofServer = openCluster(kubeconfig);
    asServer = withCaller(ofServer, TEST_AGENT);
    provider = await startOidcProvider('slipway', { secret: 'quiet' });
    const settings = ['--auth', 'oidc', '--oidc-issuer', provider.issuer, '--oidc-client-id', 'slipway'];
    server = await startServerProcess(['--kubeconfig', kubeconfig, ...settings], { SLIPWAY_OIDC_CLIENT_SECRET: 'quiet' });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await provider?.[Symbol.asyncDispose]();
    await ofServer?.[Symbol.asyncDispose]();
    await admin?.[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  const post = (place: string, body: object, cookie = '') =>
    fetch(`${server.origin}/api/v1/${place}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    });
  const cookieOf = (answer: Response) => (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

  it('[issue 10.1] acts as whom the provider names, in the groups that the role names; the others are told', async () => {
    provider.tell({ sub: 'ada', groups: ['slipway-operators', 'everybody'] });
    const begun = await post('session/provider', {});
    const { address } = (await begun.json()) as { readonly address: string };
    const returned = await post('session/provider/return', await provider.visit(address), cookieOf(begun));
    expect(sessionView.parse(await returned.json())).toMatchObject({ mode: 'oidc', ...ADA, leftOut: ['oidc:everybody'] });
    const applied = await post('applications', { manifest: JSON.stringify(web) }, cookieOf(returned));
    expect(applied.status, await applied.text()).toBe(202);
    const { annotations } = (await admin.get({ ...KINDS.application, namespace: 'default', name: 'web' })).metadata;
    expect(annotations).toMatchObject({ [REQUESTED_BY.user]: ADA.user, [REQUESTED_BY.groups]: expect.stringContaining(OPERATORS) });
  });

  it('[issue 10.1] lets whoever has its credentials do as people what the console does for them, and nothing else', async () => {
    const refused = (deed: Promise<unknown>) => deed.then(() => false, isImpersonationRefused);
    const asAda = asServer.as(ADA);
    const role = { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: 'more' }, rules: [] };
    const list = async () => {
      for await (const _page of asAda.list({ apiVersion: 'v1', kind: 'Secret' })) return;
    };
    expect(await refused(list())).toBe(true);
    expect(await refused(asAda.create(role, { dryRun: true }))).toBe(true);
    const at = { ...KINDS.application, namespace: 'default', name: 'web' };
    expect(await refused(asServer.as({ ...ADA, groups: [OPERATORS, 'oidc:everybody'] }).get(at))).toBe(true);
    // The legitimate use.
    expect((await asAda.get(at)).kind).toBe('Application');
  });
});
