import { z } from 'zod';
import type { KubeObject } from '@/lib/kube/object';
import { parseAt, refuse } from '../spec/fault';
import type { ComponentDraft, ExposedPort, Trait, TraitContext } from './component-type';

const words = z.record(z.string(), z.string());
const PATH_TYPES = ['ImplementationSpecific', 'Prefix', 'Exact'] as const;
export const gatewayParameters = z.strictObject({
  domain: z.string().optional(),
  http: z.record(z.string().startsWith('/', 'must be paths that begin with a slash'), z.number().int().min(1).max(65_535)),
  class: z.string().default('nginx'),
  classInSpec: z.boolean().default(false),
  secretName: z.string().optional(),
  gatewayHost: z.string().optional(),
  name: z.string().optional(),
  pathType: z.enum(PATH_TYPES).default('ImplementationSpecific'),
  annotations: words.optional(),
  labels: words.optional(),
  existingServiceName: z.string().optional(),
  /** Ours: a Gateway to attach to; then the route is an HTTPRoute instead of an Ingress. */
  gatewayRef: z.strictObject({ name: z.string(), namespace: z.string().optional(), sectionName: z.string().optional() }).optional(),
});
type Parameters = z.infer<typeof gatewayParameters>;

/** Lets traffic from outside in, through an Ingress or an HTTPRoute. */
export const gateway: Trait = (draft, properties, context) => {
  const parameters = parseAt(gatewayParameters, properties, { ...context.place, what: 'a gateway' });
  const routes = Object.entries(parameters.http);
  if (routes.length === 0) throw refuse(context.place, 'must have at least one path with its port, found none', ['http']);
  if (parameters.gatewayRef === undefined) return added(draft, toIngress(parameters, context), parameters);
  for (const member of ['secretName', 'gatewayHost'] as const) {
    if (parameters[member] !== undefined)
      throw refuse(context.place, 'is for an Ingress; a Gateway has its own listeners and certificates', [member]);
  }
  return added(draft, toHttpRoute(parameters, context), parameters);
};

function added(draft: ComponentDraft, object: KubeObject, { http, existingServiceName }: Parameters): ComponentDraft {
  const additions = [...draft.additions, { object, trait: 'gateway' }];
  if (existingServiceName !== undefined) return { ...draft, additions };
  const held = draft.exposure?.ports ?? [];
  const missing = [...new Set(Object.values(http))].filter((port) => !held.some((one) => one.port === port && one.protocol === undefined));
  const ports: ExposedPort[] = missing.map((port) => ({ name: `port-${port}`, port }));
  const exposure = draft.exposure ?? { ports: [], type: 'ClusterIP', trait: 'gateway' };
  return { ...draft, additions, exposure: { ...exposure, ports: [...held, ...ports] } };
}

function metadataOf(
  { name, annotations, labels }: Parameters,
  { component, namespace }: TraitContext,
  more: Readonly<Record<string, string>> = {},
) {
  const all = { ...more, ...annotations };
  return {
    name: name === undefined ? component : `${component}-${name}`,
    namespace,
    ...(Object.keys(all).length > 0 ? { annotations: all } : {}),
    ...(labels ? { labels } : {}),
  };
}

function toIngress(parameters: Parameters, context: TraitContext): KubeObject {
  const { domain, http, classInSpec, secretName, gatewayHost, pathType, existingServiceName } = parameters;
  const service = existingServiceName ?? context.component;
  const annotations = {
    ...(classInSpec ? {} : { 'kubernetes.io/ingress.class': parameters.class }),
    ...(gatewayHost === undefined ? {} : { 'ingress.controller/host': gatewayHost }),
  };
  const paths = Object.entries(http).map(([path, port]) => ({
    path,
    pathType,
    backend: { service: { name: service, port: { number: port } } },
  }));
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: metadataOf(parameters, context, annotations),
    spec: {
      ...(classInSpec ? { ingressClassName: parameters.class } : {}),
      ...(secretName === undefined ? {} : { tls: [{ ...(domain === undefined ? {} : { hosts: [domain] }), secretName }] }),
      rules: [{ ...(domain === undefined ? {} : { host: domain }), http: { paths } }],
    },
  };
}

function toHttpRoute(parameters: Parameters, context: TraitContext): KubeObject {
  const { domain, http, pathType, gatewayRef, existingServiceName } = parameters;
  const type = pathType === 'Exact' ? 'Exact' : 'PathPrefix';
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: metadataOf(parameters, context),
    spec: {
      parentRefs: [{ ...gatewayRef }],
      ...(domain === undefined ? {} : { hostnames: [domain] }),
      rules: Object.entries(http).map(([path, port]) => ({
        matches: [{ path: { type, value: path } }],
        backendRefs: [{ name: existingServiceName ?? context.component, port }],
      })),
    },
  };
}
