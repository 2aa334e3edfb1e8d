import type { KubeObject } from '@/lib/kube/object';

export interface JsonPatchOperation {
  readonly op: 'add' | 'replace' | 'remove' | 'test';
  readonly path: string;
  readonly value?: unknown;
}

const PATH = '/metadata/finalizers';

/** The finalizer of a controller. Each controller of an object adds its own, so names are unique. */
export function finalizerOf(controllerName: string): string {
  return `operatorkit.giantswarm.io/${controllerName}`;
}

/** True when the object carries the finalizer. */
export function hasFinalizer(object: Pick<KubeObject, 'metadata'>, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** How to add a finalizer, and whether the run stops: it does when a change is due, which brings the next run, or on a deletion. */
export function planAddFinalizer(
  object: Pick<KubeObject, 'metadata'>,
  finalizer: string,
): { readonly patch: readonly JsonPatchOperation[] | null; readonly stop: boolean } {
  const { deletionTimestamp } = object.metadata;
  const finalizers = object.metadata.finalizers ?? []; // null as well
  if (deletionTimestamp) return { patch: null, stop: true };
  if (finalizers.includes(finalizer)) return { patch: null, stop: false };
  const create: readonly JsonPatchOperation[] = finalizers.length === 0 ? [{ op: 'add', path: PATH, value: [] }] : [];
  return { patch: [...create, { op: 'add', path: `${PATH}/-`, value: finalizer }, testVersion(object)], stop: true };
}

/** How to take a finalizer away, the others in their order; null when it is not there. */
export function planRemoveFinalizer(
  object: Pick<KubeObject, 'metadata'>,
  finalizer: string,
): { readonly patch: readonly JsonPatchOperation[] | null } {
  const finalizers = object.metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) return { patch: null };
  return { patch: [{ op: 'replace', path: PATH, value: finalizers.filter((name) => name !== finalizer) }] };
}

/**
 * An operation that fails the patch when the object changed since it was read: two controllers that write the list at
 * once would otherwise drop each other's entry.
 */
export function testVersion(object: Pick<KubeObject, 'metadata'>): JsonPatchOperation {
  return { op: 'test', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion };
}
