import { z } from 'zod';
import type { ListQuery } from '@/lib/contract/lists/list-query';
import { parseListQuery } from '@/lib/contract/lists/list-query';
import { snapshotOf } from '@/lib/contract/live';
import type { ListKind, Topic } from '@/lib/contract/topic';
import { readSnapshot, requireReadable } from '../read-topic';
import type { Route } from '../route';
import { defineRoute } from '../route';

/** Filter, order and page as requests name them. */
const listQuery = z.strictObject({
  ns: z.string().optional(),
  q: z.string().optional(),
  health: z.string().optional(),
  labels: z.string().optional(),
  owner: z.string().optional(),
  drifted: z.string().optional(),
  sort: z.string().optional(),
  desc: z.string().optional(),
  page: z.string().optional(),
  size: z.string().optional(),
});

/** The same as a topic has it. */
export function toListQuery(query: z.output<typeof listQuery>): ListQuery {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return parseListQuery(new URLSearchParams(given));
}

/** The list of a kind as a request narrows it. */
export function listTopic(kind: ListKind, query: z.output<typeof listQuery>): Topic {
  return requireReadable({ kind, query: toListQuery(query) });
}

interface Listed {
  readonly kind: ListKind;
  readonly row: z.ZodType;
  readonly summary: string;
}

/** The route of a list, with the rows that the caller may see. */
export function listRoute({ kind, row, summary }: Listed): Route {
  return defineRoute({
    method: 'get',
    path: `/api/v1/${kind}`,
    summary,
    query: listQuery,
    answer: snapshotOf(row),
    status: 200,
    act: ({ query }) => ({ kind: 'view-topic', topic: listTopic(kind, query) }),
    handle: ({ query }, { grant }, { readModel }) => readSnapshot(readModel, listTopic(kind, query), grant),
  });
}
