import { z } from 'zod';
import { turns } from '@/lib/contract/inbox/turns';
import { snapshotOf } from '@/lib/contract/live';
import type { InboxRow } from '@/lib/contract/system-rows';
import { LONGEST_TOPIC } from '@/lib/contract/topic';
import { readSnapshot, requireTopic } from '../read-topic';
import type { Route } from '../route';
import { defineRoute, requireSession } from '../route';

export const liveRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/v1/live',
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
    summary:
      'Who may act on each waiting item of the inbox: the caller, or whom else its policy and rights name. Only the 60 most urgent are evaluated.',
    answer: turns,
    status: 200,
    act: () => ({ kind: 'view-topic', topic: { kind: 'inbox' } }),
    async handle(_input, asker, { readModel, commands }) {
      const { rows } = await readSnapshot(readModel, { kind: 'inbox' }, asker.grant);
      return commands.readTurns(requireSession(asker), rows as InboxRow[]); // rows of the inbox
    },
  }),
];
