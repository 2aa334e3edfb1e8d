import { findExact } from '@/lib/std/exact-json';
import type { Clock } from '@/server/platform';
import type { CallStats } from './call-stats';
import type { Cluster } from './cluster';
import { getApiStatus } from './errors';
import { serializeExactly } from './json-bodies';

/** The same cluster, whose calls are counted: for one within the process, where no transport sees them. */
export function countCalls(cluster: Cluster, calls: CallStats, clock: Pick<Clock, 'now'>): Cluster {
  async function count<Answer>(verb: string, kind: string, call: () => Promise<Answer>): Promise<Answer> {
    const what = `${verb} ${kind}`;
    const startedAt = clock.now();
    try {
      const answer = await call();
      calls.answered({ verb, what, status: 200, tookMs: clock.now() - startedAt });
      return answer;
    } catch (error) {
      calls.answered({ verb, what, status: getApiStatus(error)?.code, tookMs: clock.now() - startedAt });
      throw error;
    }
  }
  /** However many pages there are, it is one list. */
  async function* countPages<Page>(verb: string, kind: string, pages: AsyncIterable<Page>): AsyncGenerator<Page, void, void> {
    const walk = pages[Symbol.asyncIterator]();
    try {
      for (let step = await count(verb, kind, () => walk.next()); !step.done; step = await walk.next()) yield step.value;
    } finally {
      await walk.return?.();
    }
  }
  return {
    discovery: cluster.discovery,
    get: (at, options) => count('get', at.kind, () => cluster.get(at, options)),
    list: (of, options) => countPages('list', of.kind, cluster.list(of, options)),
    watch(of, options) {
      calls.answered({ verb: 'watch', what: `watch ${of.kind}`, status: 200, tookMs: 0 });
      return cluster.watch(of, options);
    },
    create: (object, options) => count('create', object.kind, async () => cluster.create(written('create', object), options)),
    update: (object, options) => count('update', object.kind, async () => cluster.update(written('update', object), options)),
    patch: (at, patch, options) =>
      count('patch', at.kind, async () => cluster.patch(at, { ...patch, body: written(`patch ${at.kind}`, patch.body) }, options)),
    delete: (at, options) => count('delete', at.kind, () => cluster.delete(at, options)),
    deleteCollection: (of, options) => count('deletecollection', of.kind, () => cluster.deleteCollection(of, options)),
    request: (request) => count('raw', request.path.split('?', 1)[0] ?? '', () => cluster.request(request)),
    connect: (request) => count('raw', request.path.split('?', 1)[0] ?? '', () => cluster.connect(request)),
    as: (person) => countCalls(cluster.as(person), calls, clock),
  };
}

// Refused as a transport would refuse it.
function written<Body>(what: string, body: Body): Body {
  const found = findExact(body);
  if (found) serializeExactly(body, what);
  return body;
}
