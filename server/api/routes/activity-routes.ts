import { z } from 'zod';
import type { ActivityRow } from '@/lib/contract/system-rows';
import { activityRow } from '@/lib/contract/system-rows';
import { parseListQuery } from '@/lib/contract/topic';
import type { RecordRow } from '../api-deps';
import type { Route } from '../route';
import { defineRoute } from '../route';

const DEFAULT_SIZE = 50;
const text = z.string().max(200).optional();
/** The query of a list as the topics have it; `health` filters by action here. */
const listQuery = z.object({ ns: text, q: text, health: text, sort: text, desc: text, page: text, size: text });

export const activityRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/v1/activity',
    summary: 'A page of the record, newest first.',
    query: listQuery,
    answer: z.object({ total: z.number(), rows: z.array(activityRow) }),
    status: 200,
    act: ({ query }) => ({ kind: 'view-record', ns: query.ns }),
    async handle({ query }, { grant }, { record }) {
      const {
        ns,
        q,
        health,
        sort,
        desc,
        page = 0,
        size = DEFAULT_SIZE,
      } = parseListQuery(new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))));
      const filters = { ...(ns ? { ns } : {}), ...(q ? { q } : {}), ...(health ? { action: health } : {}), ...(sort ? { sort } : {}) };
      // Newest first unless another order was asked for.
      const ascending = sort !== undefined && desc !== true;
      const found = await (await record).readPage({ namespaces: grant.visibility, ...filters, ascending, page, size });
      return { total: found.total, rows: found.rows.map(toActivityRow) };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/activity/export',
    summary: 'The record as JSON lines, oldest first, with the hashes that chain it.',
    answer: z.string(),
    status: 200,
    act: () => ({ kind: 'view-record', ns: undefined }),
    async handle(_input, { grant }, { record }) {
      const headers = { 'content-type': 'application/jsonl; charset=utf-8', 'content-disposition': 'attachment; filename="slipway-activity.jsonl"' };
      return new Response(toLines((await record).export(grant.visibility)), { headers });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/activity/verify',
    summary: 'Walks the whole record and tells whether every entry follows from the one before.',
    answer: z.object({ entries: z.number(), intact: z.boolean(), brokenAt: z.number().nullable() }),
    status: 200,
    act: () => ({ kind: 'view-record', ns: undefined }),
    handle: async (_input, _asker, { record }) => (await record).verify(),
  }),
];

function toActivityRow({ id, at, actor, action, kind, namespace, name, message }: RecordRow): ActivityRow {
  return { key: id, at, actor, action, kind, ns: namespace, name, message };
}

/** Rows as lines, read only as fast as they are taken. */
function toLines(rows: AsyncIterable<object>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = rows[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
