import type { KubeObject } from '@/lib/kube/object';
import type { CollectionAddress } from '@/server/kube';
import type { GroupKind, ObjMetadata } from '../identifier';
import type { ApiReader } from './api-reader';
import type { ClusterReader } from './cluster-reader';
import type { KindMapper, KindMapping } from './kind-mapper';
import type { LabelSelector } from './label-selector';

/** Asks the API server for each object and each list of children; holds nothing. Right for few objects in a crowded namespace. */
export class DirectClusterReader implements ClusterReader {
  readonly #api: ApiReader;
  readonly #mapper: KindMapper;

  constructor(api: ApiReader, mapper: KindMapper) {
    this.#api = api;
    this.#mapper = mapper;
  }

  async sync(): Promise<void> {}

  async get(signal: AbortSignal, identifier: ObjMetadata): Promise<KubeObject> {
    const mapping = await this.#mapper.map(identifier, signal);
    return this.#api.get({ ...toCollection(identifier, mapping, identifier.namespace), name: identifier.name }, signal);
  }

  async listNamespaceScoped(
    signal: AbortSignal,
    of: GroupKind,
    namespace: string,
    selector: LabelSelector,
  ): Promise<readonly KubeObject[]> {
    const mapping = await this.#mapper.map(of, signal);
    const request = selector.text === '' ? { signal } : { signal, labelSelector: selector.text };
    return (await this.#api.listPage(toCollection(of, mapping, namespace), request)).items;
  }

  listClusterScoped(signal: AbortSignal, of: GroupKind, selector: LabelSelector): Promise<readonly KubeObject[]> {
    return this.listNamespaceScoped(signal, of, '', selector);
  }
}

function toCollection({ group, kind }: GroupKind, { version, namespaced }: KindMapping, namespace: string): CollectionAddress {
  return {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    ...(namespaced && namespace !== '' ? { namespace } : {}),
  };
}

/** A mapper whose failures say that it was an object that could not be mapped, as the dynamic client puts it. */
export function dynamicMapper(mapper: KindMapper): KindMapper {
  return {
    async map(of, signal) {
      try {
        return await mapper.map(of, signal);
      } catch (error) {
        throw new Error(`failed to map object: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      }
    },
    reset: () => mapper.reset(),
  };
}
