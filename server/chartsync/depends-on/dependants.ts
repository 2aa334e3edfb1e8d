import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Store, StoreChange } from '@/server/kube';
import type { ExtendedRelease } from '../model/declared';
import { readDeclared } from '../model/declared';
import { dependencyStateOf } from './wait-reason';

const BY_DEPENDENCY = 'depends-on';

/** Declares on a store how resources are found by what they depend on. */
export function indexByDependency(store: Store): void {
  store.addIndex(BY_DEPENDENCY, (object) => extended(object)?.dependsOn ?? []);
}

/** Those that wait for a resource, once it stands otherwise to them than before: released, failed, there, or gone. That Helm begins with it wakes nobody. */
export function dependants(store: Store, { key, before, after }: Pick<StoreChange, 'key' | 'before' | 'after'>): readonly ObjectKey[] {
  const waiting = store.byIndex(BY_DEPENDENCY, key);
  if (waiting.length === 0) return [];
  const now = dependencyStateOf(extended(after));
  if (now === 'changing' || now === dependencyStateOf(extended(before))) return [];
  return waiting.map(({ metadata }) => toObjectKey(metadata));
}

function extended(object: KubeObject | undefined): ExtendedRelease | undefined {
  const declared = object && readDeclared(object);
  return declared?.profile === 'extended' ? declared : undefined;
}
