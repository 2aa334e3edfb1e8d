import { z } from 'zod';
import { savePreview } from '@/lib/contract/change-rows';
import { acceptedBody } from '@/lib/contract/pages/answers';
import { decisionRequest, objectPath } from '@/lib/contract/requests';
import { rightsView, rolloutRow } from '@/lib/contract/rollout-rows';
import { garbageView } from '@/lib/contract/tracker-rows';
import type { Route } from '../route';
import { defineRoute, requireSession } from '../route';
import { listRoute } from './list-route';

const trackerName = z.string().min(1).max(253);

export const rolloutRoutes: readonly Route[] = [
  listRoute({
    kind: 'rollouts',
    row: rolloutRow,
    summary:
      'The rollouts that the caller may see: filtered by `ns`, `health` and `owner` (comma-separated), `labels` (a selector) and `q`, ordered by `sort` and `desc`, by `page` and `size`.',
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/rollouts/:name/rights',
    summary: 'What the signed-in person may decide about a rollout: null, or the reason why not.',
    params: objectPath,
    answer: rightsView,
    status: 200,
    act: ({ params }) => ({ kind: 'view-topic', topic: { kind: 'rollout', ...params } }),
    handle: ({ params }, caller, { commands }) => commands.readRights(requireSession(caller), params),
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/namespaces/:ns/rollouts/:name/decisions',
    summary: 'Makes a decision about a rollout as the signed-in person, or previews a rollback.',
    params: objectPath,
    body: decisionRequest,
    answer: z.union([acceptedBody, savePreview]),
    status: 202,
    // Only a preview waits: nothing keeps a pause or an abort.
    isQueued: ({ body }) => body.dryRun === true,
    act: ({ params, body }) => ({ kind: 'decide', on: 'rollout', verb: body.verb, ...params }),
    command: 'decide',
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/rollouts/:name/garbage',
    summary: 'What a rollout deletes at its end, object by object.',
    params: objectPath,
    answer: garbageView,
    status: 200,
    act: ({ params }) => ({ kind: 'view-topic', topic: { kind: 'rollout', ...params } }),
    handle: async ({ params }, _caller, { garbage }) => garbage.ofRollout(params.ns, params.name),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/trackers/:from/compare/:to',
    summary: 'What garbage collection of one tracker against another would do, object by object.',
    params: z.object({ from: trackerName, to: trackerName }),
    answer: garbageView,
    status: 200,
    act: ({ params }) => ({ kind: 'view-topic', topic: { kind: 'tracker', name: params.to } }),
    async handle({ params }, { session }, { auth, garbage }) {
      await auth.authorise(session, { kind: 'view-topic', topic: { kind: 'tracker', name: params.from } });
      return garbage.compareTrackers(params.from, params.to);
    },
  }),
];
