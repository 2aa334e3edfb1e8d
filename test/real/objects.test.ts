import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KindsPage, ObjectDetail, ObjectEvents, ObjectTable } from '@/lib/contract/object-rows';
import type { PodsPage } from '@/lib/contract/pod-rows';
import { KINDS } from '@/lib/kube/kinds';
import { readManifests } from '@/server/installation';
import { isAlreadyExists } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { ApiPerson } from '../support/api-person';
import { sentenceOf, signIn } from '../support/api-person';
import { openCluster } from '../support/census';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { until } from '../support/until';

const LIMIT_MS = 60_000;
const WHO = { fieldManager: 'objects-test' } as const;
const SHOP = `slipway-objects-${randomUUID().slice(0, 8)}`;
const RBAC = 'rbac.authorization.k8s.io';
const COULD_READ_EVENTS = { apiVersion: `${RBAC}/v1`, kind: 'Role', namespace: SHOP, name: 'events' } as const;

const deployment = (name: string, fail?: string) => ({
  ...KINDS.deployment,
  metadata: { namespace: SHOP, name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name }, ...(fail ? { annotations: { 'sim.slipway.dev/fail': fail } } : {}) },
      spec: { containers: [{ name: 'main', image: 'registry.example.com/main:1' }] },
    },
  },
});

describe('any object of a real control plane', () => {
  let server: ServerProcess;
  let cluster: RemoteCluster;
  let operator: ApiPerson;

  const read = async <Body>(where: string): Promise<Body> => {
    const answer = await operator.get(where);
    expect([where, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([where, 200, '']);
    return answer.body as Body;
  };

  beforeAll(async () => {
    cluster = openCluster(process.env.KUBECONFIG ?? '');
    for (const object of [{ ...KINDS.namespace, metadata: { name: SHOP } }, ...(await readManifests('deploy/rbac')), deployment('web')]) {
      await cluster.create(object, WHO).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
    server = await startServerProcess(['--kubeconfig', path.join(process.env.SLIPWAY_CLUSTER_DIR ?? '', 'slipway.kubeconfig')]);
    operator = await signIn(server, server.address);
  });

  afterAll(async () => {
    await cluster?.delete({ ...KINDS.namespace, name: SHOP }).catch(() => undefined);
    await cluster?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('[issue 14.1] tells the kinds that the person may list, and names the others', async () => {
    const page = await read<KindsPage>('/api/v1/kinds');
    const names = page.kinds.map(({ group, kind }) => `${group}/${kind}`);
    expect(names).toEqual(expect.arrayContaining(['/Pod', 'apps/Deployment', 'core.oam.dev/Application']));
    expect(names).not.toContain('/Node');
    expect(page.refused.map(({ group, kind }) => `${group}/${kind}`)).toContain('/Node');
    expect(page.incomplete).toBe(false);
  });

  it('[issue 14.1] prints the columns of the API server, and of a definition its own', async () => {
    const table = await read<ObjectTable>(`/api/v1/kinds/apps/deployments/table?ns=${SHOP}`);
    expect(table.columns.filter(({ priority }) => priority === 0).map(({ name }) => name)).toEqual([
      'Name',
      'Ready',
      'Up-to-date',
      'Available',
      'Age',
    ]);
    expect(table.rows).toMatchObject([{ ns: SHOP, name: 'web', deleting: false }]);
    const own = await read<ObjectTable>('/api/v1/kinds/core.oam.dev/Application/table');
    expect(own.columns[0]?.name).toBe('Name');
  });

  it('[issue 14.1] pages through more objects than one answer holds, and looks for a part of a name', async () => {
    const names = Array.from({ length: 120 }, (_, at) => `map-${String(at).padStart(3, '0')}`);
    for (const name of names) await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: SHOP, name } }, WHO);
    const first = await read<ObjectTable>(`/api/v1/kinds/core/configmaps/table?ns=${SHOP}`);
    const second = await read<ObjectTable>(`/api/v1/kinds/core/configmaps/table?ns=${SHOP}&next=${encodeURIComponent(first.next ?? '')}`);
    expect([...first.rows, ...second.rows].map(({ name }) => name).filter((name) => name.startsWith('map-'))).toEqual(names);
    const found = await read<ObjectTable>(`/api/v1/kinds/core/configmaps/table?ns=${SHOP}&q=ap-11`);
    expect(found.rows).toHaveLength(10);
  });

  it('[issue 14.1] tells the owners of a pod of kwok, who set what, and its events with those of what owns it', async () => {
    const pods = await podsOf('web');
    const one = await read<ObjectDetail>(`/api/v1/kinds/core/pods/object?ns=${SHOP}&name=${pods[0]}`);
    expect(one.owners.map(({ kind, depth, state }) => [kind, depth, state])).toEqual([
      ['ReplicaSet', 1, 'there'],
      ['Deployment', 2, 'there'],
    ]);
    expect(one.managers.map(({ manager }) => manager)).toEqual(expect.arrayContaining(['kube-controller-manager']));
    const { owned } = await read<ObjectDetail>(`/api/v1/kinds/apps/deployments/object?ns=${SHOP}&name=web`);
    expect(owned.filter(({ kind }) => kind === 'Pod')).toHaveLength(2);
    const { events } = await read<ObjectEvents>(`/api/v1/kinds/apps/deployments/events?ns=${SHOP}&name=web`);
    expect(events.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['ScalingReplicaSet', 'SuccessfulCreate', 'Scheduled']));
  });

  it('[issue 14.1] tells the pods of a workload with their node and image, and that nobody measures them here', async () => {
    await podsOf('web');
    const page = await read<PodsPage>(`/api/v1/kinds/apps/Deployment/pods?ns=${SHOP}&name=web`);
    expect(page.pods.map(({ phase, node, containers }) => [phase, /kwok|node/.test(node ?? ''), containers[0]?.image])).toEqual(
      Array.from({ length: 2 }, () => ['Running', true, 'registry.example.com/main:1']),
    );
    expect(page.unmeasured).toMatch(/does not serve metrics.k8s.io/);
  });

  it('[issue 14.1] restarts, scales and deletes as the person, exactly what was shown', async () => {
    await cluster.create(deployment('acted'), WHO);
    await podsOf('acted');
    const { metadata } = await cluster.get({ ...KINDS.deployment, namespace: SHOP, name: 'acted' });
    const target = { ...KINDS.deployment, ns: SHOP, name: 'acted', uid: metadata.uid ?? '' };
    const act = async (body: object): Promise<unknown> => {
      const preview = await operator.post('/api/v1/objects/actions', { ...body, dryRun: true });
      expect(preview).toMatchObject({ status: 202, body: { allowed: 1, rows: [{ refused: null }] } });
      return (await operator.post('/api/v1/objects/actions', { ...body, plan: (preview.body as { plan: string }).plan })).body;
    };
    expect(await act({ verb: 'restart', targets: [target] })).toEqual({ done: 1, failed: [] });
    expect(await act({ verb: 'scale', replicas: 3, targets: [target] })).toEqual({ done: 1, failed: [] });
    const live = await cluster.get({ ...KINDS.deployment, namespace: SHOP, name: 'acted' });
    expect(live.spec).toMatchObject({
      replicas: 3,
      template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': expect.any(String) } } },
    });
    expect(live.metadata.managedFields).toEqual(expect.arrayContaining([expect.objectContaining({ manager: 'slipway.dev/console' })]));
    // What goes with it is otherwise each time one of its pods starts or ends: who is told so looks again, until the roll-out is over.
    await until('it is deleted as it was shown', async () => {
      const answer = (await act({ verb: 'delete', targets: [target] })) as { error?: { code: string } };
      if (answer.error?.code === 'conflict') return false;
      expect(answer).toEqual({ done: 1, failed: [] });
      return true;
    });
    expect((await operator.get(`/api/v1/kinds/apps/Deployment/object?ns=${SHOP}&name=acted`)).status).toBe(404);
  });

  it('[design 8] what the person may not read is refused with the right that is missing', async () => {
    const nodes = await operator.get('/api/v1/kinds/core/nodes/table');
    expect([nodes.status, sentenceOf(nodes)]).toEqual([403, expect.stringContaining('"list" on nodes (cluster-scoped)')]);
    const secret = await operator.get(`/api/v1/kinds/core/Secret/object?ns=${SHOP}&name=none`);
    expect([secret.status, sentenceOf(secret)]).toEqual([403, expect.stringContaining('"get" on secrets none')]);
    expect((await operator.get('/api/v1/kinds/nowhere.dev/things/table')).status).toBe(404);
  });

  it('[issue 14.1] events are told as they happen, and the stream ends within five seconds when the right to read them goes', async () => {
    await cluster.create(deployment('slow'), WHO);
    await podsOf('slow');
    await withholdEvents();
    try {
      const answer = await fetch(`${server.origin}/api/v1/kinds/apps/deployments/events?ns=${SHOP}&name=slow&watch`, {
        headers: { cookie: operator.cookie },
      });
      expect(answer.status).toBe(200);
      const heard = listen(answer);
      await until('the first events are told', () => heard.text().includes('ScalingReplicaSet'), LIMIT_MS);
      await cluster.patch({ ...KINDS.deployment, namespace: SHOP, name: 'slow' }, { type: 'merge', body: { spec: { replicas: 3 } } }, WHO);
      await until('the third pod is told', () => /from 2 to 3/.test(heard.text()), LIMIT_MS);
      const began = performance.now();
      await cluster.delete({ ...COULD_READ_EVENTS, kind: 'RoleBinding' });
      await until('the stream ends', () => heard.isOver(), LIMIT_MS);
      expect(heard.text()).toMatch(/event: end\ndata: .*list\\" on events/);
      expect(performance.now() - began).toBeLessThan(5500);
    } finally {
      await giveEventsBack();
    }
  });

  async function podsOf(name: string): Promise<readonly string[]> {
    let names: readonly string[] = [];
    await until(
      `the pods of ${name} run`,
      async () => {
        const table = await read<ObjectTable>(`/api/v1/kinds/core/pods/table?ns=${SHOP}&labels=app%3D${name}`);
        names = table.rows.map((row) => row.name);
        return table.rows.length === 2 && table.rows.every(({ cells }) => cells.includes('Running'));
      },
      LIMIT_MS,
    );
    return names;
  }

  /** Leaves operators the right to events in one namespace alone, by a binding of its own. */
  async function withholdEvents(): Promise<void> {
    await changeViewerRole((resources) => resources.filter((resource) => resource !== 'events'));
    const { apiVersion, name, namespace } = COULD_READ_EVENTS;
    await cluster.create({
      apiVersion,
      kind: 'Role',
      metadata: { name, namespace },
      rules: [{ apiGroups: [''], resources: ['events'], verbs: ['get', 'list', 'watch'] }],
    });
    const subjects = [{ apiGroup: RBAC, kind: 'Group', name: 'slipway:operators' }];
    await cluster.create({
      apiVersion,
      kind: 'RoleBinding',
      metadata: { name, namespace },
      roleRef: { apiGroup: RBAC, kind: 'Role', name },
      subjects,
    });
    await until(
      'only the binding gives the right',
      async () => {
        const [here, there] = await Promise.all([SHOP, 'default'].map((ns) => operator.get(`/api/v1/kinds/core/events/table?ns=${ns}`)));
        return here?.status === 200 && there?.status === 403;
      },
      LIMIT_MS,
    );
  }

  const giveEventsBack = () => changeViewerRole((resources) => [...new Set([...resources, 'events'])]);

  async function changeViewerRole(change: (resources: readonly string[]) => readonly string[]): Promise<void> {
    const role = await cluster.get({ apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', name: 'slipway:viewer' });
    const rules = (role.rules as { apiGroups: string[]; resources: string[] }[]).map((rule) =>
      rule.apiGroups.includes('') ? { ...rule, resources: change(rule.resources) } : rule,
    );
    await cluster.update({ ...role, rules }, WHO);
  }
});

/** Everything that a stream says, as it says it. */
function listen(answer: Response): { readonly text: () => string; readonly isOver: () => boolean } {
  const heard = { text: '', over: false };
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) heard.text += decoder.decode(chunk as Uint8Array, { stream: true });
  };
  void read()
    .catch(() => undefined) // however it ends, it is over
    .finally(() => {
      heard.over = true;
    });
  return { text: () => heard.text, isOver: () => heard.over };
}
