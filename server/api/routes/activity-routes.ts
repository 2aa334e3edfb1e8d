import { z } from 'zod';
import { verification } from '@/lib/contract/audit-chain';
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
      const found = await (await record()).readPage({ namespaces: grant.visibility, ...filters, ascending, page, size });
      return { total: found.total, rows: found.rows.map(toActivityRow) };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/activity/export',
    summary: 'The record as JSON lines, oldest first, with the hashes that chain it, and at the end a head signed at that moment.',
    answer: z.string(),
    status: 200,
    act: () => ({ kind: 'view-record', ns: undefined }),
    async handle(_input, { grant, connection }, { record }) {
      const source = await record();
      const release = connection.beginReading();
      const headers = { 'content-type': 'application/jsonl; charset=utf-8', 'content-disposition': 'attachment; filename="slipway-activity.jsonl"' };
      return new Response(toLines(source.export(grant.visibility), release), { headers });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/activity/verify',
    summary:
      'Compares the whole record with itself and with the heads that are kept outside the store, and names the first entry that is not as it was written.',
    answer: verification,
    status: 200,
    act: () => ({ kind: 'view-record', ns: undefined }),
    async handle(_input, { connection }, { record }) {
      const source = await record();
      const release = connection.beginReading();
      try {
        return await source.verify(connection.signal);
      } finally {
        release();
      }
    },
  }),
];

function toActivityRow({ id, at, actor, action, kind, namespace, name, message }: RecordRow): ActivityRow {
  return { key: id, at, actor, action, kind, ns: namespace, name, message };
}

/** Rows as lines, read only as fast as they are taken. */
function toLines(rows: AsyncIterable<object>, onEnd: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = rows[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await iterator.next();
        if (!next.done) return controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`));
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      onEnd();
    },
    async cancel() {
      onEnd();
      await iterator.return?.();
    },
  });
}
