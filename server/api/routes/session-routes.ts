import { z } from 'zod';
import { linkRequest, providerAddress, providerReturn, sessionView, signInRequest } from '@/lib/contract/requests';
import { endedSessions, endSessionsQuery, sessionPath, sessionsPage, sessionsQuery } from '@/lib/contract/sessions/session-rows';
import { toSessionView } from '@/server/auth';
import type { Route } from '../route';
import { defineRoute, requireSession } from '../route';

export const sessionRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/v1/session',
    summary: 'Who is signed in.',
    answer: sessionView,
    status: 200,
    act: () => ({ kind: 'see-self' }),
    handle: async (_input, caller) => toSessionView(requireSession(caller)),
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/session',
    summary: 'Signs in with the printed token, a link’s token or a cluster token.',
    body: signInRequest,
    answer: sessionView,
    status: 200,
    anybody: true,
    act: () => ({ kind: 'enter' }),
    async handle({ body }, caller, { auth }) {
      const { source, agent } = caller.connection;
      const { session, setCookie } = await auth.signIn(body.token, caller.session, { source, agent, isCommand: body.command === true });
      return Response.json(toSessionView(session), { headers: { 'set-cookie': setCookie } });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/session/provider',
    summary: 'Starts a sign-in with the provider of sign-in mode oidc: the address to send the browser to.',
    answer: providerAddress,
    status: 200,
    anybody: true,
    act: () => ({ kind: 'enter' }),
    async handle(_input, _caller, { auth, origins }) {
      const { address, setCookie } = await auth.beginWithProvider(`${origins.address()}/sign-in`);
      return Response.json({ address }, { headers: { 'set-cookie': setCookie } });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/session/provider/return',
    summary: 'Completes a sign-in with the provider, in the browser that started it.',
    body: providerReturn,
    answer: sessionView,
    status: 200,
    anybody: true,
    act: () => ({ kind: 'enter' }),
    async handle({ body }, { session: before, connection }, { auth }) {
      const { session, setCookie } = await auth.signInReturned(body, connection.cookie, before, connection);
      return Response.json(toSessionView(session), { headers: { 'set-cookie': setCookie } });
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/v1/session',
    summary: 'Signs out.',
    status: 204,
    anybody: true,
    act: () => ({ kind: 'enter' }),
    async handle(_input, { session }, { auth }) {
      if (session === undefined) return undefined;
      return new Response(null, { status: 204, headers: { 'set-cookie': await auth.signOut(session) } });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/session/links',
    summary: 'Makes a link that signs one person in once as another role; on the demonstration only.',
    body: linkRequest,
    answer: z.object({ url: z.string() }),
    status: 200,
    act: () => ({ kind: 'invite' }),
    async handle({ body }, caller, { auth, origins }) {
      const token = await auth.createLink(requireSession(caller), body.role);
      return { url: `${origins.address()}/sign-in?token=${encodeURIComponent(token)}` };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/sessions',
    summary: 'Sessions of the caller, or of everyone, last used first.',
    query: sessionsQuery,
    answer: sessionsPage,
    status: 200,
    act: ({ query }) => ({ kind: query.of === 'mine' ? 'see-self' : 'see-sessions' }),
    handle: async ({ query }, caller, { commands }) => commands.readSessions(requireSession(caller), query),
  }),
  defineRoute({
    method: 'delete',
    path: '/api/v1/sessions',
    summary: 'Ends all other sessions of the caller, or all of one user.',
    query: endSessionsQuery,
    answer: endedSessions,
    status: 202,
    act: ({ query: { user } }) => (user === undefined ? { kind: 'see-self' } : { kind: 'end-session', user }),
    handle: async ({ query }, caller, { commands }) => commands.endSessions(requireSession(caller), query.user),
  }),
  defineRoute({
    method: 'delete',
    path: '/api/v1/sessions/:id',
    summary: 'Ends one session.',
    params: sessionPath,
    answer: endedSessions,
    status: 202,
    act: () => ({ kind: 'see-self' }),
    handle: async ({ params }, caller, { commands }) => commands.endSession(requireSession(caller), params.id),
  }),
];
