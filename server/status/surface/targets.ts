import type { GroupKind, ObjMetadata } from '../identifier';

/** How wide a watch is: `root` sees all namespaces, `automatic` picks by how many are needed. */
export const REST_SCOPE_STRATEGIES = ['automatic', 'root', 'namespace'] as const;
export type RestScopeStrategy = (typeof REST_SCOPE_STRATEGIES)[number];

/** One kind to watch, in one namespace or, where that is empty, in all. */
export interface WatchTarget extends GroupKind {
  readonly namespace: string;
}

export interface WatchPlan {
  readonly scope: 'root' | 'namespace';
  readonly targets: readonly WatchTarget[];
}

/** What must be watched for a list of identifiers. Children of theirs are not. Throws for a strategy that does not exist. */
export function planTargets(identifiers: readonly ObjMetadata[], strategy: RestScopeStrategy): WatchPlan {
  const scope = decideScope(identifiers, strategy);
  const targets = new Map<string, WatchTarget>();
  for (const { group, kind, namespace } of identifiers) {
    const target = { group, kind, namespace: scope === 'root' ? '' : namespace };
    targets.set(toTargetKey(target), target);
  }
  return { scope, targets: [...targets.values()] };
}

export function toTargetKey({ group, kind, namespace }: WatchTarget): string {
  return JSON.stringify([group, kind, namespace]);
}

function decideScope(identifiers: readonly ObjMetadata[], strategy: RestScopeStrategy): WatchPlan['scope'] {
  switch (strategy) {
    case 'root':
    case 'namespace':
      return strategy;
    case 'automatic':
      // The empty namespace of cluster-scoped identifiers counts as one.
      return new Set(identifiers.map(({ namespace }) => namespace)).size > 1 ? 'root' : 'namespace';
    default:
      throw new Error(`invalid RESTScopeStrategy: RESTScopeStrategy(${String(strategy)})`);
  }
}
