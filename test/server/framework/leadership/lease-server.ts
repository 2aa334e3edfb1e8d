import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { KubeApiError } from '@/server/kube';

type LeasePort = Pick<Cluster, 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete'>;

const gone = (name: string) => new KubeApiError({ code: 404, reason: 'NotFound', message: `${name} not found` });
const conflict = (name: string) => new KubeApiError({ code: 409, reason: 'Conflict', message: `${name} was modified` });

/**
 * What elections need of an API server and no more, for tests that hold thousands of them: objects by name, a version that every write
 * moves, and the refusals that an election rests on. That Leases behave so on a whole one is shown beside it.
 */
export class LeaseServer {
  readonly #objects = new Map<string, KubeObject>();
  #version = 0;

  readonly #port: LeasePort = {
    get: async ({ kind, name }) => this.#require(kind, name),
    list: ({ kind }) => this.#list(kind),
    create: async (object) => {
      const { name = '' } = object.metadata;
      if (this.#objects.has(`${object.kind}/${name}`))
        throw new KubeApiError({ code: 409, reason: 'AlreadyExists', message: `${name} already exists` });
      return this.#put({ ...object, metadata: { ...object.metadata, uid: `uid-${this.#version}` } });
    },
    update: async (object) => {
      const { name = '', resourceVersion } = object.metadata;
      const held = this.#require(object.kind, name);
      if (resourceVersion !== undefined && resourceVersion !== held.metadata.resourceVersion) throw conflict(name);
      return this.#put({ ...object, metadata: { ...object.metadata, uid: held.metadata.uid ?? '' } });
    },
    patch: async ({ kind, name }, { body }) => this.#put({ ...this.#require(kind, name), ...(body as object) }),
    delete: async ({ kind, name }, { preconditions: { uid, resourceVersion } = {} } = {}) => {
      const held = this.#require(kind, name);
      const isOther = (wanted: string | undefined, found: string | undefined) => wanted !== undefined && wanted !== found;
      if (isOther(uid, held.metadata.uid) || isOther(resourceVersion, held.metadata.resourceVersion)) throw conflict(name);
      this.#objects.delete(`${kind}/${name}`);
      return held;
    },
  };

  /** As a cluster; verbs that no election needs are not there. */
  get cluster(): Cluster {
    return this.#port as Cluster;
  }

  async *#list(kind: string) {
    yield { items: [...this.#objects.values()].filter((object) => object.kind === kind), resourceVersion: String(this.#version) };
  }

  #require(kind: string, name: string): KubeObject {
    const held = this.#objects.get(`${kind}/${name}`);
    if (held === undefined) throw gone(name);
    return held;
  }

  #put(object: KubeObject): KubeObject {
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
    this.#objects.set(`${object.kind}/${object.metadata.name}`, stored);
    return stored;
  }
}
