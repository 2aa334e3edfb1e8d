import { z } from 'zod';
import { assignees, MOST_ASSIGNED } from '@/lib/contract/inbox/assignees';
import { parseInboxQuery } from '@/lib/contract/inbox/inbox-query';
import { LONGEST } from '@/lib/contract/lists/list-query';
import { snapshotOf } from '@/lib/contract/live';
import type { InboxRow } from '@/lib/contract/system-rows';
import { LONGEST_TOPIC } from '@/lib/contract/topic';
import { readSnapshot, requireTopic } from '../read-topic';
import type { Route } from '../route';
import { defineRoute, requireSession } from '../route';

const narrowed = z.string().max(LONGEST).optional();

export const liveRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/v1/rows',
    formerly: 'live',
    summary: 'The current rows of a topic, as sent at the start of a subscription.',
    query: z.object({ topic: z.string().min(1).max(LONGEST_TOPIC) }),
    answer: snapshotOf(z.looseObject({ key: z.string() })),
    status: 200,
    act: ({ query }) => ({ kind: 'view-topic', topic: requireTopic(query.topic) }),
    handle: async ({ query }, { grant }, { readModel }) => readSnapshot(readModel, requireTopic(query.topic), grant),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/inbox/assignees',
    formerly: 'turns',
    summary: `Who may act on each waiting item of the inbox: the caller, or whom else its policy and rights name. Only the ${MOST_ASSIGNED} most urgent are evaluated, of a page of the inbox that is narrowed alike.`,
    query: z.object({ q: narrowed, ns: narrowed, kind: narrowed, page: narrowed }),
    answer: assignees,
    status: 200,
    act: () => ({ kind: 'view-topic', topic: { kind: 'inbox' } }),
    async handle({ query }, caller, { readModel, commands }) {
      const asked = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
      const { rows } = await readSnapshot(readModel, { kind: 'inbox', query: parseInboxQuery(new URLSearchParams(asked)) }, caller.grant);
      return commands.readAssignees(requireSession(caller), rows as InboxRow[]); // rows of the inbox
    },
  }),
];
