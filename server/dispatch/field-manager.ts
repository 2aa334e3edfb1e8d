import { DISPATCH_MANAGER } from '@/lib/kube/applied-lists';
import type { KubeClient } from './kube-client';

/** The same client with every write under the dispatch's name. */
export function withDispatchFieldManager(client: KubeClient): KubeClient {
  return {
    discovery: client.discovery,
    get: (at, options) => client.get(at, options),
    list: (of, options) => client.list(of, options),
    create: (object, options) => client.create(object, { fieldManager: DISPATCH_MANAGER, ...options }),
    update: (object, options) => client.update(object, { fieldManager: DISPATCH_MANAGER, ...options }),
    patch: (at, patch, options) => client.patch(at, patch, { fieldManager: DISPATCH_MANAGER, ...options }),
    delete: (at, options) => client.delete(at, options),
  };
}
