import { endedSessions, endSessionsQuery, sessionPath, sessionsPage, sessionsQuery } from '@/lib/contract/sessions/session-rows';
import type { Route } from '../route';
import { defineRoute, requireSession } from '../route';

/** Who is signed in where, and its end. */
export const sessionsRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/v1/sessions',
    summary: 'Sessions of the one who asks, or of everyone, the last used first.',
    query: sessionsQuery,
    answer: sessionsPage,
    status: 200,
    act: ({ query }) => ({ kind: query.of === 'mine' ? 'see-self' : 'see-sessions' }),
    handle: async ({ query }, asker, { commands }) => commands.readSessions(requireSession(asker), query),
  }),
  defineRoute({
    method: 'delete',
    path: '/api/v1/sessions',
    summary: 'Ends all other sessions of the one who asks, or all of one user.',
    query: endSessionsQuery,
    answer: endedSessions,
    status: 202,
    act: ({ query: { user } }) => (user === undefined ? { kind: 'see-self' } : { kind: 'end-session', user }),
    handle: async ({ query }, asker, { commands }) => commands.endSessions(requireSession(asker), query.user),
  }),
  defineRoute({
    method: 'delete',
    path: '/api/v1/sessions/:id',
    summary: 'Ends one session.',
    params: sessionPath,
    answer: endedSessions,
    status: 202,
    act: () => ({ kind: 'see-self' }),
    handle: async ({ params }, asker, { commands }) => commands.endSession(requireSession(asker), params.id),
  }),
];
