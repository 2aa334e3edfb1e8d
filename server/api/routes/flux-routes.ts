import { z } from 'zod';
import { fluxActRequest, fluxRights } from '@/lib/contract/flux-acts';
import { FLUX_KIND_NAMES, FLUX_RELEASE } from '@/lib/contract/flux-kind';
import { fluxReleaseDetail, fluxSourceDetail, fluxSourceRow } from '@/lib/contract/flux-rows';
import { statusesBody } from '@/lib/contract/object-statuses';
import { acceptedBody } from '@/lib/contract/pages/answers';
import { objectPath } from '@/lib/contract/requests';
import type { Topic } from '@/lib/contract/topic';
import { readOne } from '../read-topic';
import type { Route } from '../route';
import { defineRoute, requireSession } from '../route';
import { listRoute } from './list-route';
import { answerStored } from './release-objects';
import { rightToStorage } from './release-storage';

const kindQuery = z.strictObject({ kind: z.enum(FLUX_KIND_NAMES).default(FLUX_RELEASE) });

interface Named {
  readonly params: { readonly ns: string; readonly name: string };
  readonly query: z.output<typeof kindQuery>;
}

const topicOf = ({ params, query }: Named): Topic => ({ kind: 'flux', ns: params.ns, of: query.kind, name: params.name });

export const fluxRoutes: readonly Route[] = [
  listRoute({
    kind: 'flux-sources',
    row: fluxSourceRow,
    summary:
      'Where Flux gets charts from: repositories and charts, filtered by `ns`, `q` and `health` (a state), ordered by `sort` and `desc`, by page.',
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/flux/:name',
    summary:
      'One Flux object of the given `kind`: its state and the reason, conditions, and requests. Flux drives it; Slipway only shows it.',
    params: objectPath,
    query: kindQuery,
    answer: z.union([fluxReleaseDetail, fluxSourceDetail]),
    status: 200,
    act: (named) => ({ kind: 'view-topic', topic: topicOf(named) }),
    handle: async (named, { grant }, { readModel }) => readOne(readModel, topicOf(named), grant),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/flux/:name/status',
    summary:
      'The status of a Flux release, and of each object of its newest stored revision; Unknown with the reason without the right to get it.',
    params: objectPath,
    answer: statusesBody,
    status: 200,
    act: ({ params }) => ({ kind: 'view-topic', topic: topicOf({ params, query: { kind: FLUX_RELEASE } }) }),
    async handle({ params }, caller, deps) {
      const { storage } = fluxReleaseDetail.parse(
        await readOne(deps.readModel, topicOf({ params, query: { kind: FLUX_RELEASE } }), caller.grant),
      );
      // What is stored in another namespace is another's business, as for every release.
      if (storage.namespace !== params.ns) await deps.auth.authorise(requireSession(caller), rightToStorage(storage));
      return answerStored(storage, caller, deps);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/flux/:name/rights',
    summary: 'What the signed-in person may request from Flux for an object: null, or the reason why not.',
    params: objectPath,
    query: kindQuery,
    answer: fluxRights,
    status: 200,
    act: (named) => ({ kind: 'view-topic', topic: topicOf(named) }),
    handle: ({ params, query }, caller, { commands }) => commands.readFluxRights(requireSession(caller), { ...params, ...query }),
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/namespaces/:ns/flux/:name/actions',
    formerly: 'acts',
    summary:
      'Requests Flux to reconcile, force, reset, suspend or resume an object, through its annotations and spec, as the signed-in person.',
    params: objectPath,
    body: fluxActRequest,
    answer: acceptedBody,
    status: 202,
    act: ({ params, body }) => ({ kind: 'act-on-flux', of: body.kind, ...params }),
    command: 'actOnFlux',
  }),
];
