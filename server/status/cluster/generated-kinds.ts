import type { GroupKind } from '../identifier';

/** Kinds whose statuses need the objects of another kind in the same namespace. The table knows nothing of custom readers. */
const GENERATED_KINDS: Readonly<Record<string, GroupKind>> = {
  'apps/Deployment': { group: 'apps', kind: 'ReplicaSet' },
  'apps/ReplicaSet': { group: '', kind: 'Pod' },
  'apps/StatefulSet': { group: '', kind: 'Pod' },
};

/** The kind and those that its status needs, parents first. */
export function withGeneratedKinds({ group, kind }: GroupKind): readonly GroupKind[] {
  const generated = GENERATED_KINDS[`${group}/${kind}`];
  return [{ group, kind }, ...(generated === undefined ? [] : withGeneratedKinds(generated))];
}
