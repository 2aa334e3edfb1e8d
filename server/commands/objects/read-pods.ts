import { isAppError } from '@/lib/contract/app-error';
import { severityOf } from '@/lib/contract/health';
import type { PodsPage } from '@/lib/contract/pod-rows';
import { MAX_PODS } from '@/lib/contract/pod-rows';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import { toIso } from '@/lib/std/instant';
import type { Session } from '@/server/auth';
import type { CommandDeps } from '../command-deps';
import { toPodRow } from './pod-row';
import type { Usage } from './pod-usage';
import { readUsage } from './pod-usage';
import type { NamedObjectAt } from './read-object-detail';
import { readNamed } from './read-object-detail';
import { maySeeKind } from './related';

/** Namespaces in which usage is asked for. */
const MAX_NAMESPACES = 5;

/**
 * The pods of an object, the worst first: the pod itself as it is read, else what lies below the object in the server's copies as far as the person
 * may see it. What they use is read as the person where the cluster measures it.
 */
export async function readPods(deps: CommandDeps, session: Session, named: NamedObjectAt): Promise<PodsPage> {
  const { object } = await readNamed(deps, session, named);
  const { pods, hidden } = isPod(object) ? { pods: [object], hidden: [] } : await podsBelow(deps, session, object);
  const namespaces = [...new Set(pods.map(({ metadata }) => metadata.namespace ?? ''))].slice(0, MAX_NAMESPACES);
  const usage: Usage = pods.length === 0 ? { of: new Map(), unmeasured: null } : await readUsage(deps, session, namespaces);
  const rows = pods.map((pod) =>
    toPodRow(pod, deps.objectReader.healthOf(pod), usage.of.get(`${pod.metadata.namespace}/${pod.metadata.name}`)),
  );
  rows.sort((a, b) => severityOf(a.health) - severityOf(b.health) || restartsOf(b) - restartsOf(a) || (a.key < b.key ? -1 : 1));
  return {
    pods: rows.slice(0, MAX_PODS),
    more: Math.max(0, rows.length - MAX_PODS),
    hidden: [...hidden],
    unmeasured: usage.unmeasured,
    readAt: toIso(deps.clock.now()),
  };
}

async function podsBelow(
  deps: CommandDeps,
  session: Session,
  root: KubeObject,
): Promise<{ readonly pods: readonly KubeObject[]; readonly hidden: readonly string[] }> {
  const found = copiesBelow(deps, root);
  const namespaces = [...new Set(found.map(({ metadata }) => metadata.namespace ?? ''))];
  const seen = new Map(
    await Promise.all(namespaces.map(async (ns) => [ns, await maySeeKind(deps, session, { ...KINDS.pod, ns })] as const)),
  );
  const pods = found.filter(({ metadata }) => seen.get(metadata.namespace ?? ''));
  return { pods, hidden: namespaces.filter((ns) => !seen.get(ns)) };
}

/** Of an application and of a rollout the pods are told where logs are told of; of anything else what it owns is looked through. */
function copiesBelow({ objectReader, podsOf }: CommandDeps, root: KubeObject): readonly KubeObject[] {
  if (!isA(root, KINDS.application) && !isA(root, KINDS.rolloutOrchestrator))
    return objectReader.below(root).objects.flatMap(({ object }) => (isPod(object) ? [object] : []));
  const [application] = isA(root, KINDS.application)
    ? [{ ns: root.metadata.namespace ?? '', name: root.metadata.name ?? '' }]
    : objectReader.applicationsOf(root);
  const component = isA(root, KINDS.rolloutOrchestrator) ? root.metadata.labels?.[LABELS.component] : undefined;
  try {
    const pods = application === undefined ? [] : podsOf(application).pods();
    return pods.filter((pod) => component === undefined || pod.component === component).map(({ pod }) => pod);
  } catch (error) {
    if (isAppError(error) && error.code === 'not-found') return []; // an application that the copies have not heard of yet has no pods either
    throw error;
  }
}

const isA = ({ apiVersion, kind }: KubeObject, type: TypeRef) => kind === type.kind && groupOf(apiVersion) === groupOf(type.apiVersion);
const isPod = (object: KubeObject) => isA(object, KINDS.pod);
const restartsOf = ({ containers }: PodsPage['pods'][number]) => containers.reduce((sum, { restarts }) => sum + restarts, 0);
