import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import type { KubeObject } from '@/lib/kube/object';
import type { CommandDeps } from '@/server/commands/command-deps';
import { readPods } from '@/server/commands/objects/read-pods';
import { readOwned } from '@/server/commands/objects/related';
import type { ApiResource, Cluster } from '@/server/kube';
import type { ObjectsRig } from './rig';
import { ANN, configMap, createObjectsRig } from './rig';

const METRICS = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  kind: 'PodMetrics',
  plural: 'pods',
  namespaced: true,
  verbs: ['list'],
  shortNames: [],
};
const AT = { of: { group: '', named: 'configmaps' }, ns: 'default', name: 'root' };

const pod = (name: string, status: object, ns = 'default'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: ns, uid: name, creationTimestamp: '2026-11-20T09:00:00Z' },
  spec: {
    nodeName: 'node-1',
    containers: [
      {
        name: 'main',
        image: 'registry.example.com/main:1',
        resources: { requests: { cpu: '250m', memory: '64Mi' }, limits: { memory: '128Mi' } },
      },
    ],
  },
  status: { phase: 'Running', ...status },
});

const CRASHED = pod('crashed', {
  containerStatuses: [
    {
      name: 'main',
      restartCount: 4,
      ready: false,
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s' } },
      lastState: {
        terminated: { exitCode: 137, reason: 'OOMKilled', startedAt: '2026-11-20T09:00:00Z', finishedAt: '2026-11-20T09:05:00Z' },
      },
    },
  ],
});
const WELL = pod('well', {
  containerStatuses: [{ name: 'main', restartCount: 0, ready: true, state: { running: { startedAt: '2026-11-20T09:00:00Z' } } }],
});

describe('the pods of an object', () => {
  let rig: ObjectsRig;

  beforeAll(async () => {
    rig = await createObjectsRig();
    await rig.cluster.create(configMap('root'));
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
  });

  const over = (pods: readonly KubeObject[], cluster: Partial<Cluster> = {}): CommandDeps => {
    const health = (object: KubeObject) => ({
      health: object.metadata.name === 'crashed' ? ('Failed' as const) : ('Current' as const),
      message: '',
    });
    const objects = pods.map((object) => ({ object, depth: 1, health: health(object) }));
    return {
      ...rig.deps,
      cluster: { ...rig.cluster, ...cluster, as: () => ({ ...rig.cluster, ...cluster }) as Cluster },
      objectReader: { ...rig.deps.objectReader, healthOf: health, below: () => ({ objects, more: 0 }) },
    };
  };

  /** A cluster that measures, and answers so. */
  const measuring = (status: number, body: unknown): { readonly cluster: Partial<Cluster>; readonly asked: string[] } => {
    const asked: string[] = [];
    const discovery = {
      ...rig.cluster.discovery,
      all: () => rig.cluster.discovery.all(),
      resolveKind: async (of: { group: string; kind: string }) =>
        of.group === METRICS.group ? (METRICS as unknown as ApiResource) : rig.cluster.discovery.resolveKind(of),
    } as Cluster['discovery'];
    const request: Cluster['request'] = async ({ path }) => {
      asked.push(path);
      return {
        status,
        headers: {},
        body: (async function* () {
          yield Buffer.from(JSON.stringify(body));
        })(),
      };
    };
    return { cluster: { discovery, request }, asked };
  };

  it('[issue 14.1] tell restarts, last exit with its reason, node and image, worst first', async () => {
    const { pods, unmeasured } = await readPods(over([WELL, CRASHED]), ANN, AT);
    expect(pods.map(({ name }) => name)).toEqual(['crashed', 'well']);
    expect(pods[0]).toMatchObject({ node: 'node-1', health: 'Failed' });
    expect(pods[0]?.containers).toMatchObject([
      {
        name: 'main',
        image: 'registry.example.com/main:1',
        phase: 'waiting',
        restarts: 4,
        waits: 'CrashLoopBackOff: back-off 40s',
        exitBefore: { how: 'exit code 137, OOMKilled', at: '2026-11-20T09:05:00Z' },
        requests: { cpu: 0.25, memory: 64 * 2 ** 20 },
        limits: { cpu: null, memory: 128 * 2 ** 20 },
        usage: null,
      },
    ]);
    expect(unmeasured).toMatch(/does not serve metrics.k8s.io/);
  });

  it('[issue 14.1] tell what each container uses, by one list for a namespace, where the cluster measures that', async () => {
    const { cluster, asked } = measuring(200, {
      items: [{ metadata: { namespace: 'default', name: 'well' }, containers: [{ name: 'main', usage: { cpu: '310m', memory: '40Mi' } }] }],
    });
    const { pods, unmeasured } = await readPods(over([WELL, CRASHED], cluster), ANN, AT);
    expect(pods.map(({ containers }) => containers[0]?.usage)).toEqual([null, { cpu: 0.31, memory: 40 * 2 ** 20 }]);
    expect([unmeasured, asked]).toEqual([null, ['/apis/metrics.k8s.io/v1beta1/namespaces/default/pods']]);
  });

  it('[design 8] say why there is no usage where it may not be read, or cannot be', async () => {
    const refused = measuring(403, { kind: 'Status', reason: 'Forbidden', message: 'no' });
    expect((await readPods(over([WELL], refused.cluster), ANN, AT)).unmeasured).toMatch(
      /requires the right "list" on pods of metrics.k8s.io/,
    );
    const broken = measuring(503, {
      kind: 'Status',
      reason: 'ServiceUnavailable',
      message: 'the server is currently unable to handle the request',
    });
    const { pods, unmeasured } = await readPods(over([WELL], broken.cluster), ANN, AT);
    expect([pods.length, unmeasured]).toEqual([1, expect.stringMatching(/could not be read: .*currently unable/)]);
  });

  it('[design 8] are told of the namespaces alone in which all pods may be read: a right to one by its name opens no other', async () => {
    const beside = pod('beside', {}, 'secret-shop');
    const only = { name: 'crashed' };
    // The person holds `get` on all pods in default, and in secret-shop on one of them by name.
    rig.refuse = (act) => {
      if (act.kind === 'view-kind' && act.of.named === 'Pod' && act.ns === 'secret-shop' && act.name !== only.name)
        return new AppError('forbidden', 'no');
      return act.kind === 'view-status' && act.ns === 'secret-shop' && act.name !== only.name ? new AppError('forbidden', 'no') : undefined;
    };
    try {
      const deps = over([WELL, { ...CRASHED, metadata: { ...CRASHED.metadata, namespace: 'secret-shop' } }, beside]);
      const page = await readPods(deps, ANN, AT);
      expect([page.pods.map(({ name }) => name), page.hidden]).toEqual([['well'], ['secret-shop']]);
      const { owned, ownedHidden } = await readOwned(deps, ANN, configMap('root'));
      expect([owned.map(({ name }) => name), ownedHidden]).toEqual([['well'], ['Pod']]);
    } finally {
      rig.refuse = () => undefined;
    }
  });
});
