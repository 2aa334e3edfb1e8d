import type { GroupKind } from '../identifier';

/** Kinds whose statuses need the objects of another kind in the same namespace. The table knows nothing of custom readers. */
const GENERATED_KINDS: Readonly<Record<string, GroupKind>> = {
  'apps/Deployment': { group: 'apps', kind: 'ReplicaSet' },
  'apps/ReplicaSet': { group: '', kind: 'Pod' },
  'apps/StatefulSet': { group: '', kind: 'Pod' },
};

/** What the console reads besides. */
const OF_THE_CONSOLE: Readonly<Record<string, GroupKind>> = { ...GENERATED_KINDS, 'apps/DaemonSet': { group: '', kind: 'Pod' } };

/** The kind and those that its status needs, parents first. */
export function withGeneratedKinds({ group, kind }: GroupKind, table = GENERATED_KINDS): readonly GroupKind[] {
  const generated = table[`${group}/${kind}`];
  return [{ group, kind }, ...(generated === undefined ? [] : withGeneratedKinds(generated, table))];
}

/** The kind and those that its status in the console needs, parents first. */
export function withKindsBelow(of: GroupKind): readonly GroupKind[] {
  return withGeneratedKinds(of, OF_THE_CONSOLE);
}
