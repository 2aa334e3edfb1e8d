import type { DriftAnswer } from '@/lib/contract/drift-rows';
import { driftAnswer, refusedObjects, replaceRequest, revertRequest } from '@/lib/contract/drift-rows';
import { acceptedBody } from '@/lib/contract/pages/answers';
import { objectPath } from '@/lib/contract/requests';
import type { Route } from '../route';
import { defineRoute, requireSession } from '../route';
import { objectQuery } from './application-routes';

export const driftRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/applications/:name/drift',
    summary:
      'One object of an application compared with its newest revision, read with the rights of the person, with who set what and since when.',
    params: objectPath,
    query: objectQuery,
    answer: driftAnswer,
    status: 200,
    act: ({ query: { apiVersion, kind, ns, name } }) => ({ kind: 'view-object', type: { apiVersion, kind }, ns, name }),
    async handle({ params, query: { apiVersion, kind, ns, name } }, caller, { commands }) {
      const at = { apiVersion, kind, ...(ns === undefined ? {} : { namespace: ns }), name };
      return withFormerNames(await commands.readDrift(requireSession(caller), params, at));
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/applications/:name/refused-objects',
    formerly: 'refused',
    summary: 'What the cluster refuses of a newest revision that could not be applied, by a dry run, each with the reason.',
    params: objectPath,
    answer: refusedObjects,
    status: 200,
    act: ({ params }) => ({ kind: 'view-topic', topic: { kind: 'application', ...params } }),
    command: 'readRefused',
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/namespaces/:ns/applications/:name/revert',
    formerly: 'put-back',
    summary: 'Requests that one object be reverted to the newest revision, even if a policy leaves its drift.',
    params: objectPath,
    body: revertRequest,
    answer: acceptedBody,
    status: 202,
    act: ({ params }) => ({ kind: 'change-application', ...params }),
    command: 'revertObject',
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/namespaces/:ns/applications/:name/replace',
    summary: 'Deletes one object that cannot be changed to match the newest revision, applied or refused, so that it is created again.',
    params: objectPath,
    body: replaceRequest,
    answer: acceptedBody,
    status: 202,
    act: ({ params }) => ({ kind: 'change-application', ...params }),
    command: 'replaceObject',
  }),
];

/** What differs by its older names as well, for one release more. */
function withFormerNames(drift: DriftAnswer): DriftAnswer {
  if (drift.state !== 'compared') return drift;
  const fields = drift.fields.map((field) => {
    const { desired: wanted, live: found, desiredLine: wantedLine, liveLine: foundLine } = field;
    return { ...field, wanted, found, wantedLine, foundLine };
  });
  return { ...drift, fields, notesManagers: drift.hasManagedFields, wanted: drift.desired, found: drift.live };
}
