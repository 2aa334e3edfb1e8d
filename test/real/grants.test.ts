import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { grantObjects } from '@/lib/contract/grant';
import { getCondition } from '@/lib/kube/condition';
import { readFields, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { installMissing, readManifests } from '@/server/installation';
import type { Cluster } from '@/server/kube';
import { isForbidden, isImpersonationRefused, isNotFound, withCaller } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { realClock } from '@/server/platform';
import { openCluster } from '../support/census';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { TEST_AGENT } from '../support/server-rights/uses';
import { silentLog } from '../support/silent-log';
import { until } from '../support/until';
import type { ControlPlane } from './control-plane';
import { startControlPlane } from './control-plane';

const NS = 'shop';
const NOTICED_MS = 60_000;
const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', namespace: NS, name: 'settings' } as const;
const SECRET = { apiVersion: 'v1', kind: 'Secret', namespace: NS, name: 'key' } as const;
const WEB = { ...KINDS.application, namespace: NS, name: 'web' } as const;
const objects = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: { key: 'unlocked' } },
];
const application: KubeObject = {
  ...KINDS.application,
  metadata: { name: 'web', namespace: NS },
  spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] },
};

const gone = (found: Promise<KubeObject>) => found.then(() => false, isNotFound);

describe('a server with its own role, on a real control plane of its own', () => {
  let plane: ControlPlane;
  let admin: RemoteCluster;
  let ofServer: RemoteCluster;
  /** The cluster by the credentials of the server; what is tried with them here counts as no use that the server makes. */
  let asServer: Cluster;
  let server: ServerProcess;
  const applied = async () => getCondition(await admin.get(WEB), 'Applied');

  beforeAll(async () => {
    plane = await startControlPlane();
    admin = openCluster(plane.kubeconfig);
    const deps = { cluster: admin, clock: realClock, log: silentLog };
    await installMissing([...(await readManifests('deploy/rbac/people.yaml')), ...(await readManifests('deploy/rbac/server.yaml'))], deps);
    await installMissing([...(await readManifests('deploy/crds')), ...(await readManifests('deploy'))], deps);
    await admin.create({ ...KINDS.namespace, metadata: { name: NS } });
    const kubeconfig = path.join(path.dirname(plane.kubeconfig), 'slipway.kubeconfig');
    ofServer = openCluster(kubeconfig);
    asServer = withCaller(ofServer, TEST_AGENT);
    server = await startServerProcess(['--kubeconfig', kubeconfig, '--auth', 'token']);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await ofServer?.[Symbol.asyncDispose]();
    await admin?.[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  /** What the doctor finds, asked as somebody who signs in with a token of the cluster. */
  async function findings(): Promise<readonly { readonly area: string; readonly subject: string; readonly remedy: string | null }[]> {
    const kubeconfig = parse(await readFile(path.join(path.dirname(plane.kubeconfig), 'ann.kubeconfig'), 'utf8')) as {
      readonly users: readonly { readonly user: { readonly token: string } }[];
    };
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ token: kubeconfig.users[0]?.user.token });
    const begun = await fetch(`${server.origin}/api/v1/session`, { method: 'POST', headers, body });
    const cookie = (begun.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const answer = (await (await fetch(`${server.origin}/api/v1/doctor`, { headers: { cookie } })).json()) as { readonly findings: never };
    return answer.findings;
  }

  it('[issue 10.1] leads, lacks nothing of its role, and waits with an application until its namespace is granted; then applies it and puts back its Secret', async () => {
    await until('the doctor finds nothing', async () => (await findings()).length === 0, NOTICED_MS);
    await admin.create(application);
    await until('the application waits', async () => (await applied())?.reason === 'NotGranted', NOTICED_MS);
    const command = `slipway grant ${NS} | kubectl apply -f -`;
    expect((await applied())?.message).toBe(
      `the server may not create, patch configmaps, secrets in namespace ${NS} until its owner grants it: ${command}`,
    );
    expect(await gone(admin.get(CONFIG))).toBe(true);
    expect(await findings()).toMatchObject([{ area: 'rights', subject: NS, remedy: command }]);
    const events: string[] = [];
    for await (const { items } of admin.list({ apiVersion: 'v1', kind: 'Event', namespace: NS }))
      events.push(...items.map((event) => String(event.reason)));
    expect(events.sort(), 'what the application waits for, and who reads its values meanwhile').toEqual(['InlineValues', 'NotGranted']);

    for (const object of grantObjects(NS)) await admin.create(object);
    const runs = async () => readString(await admin.get(WEB), 'status', 'status') === 'running';
    await until('the application runs', runs, NOTICED_MS);
    expect(await findings()).toEqual([]);
    await admin.patch(SECRET, { type: 'merge', body: { data: { key: 'Zm9yZ2Vk' } } });
    await until('it is put back', async () => readString(await admin.get(SECRET), 'data', 'key') === 'dW5sb2NrZWQ=', NOTICED_MS);
    await admin.delete(WEB);
    await until('all of it is gone', async () => (await gone(admin.get(WEB))) && gone(admin.get(SECRET)), NOTICED_MS);
  });

  it('[issue 10.1] requires the right to give any rights of somebody who has a role made, since it may not act as them to try', async () => {
    const [apiGroup, ann] = ['rbac.authorization.k8s.io', { user: 'ann', groups: ['slipway:operators'] }];
    const rules = [{ apiGroups: [apiGroup], resources: ['roles'], verbs: ['get', 'create', 'patch'] }];
    await admin.create({ apiVersion: `${apiGroup}/v1`, kind: 'Role', metadata: { name: 'roles', namespace: NS }, rules } as KubeObject);
    const [roleRef, subjects] = [{ apiGroup, kind: 'Role', name: 'roles' }, [{ apiGroup, kind: 'User', name: ann.user }]];
    await admin.create({
      apiVersion: `${apiGroup}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'roles', namespace: NS },
      roleRef,
      subjects,
    } as KubeObject);
    const given = {
      apiVersion: `${apiGroup}/v1`,
      kind: 'Role',
      metadata: { name: 'given' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    };
    const spec = { components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [given] } }] };
    const at = { ...KINDS.application, namespace: NS, name: 'giving' };
    await admin.as(ann).create({ ...KINDS.application, metadata: { name: at.name, namespace: NS }, spec });
    const told = async () => getCondition(await admin.get(at), 'Applied')?.message ?? '';
    await until('it is told', async () => (await told()).includes('may not impersonate them to find out'), NOTICED_MS);
    expect(await told()).toContain('so it requires the right "escalate" on roles.rbac.authorization.k8s.io in namespace shop');
    await admin.delete(at);
    await until('it is gone', () => gone(admin.get(at)), NOTICED_MS);
  });

  it('[issue 10] has an answered decision go by its own role, an hour after its answer and no sooner', async () => {
    const ann = { user: 'ann', groups: ['slipway:operators'] };
    const made = await admin.as(ann).create({
      ...KINDS.stageDecision,
      metadata: { name: 'late', namespace: NS },
      spec: { rolloutRef: { name: 'none', uid: 'none' }, verb: 'pause', revision: 'none-v1', actor: ann },
    });
    const at = toAddress(made);
    await until('it is answered', async () => readString(await admin.get(at), 'status', 'phase') === 'Rejected', NOTICED_MS);
    expect(readString(await admin.get(at), 'status', 'message')).toBe(`there is no rollout ${NS}/none`);
    // Its hour is long over.
    const answered = await admin.get(at);
    await admin.update(
      { ...answered, status: { ...readFields(answered, 'status'), at: '2026-01-01T00:00:00Z' } },
      { subresource: 'status' },
    );
    const young = await admin.as(ann).create({
      ...KINDS.stageDecision,
      metadata: { name: 'young', namespace: NS },
      spec: { rolloutRef: { name: 'none', uid: 'none' }, verb: 'pause', revision: 'none-v1', actor: ann },
    });
    await until('it is gone', () => gone(admin.get(at)), NOTICED_MS);
    expect(readString(await admin.get(toAddress(young)), 'status', 'phase')).toBe('Rejected');
  });

  it('[issue 10.1] gives whoever has its credentials no Secret and no workload elsewhere, no identity of somebody else, no Lease of the cluster', async () => {
    const refused = (deed: Promise<unknown>) => deed.then(() => false, isForbidden);
    const read = async (cluster: Cluster, namespace?: string) => {
      for await (const _page of cluster.list({ apiVersion: 'v1', kind: 'Secret', ...(namespace ? { namespace } : {}) })) return;
    };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'in', namespace: 'kube-system' },
      spec: { containers: [{ name: 'in', image: 'in' }] },
    };
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'kube-scheduler', namespace: 'kube-system' },
      spec: {},
    };
    expect(await refused(read(asServer))).toBe(true);
    expect(await refused(read(asServer, 'kube-system'))).toBe(true);
    expect(await refused(asServer.create(pod, { dryRun: true }))).toBe(true);
    expect(await refused(asServer.create(lease, { dryRun: true }))).toBe(true);
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
    const actAs = (user: string) => asServer.as({ user, groups: [] }).create(review);
    for (const user of ['admin', 'operator', 'system:serviceaccount:kube-system:default']) {
      expect(await refused(actAs(user)), user).toBe(true);
      expect(await actAs(user).catch(isImpersonationRefused), user).toBe(true);
    }
    // The legitimate use: what was granted, the account of charts there, and its own namespace.
    await read(asServer, NS);
    expect(readString(await actAs(`system:serviceaccount:${NS}:slipway-charts`), 'status', 'userInfo', 'username')).toBe(
      `system:serviceaccount:${NS}:slipway-charts`,
    );
  });
});
