import type { KubeClient } from '../kube-client';

/** A check that is made once, when it is first asked for; what it came to holds from then on. */
export function checkedOnce(check: () => Promise<void>): () => Promise<void> {
  let checked: Promise<void> | undefined;
  return () => {
    checked ??= check();
    return checked;
  };
}

/** The same client, which writes no object before the check has passed. */
export function guardWrites(client: KubeClient, check: () => Promise<void>): KubeClient {
  const pass = (dryRun = false) => (dryRun ? undefined : check());
  return {
    discovery: client.discovery,
    get: (at, options) => client.get(at, options),
    list: (of, options) => client.list(of, options),
    create: async (object, options) => {
      await pass(options?.dryRun);
      return client.create(object, options);
    },
    update: async (object, options) => {
      await pass(options?.dryRun);
      return client.update(object, options);
    },
    patch: async (at, patch, options) => {
      await pass(options?.dryRun);
      return client.patch(at, patch, options);
    },
    delete: (at, options) => client.delete(at, options),
  };
}
