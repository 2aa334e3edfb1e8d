import { z } from 'zod';
import { editableObject, objectEditPreview, objectEditRequest } from '@/lib/contract/acts/object-edit';
import { condition } from '@/lib/contract/application-rows';
import { parseValues } from '@/lib/contract/lists/list-query';
import { objectIdentity } from '@/lib/contract/named-object';
import { objectActDone, objectActPlan, objectActRequest } from '@/lib/contract/object-acts';
import { CORE } from '@/lib/contract/object-address';
import { EVENT_STREAM, foundObjects, kindsPage, objectDetail, objectEvent, objectEvents, objectTable } from '@/lib/contract/object-rows';
import { acceptedBody } from '@/lib/contract/pages/answers';
import { podsPage } from '@/lib/contract/pod-rows';
import { objectPath } from '@/lib/contract/requests';
import type { Recheck, Route } from '../route';
import { defineRoute, requireSession } from '../route';
import { streamWhile } from '../status/watch-stream';
import { objectQuery } from './application-routes';

const MANIFEST_LIMIT = 2_000_000;
const ns = objectPath.shape.ns;
const text = z.string().min(1).max(500);
/** The group of a kind, `core` for the one without a name, and its plural or kind. */
const kindPath = z.object({
  group: z
    .string()
    .max(253)
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be a group such as apps, or core')
    .transform((group) => (group === CORE ? '' : group)),
  named: z
    .string()
    .max(100)
    .regex(/^[A-Za-z][-A-Za-z0-9]*$/, 'must be a plural such as deployments, or a kind such as Deployment'),
});
const version = z
  .string()
  .max(63)
  .regex(/^v[a-z0-9]+$/, 'must be a version such as v1')
  .optional();
const namedQuery = z.object({ version, ns: ns.optional(), name: objectIdentity.name });

type Named = z.output<typeof kindPath>;
type Asked = z.output<typeof namedQuery>;
const toNamed = (params: Named, query: Asked) => ({ of: { ...params, version: query.version }, ns: query.ns, name: query.name });
const viewOne = ({ params, query }: { readonly params: Named; readonly query: Asked }) =>
  ({ kind: 'view-kind', verb: 'get', ...toNamed(params, query) }) as const;

export const objectRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/v1/objects',
    summary: 'Any object as YAML, read as the person, with what the cluster reported about it and what it owns.',
    query: objectQuery,
    answer: z.object({
      manifest: z.string(),
      masked: z.boolean(),
      conditions: z.array(condition),
      events: z.array(objectEvent),
      left: z.array(z.string()),
    }),
    status: 200,
    act: ({ query: { apiVersion, kind, ns: where, name } }) => ({ kind: 'view-object', type: { apiVersion, kind }, ns: where, name }),
    handle: ({ query: { apiVersion, kind, ns: where, name } }, caller, { commands }) =>
      commands.readObject(requireSession(caller), { apiVersion, kind, ...(where === undefined ? {} : { namespace: where }), name }),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/objects/find',
    summary: 'Objects of the kinds that are watched with a part of a name, as far as the signed-in person may see them.',
    query: z.object({ q: text }),
    answer: foundObjects,
    status: 200,
    act: () => ({ kind: 'see-self' }),
    handle: ({ query }, caller, { commands }) => commands.findObjects(requireSession(caller), query.q),
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/objects/actions',
    formerly: 'acts',
    summary:
      'Restarts, scales or deletes objects as the signed-in person: with `dryRun` shows what that does and what is refused, with `plan` does what was shown.',
    body: objectActRequest,
    answer: z.union([objectActDone, objectActPlan]),
    status: 202,
    // A hundred objects are read and judged one after the other.
    isQueued: () => true,
    // Of several each is asked about by itself: what is refused of them is told, and the rest may be done.
    act: ({ body: { verb, targets, dryRun } }) => {
      const [only, ...others] = targets;
      if (dryRun || only === undefined || others.length > 0) return { kind: 'see-self' };
      const { apiVersion, kind, ns: where, name } = only;
      return { kind: 'act-on-object', verb, type: { apiVersion, kind }, ns: where, name };
    },
    handle: ({ body }, caller, { commands }) => commands.actOnObjects(requireSession(caller), body),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/objects/manifest',
    formerly: 'text',
    summary: 'One object as text to edit, read as the person: without status and masked values.',
    query: objectQuery,
    answer: editableObject,
    status: 200,
    act: ({ query: { apiVersion, kind, ns: where, name } }) => ({ kind: 'view-object', type: { apiVersion, kind }, ns: where, name }),
    handle: ({ query: { apiVersion, kind, ns: where, name } }, caller, { commands }) =>
      commands.readEditableObject(requireSession(caller), { apiVersion, kind, ...(where === undefined ? {} : { namespace: where }), name }),
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/objects/edit',
    summary:
      'Replaces an object by an edited text, as the signed-in person: with `dryRun` has the cluster try it and shows what would change, with `plan` writes what was shown.',
    body: objectEditRequest,
    bodyLimit: MANIFEST_LIMIT,
    answer: z.union([acceptedBody, objectEditPreview]),
    status: 202,
    isQueued: () => true,
    act: ({ body: { apiVersion, kind, ns: where, name } }) => ({
      kind: 'act-on-object',
      verb: 'edit',
      type: { apiVersion, kind },
      ns: where,
      name,
    }),
    handle: ({ body }, caller, { commands }) => commands.editObject(requireSession(caller), body),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/kinds',
    summary: 'The kinds that the signed-in person may list, in one namespace or everywhere.',
    query: z.object({ ns: ns.optional() }),
    answer: kindsPage,
    status: 200,
    act: () => ({ kind: 'see-self' }),
    handle: ({ query }, caller, { commands }) => commands.readKinds(requireSession(caller), query.ns),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/kinds/:group/:named/table',
    summary: 'Objects of a kind as the API server prints them, read as the person, a page at a time.',
    params: kindPath,
    query: z.object({
      version,
      ns: ns.optional(),
      labels: text.optional(),
      q: text.optional(),
      owner: text.transform(parseValues).optional(),
      next: z.string().max(20_000).optional(),
    }),
    answer: objectTable,
    status: 200,
    // A part of a name and an owner are looked for among some thousand objects.
    isQueued: ({ query: { q, owner } }) => q !== undefined || owner !== undefined,
    act: ({ params, query }) => ({ kind: 'view-kind', verb: 'list', of: { ...params, version: query.version }, ns: query.ns }),
    handle: ({ params, query: { version: at, ...query } }, caller, { commands }) =>
      commands.readTable(requireSession(caller), { ...params, version: at }, { ...query, signal: caller.connection.signal }),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/kinds/:group/:named/object',
    summary:
      'One object, read as the person: status and its rule, YAML without values of Secrets, owners, what it owns, and who set which field.',
    params: kindPath,
    query: namedQuery,
    answer: objectDetail,
    status: 200,
    act: viewOne,
    handle: ({ params, query }, caller, { commands }) => commands.readObjectDetail(requireSession(caller), toNamed(params, query)),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/kinds/:group/:named/pods',
    summary: 'The pods of an object, the worst first: each container with its state, last exit, image, requests and usage.',
    params: kindPath,
    query: namedQuery,
    answer: podsPage,
    status: 200,
    act: viewOne,
    handle: ({ params, query }, caller, { commands }) => commands.readPods(requireSession(caller), toNamed(params, query)),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/kinds/:group/:named/events',
    summary: 'The newest events of an object and of what it owns; with `watch` as server-sent events, sent again whenever they change.',
    params: kindPath,
    query: namedQuery.extend({ watch: z.enum(['', 'true', '1'], 'must be true or empty').optional() }),
    answer: objectEvents,
    events: EVENT_STREAM,
    status: 200,
    act: viewOne,
    handle: ({ params, query }, caller, { commands, clock }) => {
      const at = toNamed(params, query);
      const session = requireSession(caller);
      if (query.watch === undefined) return commands.readObjectEvents(session, at);
      const open = (signal: AbortSignal) => {
        const { told, recheck } = commands.followObjectEvents(session, at, signal);
        return { told, recheck: async ({ session: present, notBefore }: Recheck) => present && recheck(present, notBefore) };
      };
      return streamWhile({ event: 'events', connection: caller.connection, clock, open });
    },
  }),
];
