import { z } from 'zod';
import { CHANGE_VERDICTS, comparePage, waitingPage, writtenApplication, writtenProblem } from '@/lib/contract/change-rows';
import { objectPath } from '@/lib/contract/requests';
import { KINDS } from '@/lib/kube/kinds';
import { applicationSchema } from '@/server/commands';
import type { Route } from '../route';
import { defineRoute, requireSession } from '../route';

const MANIFEST_LIMIT = 2_000_000;
const MAX_PAGES = 1_000_000;
const changeQuery = z.object({
  verdict: z.enum(CHANGE_VERDICTS).optional(),
  kind: z.string().max(100).optional(),
  q: z.string().max(200).optional(),
  page: z.coerce.number().int().min(0).max(MAX_PAGES).optional(),
});
const revisionName = z.string().regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?-)?v\d{1,9}$/, 'must be a revision such as v3');

export const editorRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/v1/schemas/application',
    summary: 'The JSON Schema of an Application: component types, traits and policies with their properties.',
    answer: z.unknown(),
    status: 200,
    act: () => ({ kind: 'see-self' }),
    handle: async () => applicationSchema(),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/schemas/kind',
    summary: 'The JSON Schema of a kind that a CustomResourceDefinition defines; null for any other kind.',
    query: z.object({ apiVersion: z.string().min(1).max(500), kind: z.string().min(1).max(100) }),
    answer: z.object({ schema: z.unknown() }),
    status: 200,
    act: () => ({ kind: 'see-self' }),
    handle: ({ query }, caller, { commands }) => commands.readKindSchema(requireSession(caller), query),
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/applications/check',
    summary: 'Validates a manifest without reading the cluster: what is wrong, and where.',
    body: z.strictObject({ manifest: z.string().max(1_500_000) }),
    bodyLimit: MANIFEST_LIMIT,
    answer: z.object({ problems: z.array(writtenProblem) }),
    status: 200,
    act: () => ({ kind: 'see-self' }),
    handle: async ({ body }, caller, { texts }) => ({ problems: [...(await texts.check(requireSession(caller), body.manifest))] }),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/applications/:name/text',
    summary: 'An application as its author would write it, and its resourceVersion.',
    params: objectPath,
    answer: writtenApplication,
    status: 200,
    act: ({ params }) => ({ kind: 'view-object', type: KINDS.application, ...params }),
    command: 'readApplicationText',
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/applications/:name/compare',
    summary: 'What changes from one revision to another, object by object.',
    params: objectPath,
    query: changeQuery.extend({ from: revisionName, to: revisionName }),
    answer: comparePage,
    status: 200,
    isQueued: () => true,
    act: ({ params }) => ({ kind: 'view-object', type: KINDS.application, ...params }),
    command: 'compareRevisions',
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/applications/:name/preview',
    summary: 'Pending deletions of an application, object by object.',
    params: objectPath,
    query: changeQuery,
    answer: waitingPage,
    status: 200,
    act: ({ params }) => ({ kind: 'view-topic', topic: { kind: 'application', ...params } }),
    handle: async ({ params, query }, _caller, { garbage }) => garbage.ofApplication(params.ns, params.name, query),
  }),
];
