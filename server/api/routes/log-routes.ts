import { z } from 'zod';
import { LOG_EVENTS, MAX_FOLLOWED, MAX_TAIL_LINES, TAIL_LINES } from '@/lib/contract/log-stream';
import { objectPath } from '@/lib/contract/requests';
import { parseDurationMs } from '@/lib/std/duration';
import { parseKubeTime } from '@/lib/std/instant';
import { formatNumber } from '@/lib/words/figures';
import { answerLogs } from '../logs/answer-logs';
import { flag } from '../query-flag';
import type { Route } from '../route';
import { defineRoute } from '../route';

const MAX_NAME = 253;
const name = z.string().min(1).max(MAX_NAME);
const since = z.string().transform((text, context) => {
  const ms = parseDurationMs(text);
  if (ms !== undefined) return { ms };
  const at = parseKubeTime(text);
  if (at !== undefined) return { at };
  context.addIssue({
    code: 'custom',
    message: `must be a duration such as 10m or a time such as 2026-01-31T09:00:00Z, found "${text.slice(0, 40)}"`,
  });
  return z.NEVER;
});
const tail = z.coerce
  .number(`must be a number of lines of at most ${formatNumber(MAX_TAIL_LINES)}`)
  .int('must be a whole number of lines')
  .min(0, 'must be 0 lines or more')
  .max(MAX_TAIL_LINES, `must be at most ${formatNumber(MAX_TAIL_LINES)} lines`);

const common = {
  container: name.optional(),
  previous: flag,
  follow: flag,
  since: since.optional(),
  /** Newest lines of each container; all since then where only `since` is given. */
  tail: tail.optional(),
};
const podQuery = z.strictObject(common).superRefine(refuseBoth);
const applicationQuery = z.strictObject({ ...common, revision: name.optional(), pod: name.optional() }).superRefine(refuseBoth);

function refuseBoth({ previous, follow }: { readonly previous: boolean; readonly follow: boolean }, context: z.RefinementCtx): void {
  if (previous && follow)
    context.addIssue({ code: 'custom', message: 'must be either previous or follow: a container that has ended writes nothing more' });
}

const HOW = `As server-sent events, read with the rights of the caller: \`sources\`, \`lines\` in the order of their times, \`end\`. At most ${MAX_FOLLOWED} containers are read at once per person; the others are listed.`;
/** What both routes are. */
const STREAM = { method: 'get', events: LOG_EVENTS, status: 200 } as const;

/** Everything since a moment, else the newest lines. */
const tailOf = ({ tail: lines, since: from }: { readonly tail?: number | undefined; readonly since?: unknown }) =>
  lines ?? (from === undefined ? TAIL_LINES : undefined);

export const logRoutes: readonly Route[] = [
  defineRoute({
    ...STREAM,
    path: '/api/v1/namespaces/:ns/pods/:name/log',
    summary: `Logs of the containers of a pod. ${HOW}`,
    params: objectPath,
    query: podQuery,
    act: ({ params: { ns, name: pod } }) => ({ kind: 'view-logs', ns, pod }),
    handle: ({ params: { ns, name: pod }, query }, caller, deps) =>
      answerLogs({ ...query, ns, of: { pod }, tail: tailOf(query), since: query.since }, caller, deps),
  }),
  defineRoute({
    ...STREAM,
    path: '/api/v1/namespaces/:ns/applications/:name/logs',
    summary: `Logs of the pods of an application, or of one \`revision\`, including later pods. ${HOW}`,
    params: objectPath,
    query: applicationQuery,
    act: ({ params: { ns, name: application }, query: { pod } }) => ({ kind: 'view-logs', ns, application, pod }),
    handle({ params: { ns, name: application }, query }, caller, deps) {
      const { revision, pod, ...rest } = query;
      return answerLogs({ ...rest, ns, of: { application, revision, pod }, tail: tailOf(query), since: query.since }, caller, deps);
    },
  }),
];
