import type { KindMapper, KindMapping } from '@/server/status/cluster/kind-mapper';
import { NoKindMatchError } from '@/server/status/cluster/kind-mapper';
import type { GroupKind } from '@/server/status/identifier';
import type { MapperError, TypeDefinition } from './schema';

function namespaced(group: string, version: string, ...kinds: readonly string[]): readonly TypeDefinition[] {
  return kinds.map((kind) => ({ group, version, kind, resource: `${kind.toLowerCase()}s`, scope: 'Namespaced' as const }));
}

function clusterScoped(group: string, version: string, ...kinds: readonly string[]): readonly TypeDefinition[] {
  return namespaced(group, version, ...kinds).map((type) => ({ ...type, scope: 'Cluster' as const }));
}

/** The types that every case knows. */
const KNOWN_TYPES: readonly TypeDefinition[] = [
  ...namespaced('', 'v1', 'ConfigMap', 'Secret', 'Pod', 'Service', 'PersistentVolumeClaim'),
  ...clusterScoped('', 'v1', 'Namespace', 'Node'),
  ...namespaced('apps', 'v1', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'),
  ...namespaced('batch', 'v1', 'Job', 'CronJob'),
  ...namespaced('policy', 'v1', 'PodDisruptionBudget'),
  ...namespaced('rbac.authorization.k8s.io', 'v1', 'Role'),
  ...clusterScoped('rbac.authorization.k8s.io', 'v1', 'ClusterRole'),
  ...clusterScoped('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition'),
];

/** Maps the types of a case as they are known at a moment: a tick of a poll or a step of a watch, -1 before the first. */
export class ScriptedMapper implements KindMapper {
  readonly #types: readonly TypeDefinition[];
  readonly #errors: readonly MapperError[];
  readonly #moment: () => number;

  constructor(types: readonly TypeDefinition[], errors: readonly MapperError[], moment: () => number) {
    this.#types = [...types, ...KNOWN_TYPES];
    this.#errors = errors;
    this.#moment = moment;
  }

  async map(of: GroupKind): Promise<KindMapping> {
    const now = this.#moment();
    const is = ({ group, kind }: GroupKind) => group === of.group && kind === of.kind;
    const failure = this.#errors.find((error) => is(error) && now >= (error.fromTick ?? -1));
    if (failure !== undefined) throw new Error(failure.message);
    const type = this.#types.find(
      (known) => is(known) && now >= (known.fromTick ?? known.fromStep ?? -1) && now < (known.untilTick ?? Number.POSITIVE_INFINITY),
    );
    if (type === undefined) throw new NoKindMatchError(of);
    return { version: type.version, plural: type.resource, namespaced: type.scope === 'Namespaced' };
  }

  reset(): void {}
}
