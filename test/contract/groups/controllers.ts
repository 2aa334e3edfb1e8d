import { getCondition, readConditions } from '@/lib/kube/condition';
import { readField, readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { DEPLOYMENT, deployment, ENDPOINT_SLICE, HORIZONTAL_POD_AUTOSCALER, POD, REPLICA_SET, SERVICE } from '../objects';
import type { ContractCase, Scene } from '../scene';

const REVISION = 'deployment.kubernetes.io/revision';

const isComplete = (object: KubeObject, replicas: number) =>
  readNumber(object, 'status', 'observedGeneration') === object.metadata.generation &&
  (readNumber(object, 'status', 'availableReplicas') ?? 0) === replicas &&
  (readNumber(object, 'status', 'updatedReplicas') ?? 0) === replicas &&
  (readNumber(object, 'status', 'replicas') ?? 0) === replicas;

async function untilComplete({ until, read }: Scene, name: string, replicas: number): Promise<void> {
  await until(`${name} is complete`, async () => isComplete(await read(DEPLOYMENT, name), replicas));
}

const templateHash = (object: KubeObject) => object.metadata.labels?.['pod-template-hash'] ?? '';
const hide = (text: unknown, hash: string) => (typeof text === 'string' && hash !== '' ? text.replaceAll(hash, '<hash>') : text);
const conditionsOf = (object: KubeObject, hash = '') =>
  readConditions(object)
    .map(({ type, status, reason, message }) => [type, status, reason ?? null, hide(message, hash) ?? null])
    .sort();

/** Replica sets by revision: what they are asked for and have. */
async function revisions({ all }: Scene): Promise<unknown> {
  const sets = await all(REPLICA_SET);
  return sets
    .map((set) => [
      Number(set.metadata.annotations?.[REVISION]),
      readNumber(set, 'spec', 'replicas'),
      readString(set, 'spec', 'template', 'spec', 'containers', 0, 'image'),
    ])
    .sort();
}

const merge = ({ cluster, ns }: Scene, name: string, body: object) =>
  cluster.patch({ ...DEPLOYMENT, namespace: ns, name }, { type: 'strategic', body });
const withImage = (image: string) => ({ spec: { template: { spec: { containers: [{ name: 'main', image }] } } } });

export const controllers: readonly ContractCase[] = [
  {
    title: '[cluster K] a deployment makes a replica set, that makes pods, and each says whose it is',
    async play(scene) {
      const { cluster, ns, note, read, all } = scene;
      await cluster.create(
        deployment(ns, 'web', {
          replicas: 2,
          template: {
            metadata: { labels: { app: 'web', tier: 'x' }, annotations: { note: 'y' } },
            spec: { containers: [{ name: 'main', image: 'web:1' }] },
          },
        }),
      );
      await untilComplete(scene, 'web', 2);
      const whole = await read(DEPLOYMENT, 'web');
      const [set] = await all(REPLICA_SET);
      if (set === undefined) throw new Error('no replica set');
      const hash = templateHash(set);
      const { conditions: _conditions, ...status } = readFields(whole, 'status');
      await note('deployment', [status, conditionsOf(whole, hash), whole.metadata.annotations]);
      await note('replica set', [
        hide(set.metadata.name, hash),
        JSON.parse(String(hide(JSON.stringify([set.metadata.labels, set.spec]), hash))),
        set.metadata.annotations,
        set.metadata.ownerReferences?.map(({ uid: _uid, ...owner }) => owner),
        set.status,
      ]);
      const pods = await all(POD);
      await note(
        'pods',
        pods.map((pod) => [
          JSON.parse(
            String(
              hide(
                JSON.stringify([
                  pod.metadata.generateName,
                  pod.metadata.labels,
                  pod.metadata.ownerReferences?.map(({ uid: _uid, ...owner }) => owner),
                ]),
                hash,
              ),
            ),
          ),
          pod.metadata.annotations ?? null,
          readString(pod, 'status', 'phase'),
          readConditions(pod)
            .map(({ type, status: value }) => `${type} ${value}`)
            .sort(),
          readList(pod, 'status', 'containerStatuses').map((container) => [
            readField(container, 'name'),
            readField(container, 'ready'),
            readField(container, 'restartCount'),
          ]),
        ]),
      );
    },
  },
  {
    title: '[cluster K] a new template is a new revision, the old one is kept at zero',
    async play(scene) {
      const { cluster, ns, note, read } = scene;
      await cluster.create(deployment(ns, 'web'));
      await untilComplete(scene, 'web', 2);
      await merge(scene, 'web', withImage('web:2'));
      await untilComplete(scene, 'web', 2);
      await note('revisions', revisions(scene));
      const whole = await read(DEPLOYMENT, 'web');
      await note('deployment', [
        whole.metadata.generation,
        whole.metadata.annotations?.[REVISION],
        readConditions(whole)
          .map(({ type, status, reason }) => [type, status, reason])
          .sort(),
      ]);
      await merge(scene, 'web', withImage('web:1'));
      await untilComplete(scene, 'web', 2);
      await note('back again', revisions(scene));
      await merge(scene, 'web', { spec: { template: { metadata: { labels: { x: '1' } } } } });
      await untilComplete(scene, 'web', 2);
      await note('a third', revisions(scene));
    },
  },
  {
    title: '[cluster K] while it rolls, no more and no fewer pods than it may',
    async play(scene) {
      const { cluster, ns, note, until, read } = scene;
      await cluster.create(deployment(ns, 'web', { replicas: 4, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }));
      await untilComplete(scene, 'web', 4);
      // A revision that no node takes: it must stop where its bounds stop it.
      await merge(scene, 'web', { spec: { template: { spec: { nodeSelector: { no: 'where' } } } } });
      const stuck = (object: KubeObject) =>
        readNumber(object, 'status', 'observedGeneration') === object.metadata.generation &&
        readNumber(object, 'status', 'updatedReplicas') === 2 &&
        readNumber(object, 'status', 'replicas') === 5 &&
        readNumber(object, 'status', 'availableReplicas') === 3;
      await until('it is stuck', async () => stuck(await read(DEPLOYMENT, 'web')));
      // How long the pods taken away still terminate is up to their nodes.
      const { conditions: _conditions, terminatingReplicas: _terminating, ...status } = readFields(await read(DEPLOYMENT, 'web'), 'status');
      await note('status', status);
      await note('available', readField(getCondition(await read(DEPLOYMENT, 'web'), 'Available'), 'reason'));
      await note('revisions', revisions(scene));
      await merge(scene, 'web', { spec: { template: { spec: { nodeSelector: null } } } });
      await untilComplete(scene, 'web', 4);
      await note('undone', revisions(scene));
    },
  },
  {
    title: '[cluster K] recreate takes all away before it makes new ones',
    async play(scene) {
      const { cluster, ns, note, until, read, all } = scene;
      await cluster.create(deployment(ns, 'web', { strategy: { type: 'Recreate' } }));
      await untilComplete(scene, 'web', 2);
      await merge(scene, 'web', { spec: { template: { spec: { nodeSelector: { no: 'where' } } } } });
      const waits = (object: KubeObject) =>
        readNumber(object, 'status', 'observedGeneration') === object.metadata.generation &&
        readNumber(object, 'status', 'updatedReplicas') === 2 &&
        readNumber(object, 'status', 'unavailableReplicas') === 2;
      await until('the new ones wait', async () => waits(await read(DEPLOYMENT, 'web')) && (await all(POD)).length === 2);
      await note('revisions', revisions(scene));
      await note('available', readField(getCondition(await read(DEPLOYMENT, 'web'), 'Available'), 'status'));
    },
  },
  {
    title: '[cluster K] paused, it scales but does not roll; its progress is not judged',
    async play(scene) {
      const { cluster, ns, note, until, read } = scene;
      await cluster.create(deployment(ns, 'web'));
      await untilComplete(scene, 'web', 2);
      await merge(scene, 'web', { spec: { paused: true } });
      await until(
        'it knows',
        async () => readField(getCondition(await read(DEPLOYMENT, 'web'), 'Progressing'), 'reason') === 'DeploymentPaused',
      );
      await note(
        'condition',
        readConditions(await read(DEPLOYMENT, 'web'))
          .filter(({ type }) => type === 'Progressing')
          .map(({ status, reason, message }) => [status, reason, message]),
      );
      await merge(scene, 'web', withImage('web:2'));
      await merge(scene, 'web', { spec: { replicas: 3 } });
      await until('it has scaled', async () => readNumber(await read(DEPLOYMENT, 'web'), 'status', 'availableReplicas') === 3);
      await note('revisions', revisions(scene));
      await merge(scene, 'web', { spec: { paused: false } });
      await untilComplete(scene, 'web', 3);
      await note('resumed', revisions(scene));
    },
  },
  {
    title: '[cluster K] history beyond its limit is cleared away',
    async play(scene) {
      const { cluster, ns, note, until, all } = scene;
      await cluster.create(deployment(ns, 'web', { replicas: 1, revisionHistoryLimit: 1 }));
      await untilComplete(scene, 'web', 1);
      for (const image of ['web:2', 'web:3', 'web:4']) {
        await merge(scene, 'web', withImage(image));
        await untilComplete(scene, 'web', 1);
      }
      await until('two are left', async () => (await all(REPLICA_SET)).length === 2);
      await note('revisions', revisions(scene));
    },
  },
  {
    title: '[cluster K] a deployment that does not progress in time says so',
    async play(scene) {
      const { cluster, ns, note, until, read, all } = scene;
      const template = {
        metadata: { labels: { app: 'web' } },
        spec: { nodeSelector: { no: 'where' }, containers: [{ name: 'main', image: 'web:1' }] },
      };
      await cluster.create(deployment(ns, 'web', { progressDeadlineSeconds: 2, template }));
      await until(
        'its time is up',
        async () => readField(getCondition(await read(DEPLOYMENT, 'web'), 'Progressing'), 'status') === 'False',
      );
      await until('the scheduler has tried each pod', async () => {
        const waiting = await all(POD);
        return waiting.length === 2 && waiting.every((pod) => getCondition(pod, 'PodScheduled') !== undefined);
      });
      const [set] = await all(REPLICA_SET);
      await note('conditions', conditionsOf(await read(DEPLOYMENT, 'web'), set === undefined ? '' : templateHash(set)));
      const pods = await all(POD);
      await note(
        'pods',
        pods.map((pod) => [
          readString(pod, 'status', 'phase'),
          readConditions(pod).map(({ type, status, reason }) => [type, status, reason]),
        ]),
      );
    },
  },
  {
    title: '[cluster K] a replica set replaces what is deleted, adopts what fits and lets go of what does not',
    async play(scene) {
      const { cluster, ns, note, until, all, read } = scene;
      const labels = { app: 'set' };
      const spec = { containers: [{ name: 'main', image: 'web:1' }] };
      await cluster.create({ ...SERVICE, metadata: { namespace: ns, name: 'set' }, spec: { selector: labels, ports: [{ port: 80 }] } });
      await cluster.create({ ...POD, metadata: { namespace: ns, name: 'foundling', labels }, spec });
      // A replica set that comes before its controller knows of the foundling makes two pods, and may take the foundling away as the one too many.
      await until('the controllers know the foundling', async () =>
        (await all(ENDPOINT_SLICE))
          .flatMap((slice) => readList(slice, 'endpoints'))
          .some(
            (endpoint) => readField(endpoint, 'targetRef', 'name') === 'foundling' && readField(endpoint, 'conditions', 'ready') === true,
          ),
      );
      await cluster.create({
        ...REPLICA_SET,
        metadata: { namespace: ns, name: 'set' },
        spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      });
      const ready = async (count: number) =>
        readNumber(await read(REPLICA_SET, 'set'), 'status', 'availableReplicas') === count && (await all(POD, 'app=set')).length === count;
      await until('two are ready', () => ready(2));
      const ownerOf = async (name: string) =>
        (await read(POD, name)).metadata.ownerReferences?.map(({ uid: _uid, ...owner }) => owner) ?? null;
      await note('adopted', ownerOf('foundling'));
      await note('status', (await read(REPLICA_SET, 'set')).status);
      await cluster.patch({ ...POD, namespace: ns, name: 'foundling' }, { type: 'merge', body: { metadata: { labels: { app: 'free' } } } });
      await until('it is let go', async () => (await ownerOf('foundling')) === null);
      await until('two are ready again', () => ready(2));
      const [victim] = await all(POD, 'app=set');
      await cluster.delete({ ...POD, namespace: ns, name: victim?.metadata.name ?? '' });
      await until(
        'it is replaced',
        async () => (await ready(2)) && (await all(POD, 'app=set')).every((pod) => pod.metadata.uid !== victim?.metadata.uid),
      );
      await note('pods', (await all(POD)).map((pod) => [pod.metadata.labels, pod.metadata.ownerReferences?.length ?? 0]).sort());
    },
  },
  {
    title: '[cluster K] a service finds the ready pods of its selector',
    async play(scene) {
      const { cluster, ns, note, until, all } = scene;
      const template = {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'web:1', ports: [{ name: 'http', containerPort: 8080 }] }] },
      };
      await cluster.create({
        ...SERVICE,
        metadata: { namespace: ns, name: 'web', labels: { of: 'us' } },
        spec: { selector: { app: 'web' }, ports: [{ name: 'web', port: 80, targetPort: 'http' }] },
      });
      await cluster.create(deployment(ns, 'web', { replicas: 2, template }));
      await untilComplete(scene, 'web', 2);
      const endpoints = async () =>
        (await all(ENDPOINT_SLICE, 'kubernetes.io/service-name=web')).flatMap((slice) => readList(slice, 'endpoints'));
      const readyCount = async () => (await endpoints()).filter((endpoint) => readField(endpoint, 'conditions', 'ready') === true).length;
      await until('both are found', async () => (await readyCount()) === 2);
      const slices = await all(ENDPOINT_SLICE, 'kubernetes.io/service-name=web');
      await note(
        'slices',
        slices.map((slice) => [
          slice.metadata.generateName,
          slice.metadata.labels,
          slice.metadata.ownerReferences?.map(({ uid: _uid, ...owner }) => owner),
          slice.addressType,
          slice.ports,
          readList(slice, 'endpoints').map((endpoint) => [
            readField(endpoint, 'conditions'),
            readList(endpoint, 'addresses').length,
            readField(endpoint, 'targetRef', 'kind'),
            typeof readField(endpoint, 'nodeName'),
          ]),
        ]),
      );
      await merge(scene, 'web', { spec: { replicas: 0 } });
      await until('none is left', async () => (await endpoints()).length === 0);
      await note(
        'empty',
        (await all(ENDPOINT_SLICE, 'kubernetes.io/service-name=web')).map((slice) => [
          readField(slice, 'endpoints') ?? null,
          readField(slice, 'ports') ?? null,
        ]),
      );
      await cluster.delete({ ...SERVICE, namespace: ns, name: 'web' });
      await until('the slice goes too', async () => (await all(ENDPOINT_SLICE)).length === 0);
    },
  },
  {
    title: '[cluster K] autoscalers without metrics hold their bounds, and sleep while their workload has no replicas',
    async play(scene) {
      const { cluster, ns, note, until, read } = scene;
      const autoscaled = async (name: string, replicas: number, minReplicas: number, maxReplicas: number) => {
        await cluster.create(deployment(ns, name, { replicas }));
        const spec = { minReplicas, maxReplicas, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } };
        const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }];
        await cluster.create({ ...HORIZONTAL_POD_AUTOSCALER, metadata: { namespace: ns, name }, spec: { ...spec, metrics } });
      };
      await autoscaled('few', 1, 3, 5);
      await autoscaled('many', 4, 1, 2);
      await autoscaled('none', 0, 1, 2);
      await autoscaled('fitting', 2, 1, 4);
      const reasonOf = async (name: string, type: string) =>
        readField(getCondition(await read(HORIZONTAL_POD_AUTOSCALER, name), type), 'reason');
      const state = async (name: string) => {
        const autoscaler = await read(HORIZONTAL_POD_AUTOSCALER, name);
        const { conditions: _conditions, lastScaleTime: _when, ...counts } = readFields(autoscaler, 'status');
        return [counts, conditionsOf(autoscaler), readNumber(await read(DEPLOYMENT, name), 'spec', 'replicas')];
      };
      // Each is looked at once: what a second look says of the first two is said of the last.
      await until('too few are raised', async () => (await reasonOf('few', 'AbleToScale')) === 'SucceededRescale');
      await note('too few', state('few'));
      await until('too many are lowered', async () => (await reasonOf('many', 'AbleToScale')) === 'SucceededRescale');
      await note('too many', state('many'));
      await until('none is found', async () => (await reasonOf('none', 'ScalingActive')) !== undefined);
      await note('none', state('none'));
      await until('metrics are missed', async () => (await reasonOf('fitting', 'ScalingActive')) !== undefined);
      await note('fitting', state('fitting'));
      const at = { ...HORIZONTAL_POD_AUTOSCALER, namespace: ns, name: 'none' };
      await note('from zero', cluster.patch(at, { type: 'merge', body: { spec: { minReplicas: 0 } } }));
      await note('less than it begins with', cluster.patch(at, { type: 'merge', body: { spec: { minReplicas: 3 } } }));
    },
  },
];
