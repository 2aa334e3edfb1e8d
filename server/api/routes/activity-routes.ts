import { z } from 'zod';
import { AppError } from '@/lib/contract/app-error';
import { verification } from '@/lib/contract/audit-chain';
import { historyQuery, rolloutHistory } from '@/lib/contract/history/history-rows';
import { LONGEST } from '@/lib/contract/lists/list-query';
import { ACTIVITY_RESULTS, activityEntry, parseActivityQuery } from '@/lib/contract/pages/activity-query';
import type { RecordQuery } from '@/lib/contract/pages/record-query';
import { isSearched } from '@/lib/contract/pages/record-query';
import type { ActivityRow } from '@/lib/contract/system-rows';
import { activityRow } from '@/lib/contract/system-rows';
import { isFields } from '@/lib/kube/fields';
import { nameOfKind } from '@/lib/kube/kinds';
import { capitalise } from '@/server/readmodel';
import type { RecordRow } from '../api-deps';
import type { Route } from '../route';
import { defineRoute, requireSession } from '../route';
import { readShownPlan } from './release-edit';

const DEFAULT_SIZE = 50;
/** Characters of an export that are sent at once. */
const CHUNK = 32 * 1024;
const text = z.string().max(200).optional();
/** A place in the chain, as `next` of a page tells it. */
const before = z.coerce.number().int().min(1).optional();
/** An instant, or nothing of it. */
const instant = z
  .string()
  .max(40)
  .refine((value) => !Number.isNaN(Date.parse(value)), 'must be a time such as 2026-01-31T09:00:00Z')
  .optional();
/** What may be asked of the record; `health` is an older name of `act`. */
const recordQuery = z.object({
  ...{
    ns: z.string().max(LONGEST).optional(),
    q: text,
    who: text,
    act: text,
    application: text,
    health: text,
    sort: text,
    desc: text,
    page: text,
    size: text,
    before,
  },
  result: z.enum(ACTIVITY_RESULTS).optional(),
  from: instant,
  to: instant,
});

export const activityRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/v1/activity',
    summary:
      'A page of the record, newest first. `total` counts what matches, up to as many as were counted where `more` is true; `next` is the `before` of the page after this one, and costs the same however far back that is.',
    query: recordQuery,
    answer: z.object({ total: z.number(), more: z.boolean(), next: z.number().nullable(), rows: z.array(activityRow) }),
    status: 200,
    // A search walks the record, in the thread that decisions are put on record by.
    isQueued: ({ query }) => isSearched(toRecordQuery(query)),
    act: ({ query }) => ({ kind: 'view-record', ns: toRecordQuery(query).ns }),
    async handle({ query }, { grant, connection }, { record }) {
      const asked = toRecordQuery(query);
      const { before, sort, size } = asked;
      if (before !== undefined && sort !== undefined)
        throw new AppError('invalid', 'before cannot be combined with sort: it needs the newest entries first');
      const source = await record();
      const { total, more, rows } = await source.readPage({ namespaces: grant.visibility, ...asked }, connection.signal);
      const last = sort === undefined && rows.length === size ? rows.at(-1) : undefined;
      return { total, more, next: last?.seq ?? null, rows: rows.map(toActivityRow) };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/activity/entry',
    summary:
      'One entry of the record with all details, and what the person saw before, where it is kept; what the caller may not see is masked.',
    query: z.object({ id: z.string().min(1).max(500) }),
    answer: activityEntry,
    status: 200,
    act: () => ({ kind: 'view-record', ns: undefined }),
    async handle({ query: { id } }, caller, deps) {
      const row = await (await deps.record()).readEntry(id, caller.grant.visibility);
      if (row === undefined) throw new AppError('not-found', 'there is no such entry, or you may not see it');
      const data = readData(row.data);
      const { apiVersion, kind, namespace, name } = row;
      return {
        ...toActivityRow(row),
        seq: row.seq,
        data,
        shown:
          (await deps.commands.readShown(requireSession(caller), { id: row.id, kind, namespace, name, noted: data })) ??
          (await readShownPlan({ apiVersion, kind, namespace, name, data }, caller, deps)),
      };
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
      const headers = {
        'content-type': 'application/jsonl; charset=utf-8',
        'content-disposition': 'attachment; filename="slipway-activity.jsonl"',
      };
      return new Response(toLines(source.export(grant.visibility), release), { headers });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/activity/verify',
    summary:
      'Verifies the whole record against its hashes and the heads that are kept outside the store, and names the first entry that was changed.',
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
  defineRoute({
    method: 'get',
    path: '/api/v1/rollouts/history',
    summary:
      'Rollouts of the last 8 weeks from the record, by the week in which they began (Monday, UTC): how many, how they ended, and medians of lead time, time to roll back, and time waiting for people; with a page of them.',
    query: historyQuery,
    answer: rolloutHistory,
    status: 200,
    act: ({ query }) => ({ kind: 'view-record', ns: query.ns }),
    handle: ({ query }, { grant }, { history }) => history.see(grant.visibility, query),
  }),
];

/** What is asked of the record; what an address cannot mean is left out. */
function toRecordQuery({ before: place, ...query }: z.output<typeof recordQuery>): Omit<RecordQuery, 'namespaces'> {
  const asked = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const {
    who: actor,
    act: action = query.health,
    page = 0,
    size = DEFAULT_SIZE,
    desc,
    ...filters
  } = parseActivityQuery(new URLSearchParams(asked));
  // Newest first unless another order was asked for.
  const ascending = filters.sort !== undefined && desc !== true;
  return {
    ...filters,
    ...(actor ? { actor } : {}),
    ...(action ? { action } : {}),
    ...(place === undefined ? {} : { before: place }),
    ascending,
    page,
    size,
  };
}

function toActivityRow({ id, at, actor, action, namespace, name, message, ...type }: RecordRow): ActivityRow {
  return { key: id, at, actor, action, kind: nameOfKind(type), ns: namespace, name, message: capitalise(message, [name, actor]) };
}

function readData(text: string | null): Record<string, unknown> | null {
  const data: unknown = text === null ? null : JSON.parse(text);
  return isFields(data) ? data : null;
}

/** Rows as lines, read only as fast as they are taken; many at a time, since each time costs as much as some ten rows. */
function toLines(rows: AsyncIterable<object>, onEnd: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = rows[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      let text = '';
      try {
        while (text.length < CHUNK) {
          const next = await iterator.next();
          if (next.done) {
            if (text !== '') controller.enqueue(encoder.encode(text));
            controller.close();
            return onEnd();
          }
          text += `${JSON.stringify(next.value)}\n`;
        }
        controller.enqueue(encoder.encode(text));
      } catch (error) {
        controller.error(error);
        onEnd();
      }
    },
    async cancel() {
      onEnd();
      await iterator.return?.();
    },
  });
}
