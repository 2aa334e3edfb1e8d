import { z } from 'zod';
import { acceptedBody } from '@/lib/contract/pages/answers';
import type { StoredContent } from '@/lib/contract/release-comparison';
import { storedContent } from '@/lib/contract/release-comparison';
import { uninstallUndeclaredRequest } from '@/lib/contract/release-decision';
import { releaseHistory } from '@/lib/contract/release-rows';
import { objectPath } from '@/lib/contract/requests';
import { undeclaredDetail, undeclaredReleases } from '@/lib/contract/undeclared-releases';
import type { ApiDeps } from '../../api-deps';
import type { Caller, Route } from '../../route';
import { defineRoute, requireSession } from '../../route';
import { listTopic, toListQuery } from '../list-route';
import { maskObjects, rightsCheckOf, rightToStorage } from '../release-storage';

interface Named {
  readonly params: { readonly ns: string; readonly name: string };
}

/** Looking at the releases of the namespace: what labels tell, and names of objects. */
const viewing = ({ params: { ns } }: Named) => ({ kind: 'view-undeclared', ns }) as const;

/** The routes about releases that no resource declares. */
export const undeclaredRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/v1/undeclared-releases',
    summary:
      'The Helm releases that no resource declares, from the labels of what Helm stored: of `ns` (comma-separated), or of every namespace whose releases the caller may see.',
    query: z.strictObject({ ns: z.string().optional() }),
    answer: undeclaredReleases,
    status: 200,
    act: ({ query }) => ({ kind: 'view-topic', topic: listTopic('releases', query) }),
    handle({ query }, { grant: { visibility } }, { releases }) {
      // Whoever may list those of Flux alone sees the table too, and none of these.
      const { ns } = toListQuery({ ns: query.ns });
      return releases.undeclared(ns === undefined || visibility !== 'all' ? visibility : ns);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/undeclared-releases/:name',
    summary: 'A Helm release that no resource declares, and what uninstalling it deletes, by what Helm stored.',
    params: objectPath,
    answer: undeclaredDetail,
    status: 200,
    act: viewing,
    async handle({ params: { ns, name } }, caller, { releases, commands }) {
      const told = await releases.readUndeclared({ namespace: ns, name });
      return { ...told, refusal: told.refusal ?? (await commands.notUninstallUndeclaredReason(requireSession(caller), ns)) };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/undeclared-releases/:name/history',
    summary: 'The revisions that Helm stored of a release that no resource declares, newest first, without values.',
    params: objectPath,
    answer: releaseHistory,
    status: 200,
    act: viewing,
    async handle({ params: { ns, name } }, _caller, { releases }) {
      const revisions = await releases.undeclaredHistory({ namespace: ns, name });
      return { revisions: revisions.map((one) => ({ ...one, cause: null, behind: null })) };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/undeclared-releases/:name/content',
    summary:
      'The content of the stored `revision` of a release that no resource declares, by default the newest. It requires the right to get the Secret of that revision.',
    params: objectPath,
    query: z.strictObject({ revision: z.coerce.number().int().min(1).optional() }),
    answer: storedContent,
    status: 200,
    isQueued: () => true,
    act: viewing,
    handle: (named, caller, deps) => readContent(named, caller, deps),
  }),
  defineRoute({
    method: 'post',
    path: '/api/v1/namespaces/:ns/undeclared-releases/:name/uninstall',
    summary: 'Decides that Helm uninstalls a release that no resource declares, as the person who is signed in.',
    params: objectPath,
    body: uninstallUndeclaredRequest,
    answer: acceptedBody,
    status: 202,
    act: ({ params: { ns } }) => ({ kind: 'uninstall-undeclared', ns }),
    command: 'uninstallUndeclared',
  }),
];

/** Nothing of it without the right to what Helm stored, each object by the right to get it. */
async function readContent(
  { params: { ns: namespace, name }, query: { revision } }: Named & { readonly query: { readonly revision?: number | undefined } },
  caller: Caller,
  deps: ApiDeps,
): Promise<StoredContent> {
  const release = { namespace, name };
  const permit = async (read: number) => void (await deps.auth.authorise(requireSession(caller), rightToStorage(release, `.v${read}`)));
  return maskObjects(await deps.releases.undeclaredContent(release, { revision, permit }), rightsCheckOf(caller, deps));
}
