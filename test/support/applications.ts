import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';

interface Storefront {
  readonly name?: string;
  readonly image?: string;
  readonly replicas?: number;
  /** Bounds of an hpa trait, in place of a scaler. */
  readonly hpa?: { readonly min: number; readonly max: number };
  readonly strategy?: 'availability' | 'resourceutil';
  readonly ratio?: number;
  /** After so long a stage is overdue, and its traffic moves on by itself. */
  readonly stageTimeoutMinutes?: number;
  readonly gates?: unknown;
  readonly control?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly configMaps?: readonly string[];
  /** What the config maps say. */
  readonly content?: string;
}

/** An application of one rolled-out web service and, if wanted, some config maps beside it. */
export function aStorefront(wanted: Storefront = {}): KubeObject {
  const {
    name = 'web',
    image = 'registry.example.com/web:1',
    replicas = 4,
    strategy = 'availability',
    ratio = 50,
    configMaps = [],
  } = wanted;
  return {
    ...KINDS.application,
    metadata: { name },
    spec: {
      components: [
        {
          name,
          type: 'webservice',
          properties: { image, ports: [{ port: 8080, expose: true }], ...(wanted.annotations ? { annotations: wanted.annotations } : {}) },
          traits: [wanted.hpa ? { type: 'hpa', properties: wanted.hpa } : { type: 'scaler', properties: { replicas } }],
        },
        ...(configMaps.length > 0
          ? [{ name: 'settings', type: 'k8s-objects', properties: { objects: configMaps.map((one) => aConfigMap(one, wanted.content)) } }]
          : []),
      ],
      policies: [
        {
          name: 'staged',
          type: 'rollout',
          properties: {
            component: name,
            strategy,
            ratio,
            ...timeoutOf(wanted),
            control: { gates: wanted.gates ?? 'none', scaleDownDelaySeconds: 1, ...wanted.control },
          },
        },
      ],
    },
  };
}

const timeoutOf = ({ stageTimeoutMinutes }: Storefront) => (stageTimeoutMinutes === undefined ? {} : { stageTimeoutMinutes });

function aConfigMap(name: string, made = 'for a test'): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { made } };
}

/** Somebody else's controller, as its chart deploys it. */
export function aController(name: string, image: string, replicas = 1): KubeObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'manager', image }] } };
  return { ...KINDS.deployment, metadata: { name, namespace: 'default' }, spec: { replicas, selector: { matchLabels: labels }, template } };
}

const DRIVEN_GROUPS = ['core.oam.dev', 'serving.knative.dev', 'helm.integrations.flux.weave.works', 'helm.fluxcd.io'];

/** What lets the controllers of `aController` drive what they are there for: the account that they have in their namespace may write it everywhere. */
export function rightsOfControllers(namespace = 'default', apiGroups: readonly string[] = DRIVEN_GROUPS): readonly KubeObject[] {
  const [apiGroup, name] = ['rbac.authorization.k8s.io', `controllers-of-${namespace}`];
  const rules = [{ apiGroups, resources: ['*'], verbs: ['*'] }];
  const roleRef = { apiGroup, kind: 'ClusterRole', name };
  const subjects = [{ kind: 'ServiceAccount', name: 'default', namespace }];
  return [
    { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRole', metadata: { name }, rules },
    { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects },
  ] as readonly KubeObject[];
}
