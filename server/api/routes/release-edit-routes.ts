import { z } from 'zod';
import { acceptedBody } from '@/lib/contract/pages/answers';
import { acceptReleasePlan, editableRelease, movedReleasePlan, releaseEditRequest, releasePlan } from '@/lib/contract/release-edit';
import { objectPath } from '@/lib/contract/requests';
import type { Route } from '../route';
import { defineRoute } from '../route';
import { answerEdit, readEditable, readMoved } from './release-edit';
import { kindQuery, viewRelease } from './release-params';

const EDIT_LIMIT = 2_000_000;

/** What changes a release: other values, or another version of its chart. */
export const releaseEditRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name/values',
    summary:
      'The editable parts of a release: its values as YAML, those of Secrets masked, and the version or branch of its chart, with the schema of values.',
    params: objectPath,
    query: kindQuery,
    answer: editableRelease,
    status: 200,
    act: viewRelease,
    handle: readEditable,
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/namespaces/:ns/releases/:name/edit',
    summary: 'Changes the values of a release, or the version or branch of its chart, bound to a previewed plan; or previews that plan.',
    params: objectPath,
    body: releaseEditRequest,
    bodyLimit: EDIT_LIMIT,
    answer: z.union([acceptedBody, releasePlan]),
    status: 202,
    isQueued: () => true,
    act: ({ params, body }) => ({ kind: 'change-release', of: body.kind, ...params }),
    handle: answerEdit,
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name/outdated-plan',
    formerly: 'moved-plan',
    summary: 'The previewed and the current plan of a release change on hold, as far as the signed-in person may see them.',
    params: objectPath,
    query: kindQuery,
    answer: movedReleasePlan,
    status: 200,
    isQueued: () => true,
    act: viewRelease,
    handle: readMoved,
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/namespaces/:ns/releases/:name/accept-plan',
    summary: 'Accepts the current plan of a waiting change of a release in place of the previewed one.',
    params: objectPath,
    body: acceptReleasePlan,
    answer: acceptedBody,
    status: 202,
    act: ({ params, body }) => ({ kind: 'change-release', of: body.kind, ...params }),
    command: 'acceptReleasePlan',
  }),
];
