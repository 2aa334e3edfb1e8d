import { expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { WatchEvent, WatchRoundEnd } from '@/server/kube';
import { ignoreNotFound, KubeApiError, listAndWatch } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';

const OF = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop' };
const named = (name: string, resourceVersion: string): KubeObject => ({ ...OF, metadata: { name, namespace: 'shop', resourceVersion } });
const added = (name: string, resourceVersion: string): WatchEvent => ({ type: 'ADDED', object: named(name, resourceVersion) });
const expired = new KubeApiError({ code: 410, reason: 'Expired', message: 'too old' });

/** Watches that tell what is given, one after another, and fail where an error stands. */
function aCluster(...watches: readonly (readonly (WatchEvent | Error)[])[]) {
  const asked: (string | undefined)[] = [];
  return {
    asked,
    async *watch(_of: unknown, { resourceVersion }: { readonly resourceVersion?: string } = {}) {
      for (const next of watches[asked.push(resourceVersion) - 1] ?? []) {
        if (next instanceof Error) throw next;
        yield next;
      }
    },
  };
}

it('[issue 11, 1] a kept watch goes on where the last one ended, lists anew after 410, and rests between turns', async () => {
  const clock = new ManualClock();
  const ending = new AbortController();
  const bookmark: WatchEvent = { type: 'BOOKMARK', object: named('', '7') };
  const cluster = aCluster([added('a', '5'), bookmark], [expired], [added('b', '12')], [new Error('cut')]);
  const heard: string[] = [];
  const ends: [WatchRoundEnd['kind'], number][] = [];
  let lists = 0;
  const kept = listAndWatch({
    cluster: () => cluster,
    of: OF,
    clock,
    signal: ending.signal,
    list: async () => String(++lists * 6 + 4),
    hear: ({ object }) => heard.push(object.metadata.name ?? ''),
    restMs: ({ kind }) => {
      ends.push([kind, clock.now()]);
      return 1000;
    },
  });
  const start = clock.now();
  await clock.advance(3500);
  ending.abort();
  await kept;
  expect(heard).toEqual(['a', 'b']);
  expect(cluster.asked).toEqual(['10', '7', '16', '12']);
  expect(ends.map(([kind, at]) => [kind, at - start])).toEqual([
    ['ended', 0],
    ['expired', 1000],
    ['ended', 2000],
    ['failed', 3000],
  ]);
});

it('[issue 11, 1] a kept watch ends where its rest says so, such as for a list that gives no version', async () => {
  const ends: WatchRoundEnd['kind'][] = [];
  await listAndWatch({
    cluster: () => aCluster(),
    of: OF,
    clock: new ManualClock(),
    signal: new AbortController().signal,
    list: async () => undefined,
    hear: () => undefined,
    restMs: ({ kind }) => void ends.push(kind),
  });
  expect(ends).toEqual(['unlisted']);
});

it('[issue 11, 1] what is not found is none, and any other failure stays one', async () => {
  expect(await ignoreNotFound(Promise.reject(new KubeApiError({ code: 404, reason: 'NotFound', message: 'gone' })))).toBeUndefined();
  await expect(ignoreNotFound(Promise.reject(expired))).rejects.toBe(expired);
});
