import { z } from 'zod';
import type { Route } from '../route';
import { defineRoute } from '../route';

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

export const processRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/healthz',
    summary: 'The process answers.',
    answer: z.string(),
    status: 200,
    anybody: true,
    act: () => ({ kind: 'enter' }),
    handle: async () => new Response('ok\n', { headers: TEXT }),
  }),
  defineRoute({
    method: 'get',
    path: '/readyz',
    summary: 'The server knows the cluster and can serve people; 503 with reasons until then.',
    answer: z.string(),
    status: 200,
    anybody: true,
    act: (_input, { fromLoopback }) => ({ kind: 'measure', fromLoopback }),
    async handle(_input, _asker, { unready }) {
      const reasons = unready();
      return new Response(reasons.length === 0 ? 'ok\n' : `${reasons.join('\n')}\n`, { status: reasons.length === 0 ? 200 : 503, headers: TEXT });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/metrics',
    summary: 'Figures of the process for Prometheus.',
    answer: z.string(),
    status: 200,
    anybody: true,
    act: (_input, { fromLoopback }) => ({ kind: 'measure', fromLoopback }),
    handle: async (_input, _asker, { metrics }) => new Response(await metrics.metrics(), { headers: { 'content-type': metrics.contentType } }),
  }),
];
