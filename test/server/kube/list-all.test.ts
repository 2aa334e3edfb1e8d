import { expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { listAll } from '@/server/kube';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const named = (name: string): KubeObject => ({ ...CONFIG_MAP, metadata: { name } });

/** A collection of three pages, the last of which may not come. */
function paged(last: 'comes' | 'fails'): Pick<Cluster, 'list'> {
  return {
    async *list() {
      yield { items: [named('a'), named('b')], resourceVersion: '7' };
      yield { items: [named('c')], resourceVersion: '7' };
      if (last === 'fails') throw new Error('the continue token is too old');
      yield { items: [named('d')], resourceVersion: '7' };
    },
  } as Pick<Cluster, 'list'>;
}

it('[issue 9, 6] reads a collection to its last page', async () => {
  const { items, resourceVersion } = await listAll(paged('comes'), CONFIG_MAP);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c', 'd']);
  expect(resourceVersion).toBe('7');
});

it('[issue 9, 6] takes no part of a collection for the whole: what fails on a later page is no list', async () => {
  await expect(listAll(paged('fails'), CONFIG_MAP)).rejects.toThrow('the continue token is too old');
});
