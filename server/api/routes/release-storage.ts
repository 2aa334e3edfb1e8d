import { isAppError } from '@/lib/contract/app-error';
import type { ReleaseComparison } from '@/lib/contract/release-comparison';
import type { ReleaseKindName } from '@/lib/contract/release-kind';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import { releaseDetail } from '@/lib/contract/release-rows';
import type { Topic } from '@/lib/contract/topic';
import { KINDS } from '@/lib/kube/kinds';
import type { Act } from '@/server/auth';
import type { ApiDeps } from '../api-deps';
import { readSnapshot } from '../read-topic';
import type { Asker } from '../route';
import { requireSession } from '../route';

const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const;

/** A release as a request names it: by the resource that declares it. */
export interface NamedRelease {
  readonly params: { readonly ns: string; readonly name: string };
  readonly query: { readonly kind: ReleaseKindName };
}

/** The topic of the release's page. */
export const topicOf = ({ params, query }: NamedRelease): Topic => ({ kind: 'release', ns: params.ns, of: query.kind, name: params.name });

/** What the page of a release shows. */
export async function readDetail(named: NamedRelease, { grant }: Asker, { readModel }: Pick<ApiDeps, 'readModel'>): Promise<ReleaseDetail> {
  const { rows } = await readSnapshot(readModel, topicOf(named), grant);
  return releaseDetail.parse(rows[0]);
}

/** The release that a resource declares. One in another namespace is another's business: it wants the right to what Helm stored there. */
export async function permitStorage(named: NamedRelease, asker: Asker, deps: Pick<ApiDeps, 'readModel' | 'auth'>): Promise<ReleaseDetail['release']> {
  const { release } = await readDetail(named, asker, deps);
  if (release.namespace !== named.params.ns) {
    await deps.auth.authorise(requireSession(asker), { kind: 'view-object', type: SECRET, ns: release.namespace, name: `sh.helm.release.v1.${release.name}` });
  }
  return release;
}

/** Two stored revisions, to whoever may see the release; each object by the right to get it, values by the right to what Helm stored. */
export async function compareStored(
  named: NamedRelease & { readonly query: { readonly from: number; readonly to: number } },
  asker: Asker,
  deps: ApiDeps,
): Promise<ReleaseComparison> {
  const release = await permitStorage(named, asker, deps);
  const session = requireSession(asker);
  const may = (act: Act) =>
    deps.auth.authorise(session, act).then(
      () => true,
      (error: unknown) => {
        if (isAppError(error) && (error.code === 'forbidden' || error.code === 'not-found')) return false;
        throw error;
      },
    );
  const { from, to, kind } = named.query;
  const stored = (revision: number) => `sh.helm.release.v1.${release.name}.v${revision}`;
  const maySeeStored = (revision: number) => may({ kind: 'view-object', type: SECRET, ns: release.namespace, name: stored(revision) });
  const maySeeValues = (await maySeeStored(from)) && (await maySeeStored(to));
  const at = { ...(kind === 'helmrelease' ? KINDS.helmRelease : KINDS.fluxHelmRelease), namespace: named.params.ns, name: named.params.name };
  const told = await deps.releases.compare(at, { from, to, maySeeValues });
  const objects: ReleaseComparison['objects'] = [];
  for (const object of told.objects) {
    const type = { apiVersion: object.apiVersion, kind: object.kind };
    const isSeen = await may({ kind: 'view-status', type, ns: object.ns ?? undefined, name: object.name });
    objects.push(isSeen ? object : { ...object, diff: null });
  }
  return { ...told, objects, notes: maySeeValues ? told.notes : null };
}
