import { deployment, SERVICE } from '../objects';
import type { ContractCase } from '../scene';

const POD_TEMPLATE = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'main', image: 'web' }] } };
const JOB_TEMPLATE = { spec: { ...POD_TEMPLATE.spec, restartPolicy: 'Never' } };
const SELECTOR = { matchLabels: { app: 'a' } };
const RICH_CONTAINER = {
  name: 'main',
  image: 'registry.example/web:1.2',
  ports: [{ containerPort: 80 }],
  env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
  readinessProbe: { httpGet: { path: '/', port: 80 } },
  livenessProbe: { exec: { command: ['true'] } },
  resources: { limits: { cpu: '1', memory: '0.5Gi' } },
};

/** Manifests at their shortest; what is noted is the spec as the server completes it. */
const MANIFESTS: readonly (readonly [string, string, string, object])[] = [
  ['Deployment', 'apps/v1', 'Deployment', { replicas: 0, selector: SELECTOR, template: POD_TEMPLATE }],
  [
    'Deployment that recreates',
    'apps/v1',
    'Deployment',
    { replicas: 0, selector: SELECTOR, template: POD_TEMPLATE, strategy: { type: 'Recreate' } },
  ],
  [
    'Deployment with probes and volumes',
    'apps/v1',
    'Deployment',
    {
      replicas: 0,
      selector: SELECTOR,
      template: {
        metadata: { labels: { app: 'a' } },
        spec: {
          initContainers: [{ name: 'init', image: 'init:latest' }],
          containers: [RICH_CONTAINER],
          volumes: [
            { name: 'c', configMap: { name: 'c' } },
            { name: 's', secret: { secretName: 's' } },
            { name: 'e', emptyDir: {} },
            { name: 'h', hostPath: { path: '/x' } },
          ],
        },
      },
    },
  ],
  ['ReplicaSet', 'apps/v1', 'ReplicaSet', { replicas: 0, selector: SELECTOR, template: POD_TEMPLATE }],
  ['StatefulSet', 'apps/v1', 'StatefulSet', { replicas: 0, serviceName: 'a', selector: SELECTOR, template: POD_TEMPLATE }],
  [
    'DaemonSet',
    'apps/v1',
    'DaemonSet',
    { selector: SELECTOR, template: { ...POD_TEMPLATE, spec: { ...POD_TEMPLATE.spec, nodeSelector: { no: 'where' } } } },
  ],
  ['Job', 'batch/v1', 'Job', { suspend: true, template: JOB_TEMPLATE }],
  ['CronJob', 'batch/v1', 'CronJob', { suspend: true, schedule: '0 0 1 1 *', jobTemplate: { spec: { template: JOB_TEMPLATE } } }],
  [
    'HorizontalPodAutoscaler',
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, maxReplicas: 3 },
  ],
  [
    'HorizontalPodAutoscaler with behaviour',
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
      minReplicas: 2,
      maxReplicas: 5,
      behavior: { scaleDown: { stabilizationWindowSeconds: 5 } },
    },
  ],
  ['PodDisruptionBudget', 'policy/v1', 'PodDisruptionBudget', { minAvailable: 1, selector: SELECTOR }],
  [
    'PersistentVolumeClaim',
    'v1',
    'PersistentVolumeClaim',
    { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1024Mi' } } },
  ],
  [
    'Ingress',
    'networking.k8s.io/v1',
    'Ingress',
    { rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'a', port: { number: 80 } } } }] } }] },
  ],
  ['NetworkPolicy', 'networking.k8s.io/v1', 'NetworkPolicy', { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] }],
  ['Lease', 'coordination.k8s.io/v1', 'Lease', { holderIdentity: 'a', leaseDurationSeconds: 15 }],
];

const SERVICES: readonly (readonly [string, object])[] = [
  ['plain', { selector: SELECTOR.matchLabels, ports: [{ port: 80 }] }],
  [
    'named target port',
    {
      selector: SELECTOR.matchLabels,
      ports: [
        { name: 'web', port: 80, targetPort: 'http' },
        { name: 'dns', port: 53, protocol: 'UDP' },
      ],
    },
  ],
  ['headless', { clusterIP: 'None', selector: SELECTOR.matchLabels, ports: [{ port: 80 }] }],
  ['external name', { type: 'ExternalName', externalName: 'elsewhere.example' }],
];

export const defaults: readonly ContractCase[] = [
  {
    title: '[cluster W5] the spec as the server completes it',
    async play({ cluster, ns, note }) {
      for (const [title, apiVersion, kind, spec] of MANIFESTS) {
        await note(
          title,
          cluster
            .create({ apiVersion, kind, metadata: { namespace: ns, name: title.toLowerCase().replaceAll(' ', '-') }, spec })
            .then((object) => object.spec),
        );
      }
    },
  },
  {
    title: '[cluster W5] services get an address, a type and protocols',
    async play({ cluster, ns, note }) {
      for (const [title, spec] of SERVICES) {
        await note(
          title,
          cluster
            .create({ ...SERVICE, metadata: { namespace: ns, name: title.replaceAll(' ', '-') }, spec })
            .then((object) => withoutAddress(object.spec)),
        );
      }
    },
  },
  {
    title: '[cluster W5] metadata and status of a new deployment, secret, namespace and pod',
    async play({ cluster, ns, id, note }) {
      await note(
        'deployment',
        cluster.create(deployment(ns, 'a', { replicas: 0, paused: true })).then(({ spec: _spec, ...rest }) => rest),
      );
      await note(
        'secret',
        cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: ns, name: 'a' }, stringData: { x: 'y' } }),
      );
      await note('namespace', cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `n-${id}` } }));
      await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: `n-${id}` });
      const spec = {
        automountServiceAccountToken: false,
        schedulerName: 'nobody',
        containers: [{ name: 'main', image: 'web', resources: { requests: { cpu: '0.1' } } }],
      };
      await note('pod', cluster.create({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: ns, name: 'a' }, spec }));
      const equal = { ...spec, containers: [{ name: 'main', image: 'web:2', resources: { limits: { cpu: '100m', memory: '64Mi' } } }] };
      await note(
        'guaranteed pod',
        cluster.create({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: ns, generateName: 'g-' }, spec: equal }),
      );
    },
  },
];

function withoutAddress(spec: unknown): unknown {
  const { clusterIP, clusterIPs, ...rest } = spec as { clusterIP?: string; clusterIPs?: string[] };
  const shape = (address: string | undefined) =>
    address === undefined || address === 'None' ? (address ?? null) : /^[\d.]+$/.test(address);
  return { ...rest, clusterIP: shape(clusterIP), clusterIPs: clusterIPs?.map(shape) ?? null };
}
