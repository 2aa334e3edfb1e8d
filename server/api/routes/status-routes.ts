import { z } from 'zod';
import { MAX_REFERENCES, STATUS_EVENTS, statusesBody, statusesRequest, WAIT_STATES } from '@/lib/contract/object-statuses';
import { objectPath } from '@/lib/contract/requests';
import { parseDurationMs } from '@/lib/std/duration';
import { flag } from '../query-flag';
import type { Route } from '../route';
import { defineRoute, requireSession } from '../route';
import type { WaitQuery } from '../status/answer-statuses';
import { answerStatuses, OUTCOME_STATUS } from '../status/answer-statuses';
import { PermittedSet } from '../status/permitted-set';

const REQUEST_LIMIT = 400_000;
const LONGEST_WAIT_MS = 3_600_000;

const timeoutMs = z
  .string()
  .default('5m')
  .transform((text, context) => {
    const ms = parseDurationMs(text);
    if (ms !== undefined && ms <= LONGEST_WAIT_MS) return ms;
    context.addIssue({ code: 'custom', message: `must be a duration of at most 1h such as 90s or 5m, found "${text.slice(0, 20)}"` });
    return z.NEVER;
  });
const waitQuery = z
  .strictObject({ watch: flag, for: z.enum(WAIT_STATES, `needs ${WAIT_STATES.join(' or ')}`).optional(), timeout: timeoutMs })
  .transform(({ watch, for: wanted, timeout }): WaitQuery => ({ watch, wanted, timeoutMs: timeout }));

/** What both routes answer. */
const ANSWERS = {
  query: waitQuery,
  answer: statusesBody,
  otherAnswers: {
    [OUTCOME_STATUS.failed]: {
      description: 'The condition will not be met without intervention: an object failed, or a right is missing.',
      schema: statusesBody,
    },
    [OUTCOME_STATUS.timeout]: { description: 'Timed out.', schema: statusesBody },
  },
  events: STATUS_EVENTS,
  status: 200,
} as const;
const HOW = 'With `watch` as server-sent events; with `for` once that is met (200), failed (409) or timed out after `timeout` (408).';

export const statusRoutes: readonly Route[] = [
  defineRoute({
    ...ANSWERS,
    method: 'get',
    path: '/api/v1/namespaces/:ns/applications/:name/status',
    summary: `The status of an application, and of itself and each of its objects. ${HOW}`,
    params: objectPath,
    act: ({ params }) => ({ kind: 'view-topic', topic: { kind: 'application', ...params } }),
    handle: ({ params, query }, caller, deps) =>
      answerStatuses(query, caller.connection, deps, async () => ({
        set: deps.statuses.ofApplication(params),
        freshness: () => deps.freshness(params),
        check: async () => void (await caller.connection.check()),
        // One that was just made may not be in our copies yet; one that nobody made is told at once, and not once the time is over.
        whenAbsent: async () => void (await deps.commands.readManifest(requireSession(caller), params)),
      })),
  }),
  defineRoute({
    ...ANSWERS,
    method: 'post',
    path: '/api/v1/status',
    summary: `The statuses of up to ${MAX_REFERENCES} objects in the order they are named, Unknown with the sentence why where the right to get one is missing. ${HOW}`,
    body: statusesRequest,
    bodyLimit: REQUEST_LIMIT,
    // Rights are asked for object by object: one without is answered as such, beside the others.
    act: () => ({ kind: 'see-self' }),
    handle: ({ query, body }, caller, deps) =>
      answerStatuses(query, caller.connection, deps, async () => {
        const set = await PermittedSet.open(body.objects, {
          ...deps,
          session: requireSession(caller),
          spendName: caller.connection.spendName,
          namespace: body.namespace ?? 'default',
        });
        const check = async () => {
          await set.check(await caller.connection.check());
        };
        return { set, freshness: () => deps.freshness(), check };
      }),
  }),
];
