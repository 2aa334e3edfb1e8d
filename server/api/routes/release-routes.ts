import { z } from 'zod';
import { statusesBody } from '@/lib/contract/object-statuses';
import { acceptedBody } from '@/lib/contract/pages/answers';
import {
  approvableCommit,
  commitComparison,
  releaseCommits,
  releaseComparison,
  storedContent,
  threeWay,
} from '@/lib/contract/release-comparison';
import { releaseDecisionRequest, uninstallRequest, wholeCommit } from '@/lib/contract/release-decision';
import { releaseDetail, releaseHistory, releaseRights, releaseRow, rollbackPreview } from '@/lib/contract/release-rows';
import { objectPath } from '@/lib/contract/requests';
import type { Route } from '../route';
import { defineRoute, requireSession } from '../route';
import { listRoute } from './list-route';
import { answerStored } from './release-objects';
import { kindQuery, viewRelease } from './release-params';
import { compareCommit, compareStored, compareThreeWays, permitStorage, readContent, readDetail, readHistory } from './release-storage';
import { readApproval, readCommits } from './releases/release-commits';

const revision = z.coerce.number().int().min(1);

export const releaseRoutes: readonly Route[] = [
  listRoute({
    kind: 'releases',
    row: releaseRow,
    summary:
      'The resources that declare Helm releases: filtered by `ns`, `health` (a state) and `owner` (comma-separated), `labels` (a selector) and `q`, ordered by `sort` and `desc`, by `page` and `size`.',
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name',
    summary: 'One Helm release: its state and the reason, who acted last, conditions, and recent reconciliations.',
    params: objectPath,
    query: kindQuery,
    answer: releaseDetail,
    status: 200,
    act: viewRelease,
    handle: async (named, caller, deps) => readDetail(named, caller, deps),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name/history',
    summary: 'The revisions of a release that Helm stored, newest first, without values.',
    params: objectPath,
    query: kindQuery,
    answer: releaseHistory,
    status: 200,
    act: viewRelease,
    handle: (named, caller, deps) => readHistory(named, caller, deps),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name/status',
    summary:
      'The status of a release, and of each object of its newest revision; Unknown with the reason where the right to get one is missing.',
    params: objectPath,
    query: kindQuery,
    answer: statusesBody,
    status: 200,
    act: viewRelease,
    handle: async (named, caller, deps) => answerStored(await permitStorage(named, caller, deps), caller, deps),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name/rollback',
    summary: 'What a rollback to the stored revision `to` does to each object of a release. Nothing is changed.',
    params: objectPath,
    query: kindQuery.extend({ to: revision }),
    answer: rollbackPreview,
    status: 200,
    isQueued: () => true,
    act: viewRelease,
    async handle(named, caller, deps) {
      return deps.releases.previewRollback(await permitStorage(named, caller, deps), named.query.to);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name/content',
    summary:
      'The content of the stored `revision` of a release, by default the newest: values, objects of the manifest and notes, masked as for two stored revisions.',
    params: objectPath,
    query: kindQuery.extend({ revision: revision.optional() }),
    answer: storedContent,
    status: 200,
    isQueued: () => true,
    act: viewRelease,
    handle: (named, caller, deps) => readContent(named, caller, deps),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name/compare',
    summary:
      'How two stored revisions of a release differ: values, objects and notes, those of Secrets masked, objects by the right to get each.',
    params: objectPath,
    query: kindQuery.extend({ from: revision, to: revision }),
    answer: releaseComparison,
    status: 200,
    isQueued: () => true,
    act: viewRelease,
    handle: (named, caller, deps) => compareStored(named, caller, deps),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name/commits',
    summary:
      'The newest commits that touched the chart of a release, newest first, and whether the release contains each; of one that waits for approval, what it has and needs.',
    params: objectPath,
    query: kindQuery,
    answer: releaseCommits,
    status: 200,
    act: viewRelease,
    handle: (named, caller, deps) => readCommits(named, caller, deps),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name/commits/:commit',
    summary:
      'How what Helm stored last of a release differs from what the chart of a commit would make, masked as for two stored revisions. Nothing is changed.',
    params: objectPath.extend({ commit: wholeCommit }),
    query: kindQuery,
    answer: commitComparison,
    status: 200,
    isQueued: () => true,
    act: viewRelease,
    handle: (named, caller, deps) => compareCommit(named, caller, deps),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name/commits/:commit/approval',
    summary:
      'The chart of a commit, which an approval of it sends, how many approvals it has, and whether one of the signed-in person would count.',
    params: objectPath.extend({ commit: wholeCommit }),
    query: kindQuery,
    answer: approvableCommit,
    status: 200,
    isQueued: () => true,
    act: viewRelease,
    handle: (named, caller, deps) => readApproval(named, caller, deps),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name/three-way',
    summary:
      'The chart of a release at its head, what Helm stored last and what is live, object by object, masked as for two stored revisions.',
    params: objectPath,
    query: kindQuery,
    answer: threeWay,
    status: 200,
    isQueued: () => true,
    act: viewRelease,
    handle: (named, caller, deps) => compareThreeWays(named, caller, deps),
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name/rights',
    summary: 'What the signed-in person may decide about a release: null, or the reason why not.',
    params: objectPath,
    query: kindQuery,
    answer: releaseRights,
    status: 200,
    act: viewRelease,
    handle: ({ params, query }, caller, { commands }) => commands.readReleaseRights(requireSession(caller), { ...params, ...query }),
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/namespaces/:ns/releases/:name/decisions',
    summary: 'Decides about a Helm release, as the person who is signed in.',
    params: objectPath,
    body: releaseDecisionRequest,
    answer: acceptedBody,
    status: 202,
    act: ({ params, body }) => ({ kind: 'decide-release', of: body.kind, verb: body.verb, ...params }),
    command: 'decideRelease',
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/namespaces/:ns/releases/:name/uninstall',
    summary: 'Deletes the resource that declares a Helm release, as the person who is signed in; Helm uninstalls what it declared.',
    params: objectPath,
    body: uninstallRequest,
    answer: acceptedBody,
    status: 202,
    act: ({ params, body }) => ({ kind: 'delete-release', of: body.kind, ...params }),
    command: 'uninstallRelease',
  }),
];
