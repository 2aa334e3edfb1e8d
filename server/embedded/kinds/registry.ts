import type { TypeRef } from '@/lib/kube/object';
import { groupOf, versionOf } from '@/lib/kube/object';
import { BUILT_IN } from './built-in';
import type { Resource } from './resource';

const byKind = (group: string, version: string, kind: string) => `${group}/${version}/${kind}`;

/** Every resource served: those of Kubernetes itself, and those that definitions add. */
export class Registry {
  readonly #kinds = new Map<string, Resource>();
  readonly #paths = new Map<string, Resource>();
  readonly #storages = new Map<string, Resource>();
  readonly #custom = new Map<string, readonly Resource[]>();
  #all: readonly Resource[] = BUILT_IN;
  /** Grows with every change of what is served. */
  generation = 0;

  constructor() {
    for (const resource of BUILT_IN) this.#add(resource);
  }

  byType(type: TypeRef): Resource | undefined {
    return this.#kinds.get(byKind(groupOf(type.apiVersion), versionOf(type.apiVersion), type.kind));
  }

  byPath(group: string, version: string, plural: string): Resource | undefined {
    return this.#paths.get(byKind(group, version, plural));
  }

  /** The resource of a table, in the version of its storage. */
  byStorage(storage: string): Resource | undefined {
    return this.#storages.get(storage);
  }

  all(): readonly Resource[] {
    return this.#all;
  }

  /** Serves the resources of a definition in place of those it had; none ends them. */
  define(definition: string, resources: readonly Resource[]): void {
    for (const old of this.#custom.get(definition) ?? []) {
      this.#kinds.delete(byKind(old.group, old.version, old.kind));
      this.#paths.delete(byKind(old.group, old.version, old.plural));
      this.#storages.delete(old.storage);
    }
    if (resources.length === 0) this.#custom.delete(definition);
    else this.#custom.set(definition, resources);
    for (const resource of resources) this.#add(resource);
    this.#all = [...BUILT_IN, ...[...this.#custom.values()].flat()];
    this.generation++;
  }

  #add(resource: Resource): void {
    this.#kinds.set(byKind(resource.group, resource.version, resource.kind), resource);
    this.#paths.set(byKind(resource.group, resource.version, resource.plural), resource);
    const isStorage = resource.version === resource.storageVersion && !(resource.storage === 'events' && resource.group !== '');
    if (isStorage || !this.#storages.has(resource.storage)) this.#storages.set(resource.storage, resource);
  }
}
