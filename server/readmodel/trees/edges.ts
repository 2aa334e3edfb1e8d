import type { GraphEdge } from '@/lib/contract/graph-rows';
import { readList, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { groupOf, toObjectId } from '@/lib/kube/object';
import { kindKey } from '../cluster-view';
import { podLabels, selects } from '../trackers/selects';
import type { Branch } from './build';

const SERVICE = kindKey(KINDS.service);
const INGRESS = 'networking.k8s.io/Ingress';
const AUTOSCALER = kindKey(KINDS.horizontalPodAutoscaler);
/** Routes of Gateway API: each rule names what it forwards to. */
const ROUTES: ReadonlySet<string> = new Set(
  ['HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute'].map((kind) => `gateway.networking.k8s.io/${kind}`),
);

/** Edges that no owner reference tells: what Services select, what routes forward to, what autoscalers scale. Only what is in the tree is an end. */
export function findEdges(branches: readonly Branch[]): ReadonlyMap<string, readonly GraphEdge[]> {
  const known = new Set(branches.map(({ node }) => node.id));
  const workloads = branches.flatMap(({ node, object }) => {
    const labels = object && podLabels(object);
    return labels === undefined ? [] : [{ id: node.id, ns: node.ns, labels }];
  });
  const found = new Map<string, readonly GraphEdge[]>();
  for (const { node, object } of branches) {
    if (object === undefined) continue;
    const edges = edgesOf(object, workloads).filter(({ to }) => known.has(to) && to !== node.id);
    if (edges.length > 0) found.set(node.id, dedupe(edges));
  }
  return found;
}

interface Workload {
  readonly id: string;
  readonly ns: string | null;
  readonly labels: Readonly<Record<string, unknown>>;
}

function edgesOf(object: KubeObject, workloads: readonly Workload[]): readonly GraphEdge[] {
  const kind = kindKey(object);
  if (kind === SERVICE) {
    const { namespace = null } = object.metadata;
    return workloads
      .filter(({ ns, labels }) => ns === namespace && selects(object, labels))
      .map(({ id }) => ({ to: id, kind: 'selects', note: null }));
  }
  if (kind === INGRESS) return ingressEdges(object);
  if (kind === AUTOSCALER) return scaleEdges(object);
  return ROUTES.has(kind) ? routeEdges(object) : [];
}

function ingressEdges({ spec, metadata: { namespace } }: KubeObject): readonly GraphEdge[] {
  const paths = readList(spec, 'rules').flatMap((rule) => readList(rule, 'http', 'paths'));
  const names = [
    readString(spec, 'defaultBackend', 'service', 'name'),
    ...paths.map((path) => readString(path, 'backend', 'service', 'name')),
  ];
  return names.flatMap((name) =>
    name === undefined ? [] : [{ to: toObjectId({ ...KINDS.service, namespace, name }), kind: 'routes' as const, note: null }],
  );
}

/** Each with its part of the traffic, where a rule divides it by weight and is the only one. */
function routeEdges({ spec, metadata }: KubeObject): readonly GraphEdge[] {
  const rules = readList(spec, 'rules');
  return rules.flatMap((rule) => {
    const backends = readList(rule, 'backendRefs');
    const weightOf = (backend: unknown) => readNumber(backend, 'weight') ?? 1;
    const total = backends.reduce<number>((sum, backend) => sum + weightOf(backend), 0);
    return backends.flatMap((backend) => {
      const name = readString(backend, 'name');
      if (name === undefined) return [];
      const kind = readString(backend, 'kind') ?? KINDS.service.kind;
      const group = readString(backend, 'group') ?? '';
      const namespace = readString(backend, 'namespace') ?? metadata.namespace;
      const note = rules.length > 1 || backends.length < 2 || total === 0 ? null : `${Math.round((weightOf(backend) / total) * 100)}%`;
      return [
        { to: toObjectId({ apiVersion: group === '' ? 'v1' : `${group}/v1`, kind, namespace, name }), kind: 'routes' as const, note },
      ];
    });
  });
}

function scaleEdges({ spec, metadata: { namespace } }: KubeObject): readonly GraphEdge[] {
  const [name, kind] = [readString(spec, 'scaleTargetRef', 'name'), readString(spec, 'scaleTargetRef', 'kind')];
  const group = groupOf(readString(spec, 'scaleTargetRef', 'apiVersion') ?? '');
  if (name === undefined || kind === undefined) return [];
  return [{ to: toObjectId({ apiVersion: group === '' ? 'v1' : `${group}/v1`, kind, namespace, name }), kind: 'scales', note: null }];
}

function dedupe(edges: readonly GraphEdge[]): readonly GraphEdge[] {
  return [...new Map(edges.map((edge) => [`${edge.kind} ${edge.to}`, edge])).values()];
}
