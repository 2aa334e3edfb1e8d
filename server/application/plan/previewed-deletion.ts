import type { DeletionPolicy } from '@/lib/contract/acts/application-deletion';
import { DELETION_PLAN } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { FINALIZER } from '@/server/dispatch';

/** What somebody saw of the end of an application. */
export interface PreviewedDeletion {
  readonly objects: DeletionPolicy;
  /** Absent while the plan is worked out. */
  readonly digest?: string;
}

/**
 * The application as it is written just before it is deleted: it names the plan that was seen, and its finalizers say whether its objects stay. One
 * whose finalizer somebody took away gets it back, so that what was shown is done.
 */
export function withPreviewedDeletion(application: KubeObject, { objects, digest }: PreviewedDeletion): KubeObject {
  const { annotations, finalizers = [], ...metadata } = application.metadata;
  const others = finalizers.filter((one) => one !== FINALIZER.orphan && one !== FINALIZER.tracker);
  const own = objects === 'keep' ? [FINALIZER.tracker, FINALIZER.orphan] : [FINALIZER.tracker];
  const noted = digest === undefined ? annotations : { ...annotations, [DELETION_PLAN]: digest };
  return { ...application, metadata: { ...metadata, ...(noted ? { annotations: noted } : {}), finalizers: [...others, ...own] } };
}

/** The digest of the plan that whoever deleted an application saw; undefined where nobody looked. */
export function readPreviewedDeletion({ metadata }: KubeObject): string | undefined {
  return metadata.deletionTimestamp === undefined ? undefined : metadata.annotations?.[DELETION_PLAN];
}

/** True where the objects of an application stay when it goes. */
export function keepsObjects({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(FINALIZER.orphan) ?? false;
}
