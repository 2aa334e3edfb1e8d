import { describe, expect, it } from 'vitest';
import { clusterWatcher } from '@/server/framework/operatorkit/surface/watcher';
import type { Cluster, ListPage, WatchOptions } from '@/server/kube';
import type { ListOptions } from '@/server/kube/cluster';
import { clusterApiReader } from '@/server/status/cluster/api-reader';
import { clusterCollectionWatch } from '@/server/status/surface/collection-watch';

/** A cluster of three ConfigMaps on two pages, which writes down what it was asked. */
function aCluster() {
  const asked: object[] = [];
  const names = ['a', 'b', 'c'];
  const item = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' } });
  const cluster: Pick<Cluster, 'list' | 'watch' | 'get'> = {
    get: async ({ name }) => item(name),
    async *list(_of, options: ListOptions = {}): AsyncGenerator<ListPage> {
      const { signal: _signal, ...rest } = options;
      let from = Number(options.continue ?? 0);
      const size = options.limit === 0 ? names.length : 2;
      do {
        asked.push(rest);
        const to = from + size;
        yield { items: names.slice(from, to).map(item), resourceVersion: '7', ...(to < names.length ? { continue: String(to) } : {}) };
        from = to;
      } while (from < names.length);
    },
    watch(_of, options: WatchOptions = {}) {
      const { signal: _signal, ...rest } = options;
      asked.push(rest);
      return (async function* () {
        yield { type: 'ADDED' as const, object: item('d') };
      })();
    },
  };
  return { cluster, asked };
}

const of = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop' };
const { signal } = new AbortController();

describe('cluster adapters', () => {
  it('[status 8.5] take one page per request, and everything at once without a limit', async () => {
    const { cluster, asked } = aCluster();
    const reader = clusterApiReader(cluster);
    const first = await reader.listPage(of, { limit: 500, signal });
    expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    const second = await reader.listPage(of, { limit: 500, signal, continue: first.continue ?? '' });
    expect(second).toMatchObject({ items: [{ metadata: { name: 'c' } }] });
    expect(second.continue).toBeUndefined();
    expect((await reader.listPage(of, { signal })).items).toHaveLength(3);
    expect(asked).toEqual([{ limit: 500 }, { limit: 500, continue: '2' }, { limit: 0 }]);
  });

  it.each([
    [
      'status 9.2',
      (cluster: ReturnType<typeof aCluster>['cluster']) => {
        const source = clusterCollectionWatch(cluster, { labelSelector: 'app=web' });
        return { list: () => source.list(of, signal), watch: () => source.watch(of, '7', signal) };
      },
    ],
    [
      'framework R8.1',
      (cluster: ReturnType<typeof aCluster>['cluster']) => {
        const watcher = clusterWatcher(cluster, of, { labelSelector: 'app=web' });
        return { list: () => watcher.list(signal), watch: () => watcher.watch('7', signal) };
      },
    ],
  ])('[%s] list to the end, and hand filters to list and watch', async (_clause, open) => {
    const { cluster, asked } = aCluster();
    const source = open(cluster);
    expect(await source.list()).toMatchObject({ objects: [{}, {}, {}], resourceVersion: '7' });
    const seen: string[] = [];
    for await (const { type, object } of source.watch()) seen.push(`${type} ${object.metadata.name}`);
    expect(seen).toEqual(['ADDED d']);
    expect(asked).toEqual([
      { labelSelector: 'app=web' },
      { labelSelector: 'app=web' },
      { labelSelector: 'app=web', resourceVersion: '7', allowWatchBookmarks: true },
    ]);
  });
});
