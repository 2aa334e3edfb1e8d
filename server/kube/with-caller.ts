import type { Cluster, RequestOptions } from './cluster';

/** The same cluster, whose server is told in every request which part of this program asks. */
export function withCaller(cluster: Cluster, agent: string): Cluster {
  const named = <Options extends RequestOptions>(options: Options | undefined): Options => ({ agent, ...options }) as Options; // what the caller gave, one member more
  return {
    discovery: cluster.discovery,
    get: (at, options) => cluster.get(at, named(options)),
    list: (of, options) => cluster.list(of, named(options)),
    watch: (of, options) => cluster.watch(of, named(options)),
    create: (object, options) => cluster.create(object, named(options)),
    update: (object, options) => cluster.update(object, named(options)),
    patch: (at, patch, options) => cluster.patch(at, patch, named(options)),
    delete: (at, options) => cluster.delete(at, named(options)),
    deleteCollection: (of, options) => cluster.deleteCollection(of, named(options)),
    request: (request) => cluster.request(named(request)),
    connect: (request) => cluster.connect(named(request)),
    as: (person) => withCaller(cluster.as(person), agent),
  };
}
