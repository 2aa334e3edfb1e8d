import { z } from 'zod';
import { snapshotOf } from '@/lib/contract/live';
import { readSnapshot, requireTopic } from '../read-topic';
import type { Route } from '../route';
import { defineRoute } from '../route';

export const liveRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/v1/live',
    summary: 'The rows of a topic now, as a subscription would begin with.',
    query: z.object({ topic: z.string().min(1).max(600) }),
    answer: snapshotOf(z.looseObject({ key: z.string() })),
    status: 200,
    act: ({ query }) => ({ kind: 'view-topic', topic: requireTopic(query.topic) }),
    handle: async ({ query }, { grant }, { readModel }) => readSnapshot(readModel, requireTopic(query.topic), grant),
  }),
];
