import { z } from 'zod';
import { applicationActRequest } from '@/lib/contract/acts/application-acts';
import { deletionAccepted, deletionPreview, deletionRequest } from '@/lib/contract/acts/application-deletion';
import { applicationRights, createRights } from '@/lib/contract/application-rights';
import { applicationRow } from '@/lib/contract/application-rows';
import { movedPlan, savePreview } from '@/lib/contract/change-rows';
import { objectIdentity } from '@/lib/contract/named-object';
import { acceptedBody } from '@/lib/contract/pages/answers';
import { acceptRequest, applyRequest, changeRequest, objectPath } from '@/lib/contract/requests';
import { KINDS } from '@/lib/kube/kinds';
import { applicationDecisionRequest } from '@/server/commands';
import type { Route } from '../route';
import { defineRoute, requireSession } from '../route';
import { listRoute } from './list-route';

const MANIFEST_LIMIT = 2_000_000;
const manifestText = z.object({ manifest: z.string(), masked: z.boolean() });
/** What names any object in a query. */
export const objectQuery = z.object({ ...objectIdentity, ns: objectPath.shape.ns.optional() });

export const applicationRoutes: readonly Route[] = [
  listRoute({
    kind: 'applications',
    row: applicationRow,
    summary:
      'The applications that the caller may see: filtered by `ns`, `health` and `owner` (comma-separated), `labels` (a selector), `q` and `drifted`, ordered by `sort` and `desc`, by `page` and `size`.',
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/applications',
    summary: 'Creates or replaces an application as written, or previews the change.',
    body: applyRequest,
    bodyLimit: MANIFEST_LIMIT,
    answer: z.union([acceptedBody, savePreview]),
    status: 202,
    isQueued: () => true,
    // Whether it is a creation or a change is known when it is read as the person; the command asks for that right.
    act: () => ({ kind: 'see-self' }),
    handle: ({ body }, caller, { commands }) => commands.applyApplication(requireSession(caller), body),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/applications/rights',
    summary: 'Whether the signed-in person may create an application in any namespace: null, or the reason why not.',
    answer: createRights,
    status: 200,
    act: () => ({ kind: 'see-self' }),
    handle: (_input, caller, { commands }) => commands.readCreateRights(requireSession(caller)),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/applications/:name/rights',
    summary: 'What the signed-in person may do with an application, whether or not it exists: null, or the reason why not.',
    params: objectPath,
    answer: applicationRights,
    status: 200,
    act: ({ params }) => ({ kind: 'view-topic', topic: { kind: 'application', ...params } }),
    handle: ({ params }, caller, { commands }) => commands.readApplicationRights(requireSession(caller), params),
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/namespaces/:ns/applications/:name/change',
    summary: 'Changes the image or the scale of one component, or previews the change.',
    params: objectPath,
    body: changeRequest,
    answer: z.union([acceptedBody, savePreview]),
    status: 202,
    isQueued: () => true,
    act: ({ params }) => ({ kind: 'change-application', ...params }),
    command: 'changeComponent',
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/applications/:name/outdated-plan',
    formerly: 'moved-plan',
    summary: 'The previewed and the current plan of a change on hold, as far as the signed-in person may see them.',
    params: objectPath,
    answer: movedPlan,
    status: 200,
    isQueued: () => true,
    act: ({ params }) => ({ kind: 'view-object', type: KINDS.application, ...params }),
    command: 'readMovedPlan',
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/namespaces/:ns/applications/:name/accept-plan',
    summary: 'Accepts the current plan of a waiting change in place of the previewed one.',
    params: objectPath,
    body: acceptRequest,
    answer: acceptedBody,
    status: 202,
    act: ({ params }) => ({ kind: 'change-application', ...params }),
    command: 'acceptPlan',
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/namespaces/:ns/applications/:name/decisions',
    summary: 'Approves deletions of an application that a safety rule holds.',
    params: objectPath,
    body: applicationDecisionRequest,
    answer: acceptedBody,
    status: 202,
    act: ({ params, body }) => ({ kind: 'decide', on: 'application', verb: body.verb, ...params }),
    command: 'decideApplication',
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/namespaces/:ns/applications/:name/delete',
    summary:
      'Deletes an application with its objects or without them: with `dryRun` shows what that does, with `plan` does exactly what was shown.',
    params: objectPath,
    body: deletionRequest,
    answer: z.union([deletionAccepted, deletionPreview]),
    status: 202,
    isQueued: () => true,
    act: ({ params }) => ({ kind: 'delete-application', ...params }),
    handle: ({ params, body }, caller, { commands }) => commands.deleteApplication(requireSession(caller), { ...body, place: params }),
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/namespaces/:ns/applications/:name/actions',
    formerly: 'acts',
    summary: 'Reconciles an application now, suspends its reconciliation, or resumes it, as the signed-in person.',
    params: objectPath,
    body: applicationActRequest,
    answer: acceptedBody,
    status: 202,
    act: ({ params }) => ({ kind: 'change-application', ...params }),
    handle: ({ params, body }, caller, { commands }) => commands.actOnApplication(requireSession(caller), { ...body, place: params }),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/applications/:name/manifest',
    summary: 'An application as YAML, without the values of Secrets.',
    params: objectPath,
    answer: manifestText,
    status: 200,
    act: ({ params }) => ({ kind: 'view-object', type: KINDS.application, ...params }),
    command: 'readManifest',
  }),
];
