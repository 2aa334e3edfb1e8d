import type { KubeClient } from '../kube-client';

/** The same client, which writes no object before the check has passed; it is made once, and only when something is to be written. */
export function guardWrites(client: KubeClient, check: () => Promise<void>): KubeClient {
  let checked: Promise<void> | undefined;
  const once = (dryRun = false) => {
    if (dryRun) return undefined;
    checked ??= check();
    return checked;
  };
  return {
    discovery: client.discovery,
    get: (at, options) => client.get(at, options),
    list: (of, options) => client.list(of, options),
    create: async (object, options) => {
      await once(options?.dryRun);
      return client.create(object, options);
    },
    update: async (object, options) => {
      await once(options?.dryRun);
      return client.update(object, options);
    },
    patch: async (at, patch, options) => {
      await once(options?.dryRun);
      return client.patch(at, patch, options);
    },
    delete: (at, options) => client.delete(at, options),
  };
}
