import { FLUX_KINDS } from '@/lib/kube/flux-kinds';
import type { KubeObject } from '@/lib/kube/object';
import { groupOf, versionOf } from '@/lib/kube/object';

const text = { type: 'string' };
const duration = { type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$' };
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const reference = (...required: readonly string[]) => ({
  type: 'object',
  required: [...required],
  properties: { apiVersion: text, kind: text, name: text, namespace: text },
});
const names = { type: 'array', items: open };
const conditions = {
  type: 'array',
  items: {
    type: 'object',
    required: ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
    properties: {
      lastTransitionTime: text,
      message: text,
      observedGeneration: { type: 'integer' },
      reason: text,
      status: text,
      type: text,
    },
  },
};
const common = { interval: duration, suspend: { type: 'boolean' }, timeout: duration };
const artifact = {
  type: 'object',
  required: ['lastUpdateTime', 'path', 'revision', 'url'],
  properties: { digest: text, lastUpdateTime: text, path: text, revision: text, size: { type: 'integer' }, url: text },
};
const told = { conditions, observedGeneration: { type: 'integer' }, lastHandledReconcileAt: text };

const RELEASE = {
  spec: {
    type: 'object',
    required: ['interval'],
    properties: {
      ...common,
      chart: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { chart: text, version: text, sourceRef: reference('kind', 'name') } } },
      },
      chartRef: reference('kind', 'name'),
      releaseName: text,
      targetNamespace: text,
      storageNamespace: text,
      serviceAccountName: text,
      dependsOn: names,
      driftDetection: open,
      install: open,
      upgrade: open,
      kubeConfig: open,
      values: open,
      valuesFrom: names,
    },
  },
  status: {
    type: 'object',
    properties: {
      ...told,
      lastHandledForceAt: text,
      lastHandledResetAt: text,
      lastAttemptedRevision: text,
      lastAttemptedReleaseAction: text,
      helmChart: text,
      storageNamespace: text,
      failures: { type: 'integer' },
      installFailures: { type: 'integer' },
      upgradeFailures: { type: 'integer' },
      history: names,
    },
  },
};

const sourceOf = (properties: object, required: readonly string[]) => ({
  spec: { type: 'object', required: [...required], properties: { ...common, ...properties } },
  status: { type: 'object', properties: { ...told, artifact, url: text } },
});

const SCHEMAS = {
  'helmrelease-v2': ['helmreleases', RELEASE],
  gitrepository: ['gitrepositories', sourceOf({ url: text, ref: open, secretRef: open }, ['interval', 'url'])],
  helmrepository: ['helmrepositories', sourceOf({ url: text, type: text, secretRef: open }, ['url'])],
  ocirepository: ['ocirepositories', sourceOf({ url: text, ref: open, secretRef: open }, ['interval', 'url'])],
  helmchart: [
    'helmcharts',
    sourceOf({ chart: text, version: text, sourceRef: reference('kind', 'name') }, ['chart', 'interval', 'sourceRef']),
  ],
} as const;

/** Definitions of the kinds of Flux, as its API reference describes what is read of them here. */
export const FLUX_DEFINITIONS: readonly KubeObject[] = Object.entries(SCHEMAS).map(([name, [plural, properties]]) => {
  const { apiVersion, kind } = FLUX_KINDS[name as keyof typeof SCHEMAS]; // the keys are those of the kinds
  const group = groupOf(apiVersion);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope: 'Namespaced',
      versions: [
        {
          name: versionOf(apiVersion),
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties } },
        },
      ],
    },
  };
});

const READY_AT = '2026-11-20T09:00:00Z';

/** A condition as controllers of Flux write it. */
export const fluxCondition = (type: string, status: string, [reason, message]: readonly [string, string]) => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: READY_AT,
  observedGeneration: 1,
});

/** A release of Flux from a chart of a repository, as helm-controller leaves it. */
export function aFluxRelease(name: string, namespace: string, more: { readonly spec?: object; readonly status?: object } = {}): KubeObject {
  return {
    ...FLUX_KINDS['helmrelease-v2'],
    metadata: { name, namespace, uid: `${name}-uid`, generation: 1 },
    spec: {
      interval: '10m',
      chart: { spec: { chart: 'podinfo', version: '6.5.*', sourceRef: { kind: 'HelmRepository', name: 'podinfo' } } },
      install: { remediation: { retries: 3 } },
      driftDetection: { mode: 'enabled' },
      dependsOn: [{ name: 'backend' }],
      values: { replicaCount: 2 },
      valuesFrom: [{ kind: 'Secret', name: 'podinfo-values', valuesKey: 'prod.yaml', optional: true }],
      ...more.spec,
    },
    status: {
      observedGeneration: 1,
      conditions: [
        fluxCondition('Ready', 'True', ['UpgradeSucceeded', 'Helm upgrade succeeded for release shop/podinfo.v2 with chart podinfo@6.5.4']),
        fluxCondition('Released', 'True', [
          'UpgradeSucceeded',
          'Helm upgrade succeeded for release shop/podinfo.v2 with chart podinfo@6.5.4',
        ]),
      ],
      helmChart: `${namespace}/${namespace}-${name}`,
      storageNamespace: namespace,
      lastAttemptedRevision: '6.5.4',
      lastAttemptedReleaseAction: 'upgrade',
      history: [
        {
          ...{
            name,
            namespace,
            version: 2,
            status: 'deployed',
            chartName: 'podinfo',
            chartVersion: '6.5.4',
            appVersion: '6.5.4',
            digest: 'sha256:aa',
          },
          ...{ firstDeployed: '2026-11-19T09:00:00Z', lastDeployed: READY_AT },
          testHooks: { [`${name}-grpc`]: { phase: 'Succeeded' }, [`${name}-jwt`]: { phase: 'Succeeded' } },
        },
        {
          name,
          namespace,
          version: 1,
          status: 'superseded',
          chartName: 'podinfo',
          chartVersion: '6.5.3',
          digest: 'sha256:bb',
          lastDeployed: '2026-11-19T09:00:00Z',
        },
      ],
      ...more.status,
    },
  };
}

const fetched = (revision: string) => ({
  artifact: { revision, digest: 'sha256:cc', lastUpdateTime: READY_AT, path: 'a', url: 'http://source-controller/a' },
  conditions: [fluxCondition('Ready', 'True', ['Succeeded', `stored artifact: revision '${revision}'`])],
  observedGeneration: 1,
});

/** The chart that helm-controller makes of such a release, and the repository that it comes from. */
export function itsSources(name: string, namespace: string): readonly KubeObject[] {
  const metadata = { namespace, generation: 1 };
  return [
    {
      ...FLUX_KINDS.helmchart,
      metadata: { ...metadata, name: `${namespace}-${name}`, uid: `${name}-chart-uid` },
      spec: { interval: '10m', chart: 'podinfo', version: '6.5.*', sourceRef: { kind: 'HelmRepository', name: 'podinfo' } },
      status: fetched('6.5.4'),
    },
    {
      ...FLUX_KINDS.helmrepository,
      metadata: { ...metadata, name: 'podinfo', uid: 'podinfo-repo-uid' },
      spec: { interval: '5m', url: 'https://robot:pw@charts.example.com/podinfo', secretRef: { name: 'robot' } },
      status: fetched('sha256:dd'),
    },
  ];
}
