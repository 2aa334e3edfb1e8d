import { describe, expect, it } from 'vitest';
import type { Cluster } from '@/server/kube';
import { CallStats, countCalls, KubeApiError, KubeTransportError } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';

describe('calls to the API server', () => {
  it('[design 9] are counted by verb and by how they were answered, for a minute', async () => {
    const clock = new ManualClock();
    const calls = new CallStats(clock);
    const answered = (verb: string, status: number | undefined) => calls.answered({ verb, what: `${verb} Pods`, status, tookMs: 1 });
    for (const status of [200, 201, 304, 404, 409, 500, 503, 429, undefined]) answered('get', status);
    await clock.advance(59_000);
    answered('list', 200);
    expect(calls.figures().verbs).toEqual([
      { verb: 'get', ok: 3, refused: 3, failed: 2, unanswered: 1 },
      { verb: 'list', ok: 1, refused: 0, failed: 0, unanswered: 0 },
    ]);
    await clock.advance(1000);
    expect(calls.figures().verbs.map(({ verb }) => verb)).toEqual(['list']);
    await clock.advance(60_000);
    expect(calls.figures()).toEqual({ verbs: [], slowest: undefined, throttled: { calls: 0, longestMs: 0 } });
  });

  it('[design 9] tell the slowest, watches aside, and those that waited for the rate limit', async () => {
    const clock = new ManualClock();
    const calls = new CallStats(clock);
    calls.answered({ verb: 'get', what: 'get Pod web', status: 200, tookMs: 40 });
    calls.throttled(15);
    await clock.advance(5000);
    calls.answered({ verb: 'list', what: 'list Pods', status: 200, tookMs: 900 });
    const at = clock.now();
    calls.answered({ verb: 'watch', what: 'watch Pods', status: 200, tookMs: 30_000 });
    calls.throttled(120);
    await clock.advance(5000);
    calls.answered({ verb: 'get', what: 'get Pod cart', status: 200, tookMs: 2 });
    expect(calls.figures()).toMatchObject({ slowest: { what: 'list Pods', tookMs: 900, at }, throttled: { calls: 2, longestMs: 120 } });
  });

  it('[design 9] of a cluster within the process are counted at its port, a list once however many pages it has', async () => {
    const clock = new ManualClock();
    const calls = new CallStats(clock);
    const at = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web' };
    const part: Pick<Cluster, 'get' | 'list' | 'delete'> = {
      get: async () => {
        throw new KubeApiError({ code: 404, reason: 'NotFound', message: 'gone' });
      },
      delete: async () => {
        throw new KubeTransportError('cut');
      },
      async *list() {
        yield { items: [], resourceVersion: '1' };
        yield { items: [], resourceVersion: '1' };
      },
    };
    const counted = countCalls(part as Cluster, calls, clock); // the three verbs are all it is asked for
    await expect(counted.get(at)).rejects.toThrow('gone');
    await expect(counted.delete(at)).rejects.toThrow('cut');
    const pages = [];
    for await (const page of counted.list(at)) pages.push(page);
    expect(pages).toHaveLength(2);
    expect(calls.figures().verbs).toEqual([
      { verb: 'delete', ok: 0, refused: 0, failed: 0, unanswered: 1 },
      { verb: 'get', ok: 0, refused: 1, failed: 0, unanswered: 0 },
      { verb: 'list', ok: 1, refused: 0, failed: 0, unanswered: 0 },
    ]);
  });
});
