import { expect, it } from 'vitest';
import { isNotFound, KubeApiError } from '@/server/kube';
import type { ApiReader } from '@/server/status/cluster/api-reader';
import { CachingClusterReader } from '@/server/status/cluster/caching-reader';
import type { KindMapper } from '@/server/status/cluster/kind-mapper';

const { signal } = new AbortController();
const of = (name: string) => ({ group: '', kind: 'ConfigMap', namespace: 'shop', name });
const object = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' } });
const mapper: KindMapper = { map: async () => ({ version: 'v1', plural: 'configmaps', namespaced: true }), reset: () => undefined };

it('[issue 9, 6] a poll whose list breaks off on its second page calls nothing gone, and knows it all again with the next whole one', async () => {
  let broken = true;
  const api: Pick<ApiReader, 'listPage'> = {
    async listPage(_of, options) {
      if (options.continue === undefined) return { items: [object('a')], continue: 'more' };
      if (broken) throw new KubeApiError({ code: 500, reason: 'InternalError', message: 'etcdserver: request timed out' });
      return { items: [object('b')] };
    },
  };
  const reader = new CachingClusterReader(api as ApiReader, mapper, [of('a'), of('b'), of('c')]); // it only lists
  await reader.sync(signal);
  for (const name of ['a', 'b', 'c']) {
    const failure: unknown = await Promise.resolve(reader.get(signal, of(name))).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: expect.stringContaining('request timed out') });
    expect(isNotFound(failure)).toBe(false);
  }
  broken = false;
  await reader.sync(signal);
  expect(await reader.get(signal, of('b'))).toMatchObject(object('b'));
  await expect(Promise.resolve(reader.get(signal, of('c')))).rejects.toSatisfy(isNotFound);
});
