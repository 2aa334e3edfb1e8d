import { z } from 'zod';
import { doctorReport } from '@/lib/contract/finding';
import { renderMetrics } from '@/server/platform';
import type { Route } from '../route';
import { defineRoute } from '../route';

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

const EXAMINE_LIMIT_MS = 20_000;

export const processRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/v1/doctor',
    summary:
      'Problems of the installation: modes, definitions, policies, rights, watches and programs, each with the command that fixes it.',
    answer: doctorReport,
    status: 200,
    act: () => ({ kind: 'view-topic', topic: { kind: 'engine' } }),
    handle: async (_input, _caller, { examine }) => ({ findings: await examine(AbortSignal.timeout(EXAMINE_LIMIT_MS)) }),
  }),
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
    summary:
      'The server has synced with the cluster and can serve people; 503 until then. Callers on the same machine, and anyone signed in, get the reasons. They also get what it may not watch and what keeps it from acting.',
    answer: z.string(),
    status: 200,
    anybody: true,
    act: (_input, { fromLoopback }) => ({ kind: 'probe', fromLoopback }),
    async handle(_input, { grant }, { unready, limits }) {
      const reasons = unready();
      const verdict = reasons.length === 0 ? 'ok' : 'not ready';
      const lines = grant.visibility === 'all' ? [...(reasons.length === 0 ? [verdict] : reasons), ...limits()] : [verdict];
      return new Response(`${lines.join('\n')}\n`, { status: reasons.length === 0 ? 200 : 503, headers: TEXT });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/metrics',
    summary:
      'Metrics of the process, for Prometheus: on the same machine, signed in, or with a bearer token of the cluster whose owner may get the path /metrics.',
    answer: z.string(),
    status: 200,
    anybody: true,
    act: (_input, { fromLoopback, bearer }) => ({ kind: 'measure', fromLoopback, bearer }),
    handle: async (_input, _caller, { metrics }) =>
      new Response(await renderMetrics(metrics), { headers: { 'content-type': metrics.contentType } }),
  }),
];
