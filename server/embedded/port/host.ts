import type { KubeObject, TypeRef } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import type { Random } from '@/server/platform';
import type { ApiContext } from '../api/context';
import type { ControllerHost } from '../host';
import { toServed } from '../kinds/convert';
import { apiVersionOf, storageApiVersionOf } from '../kinds/resource';

const CONTROLLERS = 'kube-controller-manager';

/** What the simulated controllers stand on. */
export function createHost(
  context: ApiContext,
  portOf: (component: string) => Cluster,
  random: Random,
  component = CONTROLLERS,
): ControllerHost {
  const { store, registry, clock, ids, log } = context;
  // Changes name a kind by one object, so that nobody builds it thousands of times.
  const types = new Map<string, TypeRef>();
  const typeOf = (storage: string, object: KubeObject): TypeRef => {
    const known = types.get(storage);
    if (known?.apiVersion === object.apiVersion && known.kind === object.kind) return known;
    const type = { apiVersion: object.apiVersion, kind: object.kind };
    types.set(storage, type);
    return type;
  };

  return {
    cluster: portOf(component),
    as: (other) => createHost(context, portOf, random, other),
    clock,
    random,
    ids,
    log,
    get(type, key) {
      const resource = registry.byType(type);
      const found = resource && store.get(resource.storage, key);
      return resource && found && toServed(resource, found);
    },
    list(type, namespace) {
      const resource = registry.byType(type);
      if (resource === undefined) return [];
      const found = store.table(resource.storage).list(namespace);
      return apiVersionOf(resource) === storageApiVersionOf(resource) ? found : found.map((object) => toServed(resource, object));
    },
    ownedBy: (uid) => store.ownedBy(uid),
    byUid: (uid) => store.byUid(uid),
    types: () =>
      store.storages().flatMap((storage) => {
        const resource = registry.byStorage(storage);
        return resource ? [{ apiVersion: storageApiVersionOf(resource), kind: resource.kind }] : [];
      }),
    onChange: (handler) =>
      store.subscribe(({ storage, key, before, after }) => {
        const object = after ?? before;
        if (object) handler({ type: typeOf(storage, object), key, before, after });
      }),
  };
}
