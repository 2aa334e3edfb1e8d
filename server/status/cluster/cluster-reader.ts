import type { KubeObject } from '@/lib/kube/object';
import type { Awaitable } from '../awaitable';
import type { GroupKind, ObjMetadata } from '../identifier';
import type { ApiReader } from './api-reader';
import type { KindMapper } from './kind-mapper';
import type { LabelSelector } from './label-selector';

/** What status readers see of a cluster. Objects are shared: treat them as frozen. Failures are rejections, never thrown at once. */
export interface ClusterReader {
  /** Called before each poll. */
  sync(signal: AbortSignal): Promise<void>;
  get(signal: AbortSignal, identifier: ObjMetadata): Awaitable<KubeObject>;
  listNamespaceScoped(signal: AbortSignal, of: GroupKind, namespace: string, selector: LabelSelector): Awaitable<readonly KubeObject[]>;
  listClusterScoped(signal: AbortSignal, of: GroupKind, selector: LabelSelector): Awaitable<readonly KubeObject[]>;
}

/** Builds a reader for one poll, which owns it. */
export type ClusterReaderFactory = (api: ApiReader, mapper: KindMapper, identifiers: readonly ObjMetadata[]) => Promise<ClusterReader>;
