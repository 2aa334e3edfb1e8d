import type { KubeClient } from './kube-client';

/** Under this name the server notes who set a field; a drift view tells ours from others' by it. */
export const FIELD_MANAGER = 'slipway.dev/dispatch';

/** The same client with every write under the dispatch's name. */
export function asDispatch(client: KubeClient): KubeClient {
  return {
    discovery: client.discovery,
    get: (at, options) => client.get(at, options),
    list: (of, options) => client.list(of, options),
    create: (object, options) => client.create(object, { fieldManager: FIELD_MANAGER, ...options }),
    update: (object, options) => client.update(object, { fieldManager: FIELD_MANAGER, ...options }),
    patch: (at, patch, options) => client.patch(at, patch, { fieldManager: FIELD_MANAGER, ...options }),
    delete: (at, options) => client.delete(at, options),
  };
}
