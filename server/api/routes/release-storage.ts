import { isAppError } from '@/lib/contract/app-error';
import type { CommitComparison, ContentComparison, ReleaseComparison, StoredContent, ThreeWay } from '@/lib/contract/release-comparison';
import type { ReleaseKindName } from '@/lib/contract/release-kind';
import { RELEASE_TYPES } from '@/lib/contract/release-kind';
import type { ReleaseDetail, ReleaseHistory } from '@/lib/contract/release-rows';
import { releaseDetail } from '@/lib/contract/release-rows';
import type { Topic } from '@/lib/contract/topic';
import { nameOfKind } from '@/lib/kube/kinds';
import type { ObjectAddress } from '@/lib/kube/object';
import type { Act } from '@/server/auth';
import { CAUSING_ACTIONS, causeOf, revisionCauses } from '@/server/chartsync';
import type { ApiDeps } from '../api-deps';
import { readOne } from '../read-topic';
import type { Caller } from '../route';
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
export async function readDetail(
  named: NamedRelease,
  { grant }: Caller,
  { readModel }: Pick<ApiDeps, 'readModel'>,
): Promise<ReleaseDetail> {
  return releaseDetail.parse(await readOne(readModel, topicOf(named), grant));
}

/** The release that a resource declares. One in another namespace is another's business: it requires the right to what Helm stored there. */
export async function permitStorage(
  named: NamedRelease,
  caller: Caller,
  deps: Pick<ApiDeps, 'readModel' | 'auth'>,
): Promise<ReleaseDetail['release']> {
  const { release } = await readDetail(named, caller, deps);
  if (release.namespace !== named.params.ns) {
    await deps.auth.authorise(requireSession(caller), rightToStorage(release));
  }
  return release;
}

/** So many entries of the record are read of what made the stored revisions, of which Helm keeps ten. */
const MAX_ENTRIES = 200;

/** The stored revisions of a release, newest first, each with what made it as far as the record tells. A record that cannot be read tells nothing. */
export async function readHistory(named: NamedRelease, caller: Caller, deps: ApiDeps): Promise<ReleaseHistory> {
  const revisions = await deps.releases.readHistory(await permitStorage(named, caller, deps));
  const { ns: namespace, name } = named.params;
  const entries = await deps.record().then(
    (record) =>
      record.readEntries({
        actions: CAUSING_ACTIONS,
        about: { namespace, name, type: RELEASE_TYPES[named.query.kind] },
        most: MAX_ENTRIES,
      }),
    () => [],
  );
  const causes = revisionCauses(entries, { kind: nameOfKind(placeOf(named)), name });
  return {
    revisions: revisions.map((one) => {
      const cause = causeOf(causes, one);
      return { ...one, cause, behind: cause };
    }),
  };
}

/** The resource that a request names. */
export function placeOf({ params: { ns, name }, query: { kind } }: NamedRelease): ObjectAddress {
  return { ...RELEASE_TYPES[kind], namespace: ns, name };
}

/** What one stored revision holds, to whoever may see the release; each object by the right to get it, values and notes by the right to what Helm stored. */
export async function readContent(
  named: NamedRelease & { readonly query: { readonly revision?: number | undefined } },
  caller: Caller,
  deps: ApiDeps,
): Promise<StoredContent> {
  const release = await permitStorage(named, caller, deps);
  const may = rightsCheckOf(caller, deps);
  const maySeeValues = (revision: number) => may(rightToStorage(release, `.v${revision}`));
  return maskObjects(await deps.releases.content({ ...placeOf(named), release }, { revision: named.query.revision, maySeeValues }), may);
}

/** Of objects that somebody may not get, nothing but the name. */
export async function maskObjects(told: StoredContent, may: May): Promise<StoredContent> {
  const objects: StoredContent['objects'] = [];
  for (const object of told.objects) objects.push((await may(rightToGet(object))) ? object : { ...object, text: null, why: 'hidden' });
  return { ...told, objects };
}

/** Two stored revisions, to whoever may see the release; each object by the right to get it, values by the right to what Helm stored. */
export async function compareStored(
  named: NamedRelease & { readonly query: { readonly from: number; readonly to: number } },
  caller: Caller,
  deps: ApiDeps,
): Promise<ReleaseComparison> {
  const release = await permitStorage(named, caller, deps);
  const may = rightsCheckOf(caller, deps);
  const { from, to } = named.query;
  const maySeeValues = (await may(rightToStorage(release, `.v${from}`))) && (await may(rightToStorage(release, `.v${to}`)));
  return maskObjectsFor(may, await deps.releases.compare({ ...placeOf(named), release }, { from, to, maySeeValues }), maySeeValues);
}

/** What a commit would make of a release, by the same rights: whoever may not read the values is told none. */
export async function compareCommit(
  named: NamedRelease & { readonly params: { readonly commit: string } },
  caller: Caller,
  deps: ApiDeps,
): Promise<CommitComparison> {
  const release = await permitStorage(named, caller, deps);
  const may = rightsCheckOf(caller, deps);
  const maySeeValues = await may(rightToStorage(release));
  return maskObjectsFor(
    may,
    await deps.releases.compareCommit({ ...placeOf(named), release }, { commit: named.params.commit, maySeeValues }),
    maySeeValues,
  );
}

/** Head, stored and live of a release, by the same rights. */
export async function compareThreeWays(named: NamedRelease, caller: Caller, deps: ApiDeps): Promise<ThreeWay> {
  const release = await permitStorage(named, caller, deps);
  const may = rightsCheckOf(caller, deps);
  const told = await deps.releases.compareThree({ ...placeOf(named), release }, { maySeeValues: await may(rightToStorage(release)) });
  const objects: ThreeWay['objects'] = [];
  for (const object of told.objects) objects.push((await may(rightToGet(object))) ? object : { ...object, ...UNSEEN });
  return { ...told, objects };
}

const UNSEEN = { headDiff: null, live: 'hidden', why: null, first: null, fields: 0, by: null, liveDiff: null } as const;

/** The right to one object of a release. */
export const rightToGet = ({
  apiVersion,
  kind,
  ns,
  name,
}: Pick<ThreeWay['objects'][number], 'apiVersion' | 'kind' | 'ns' | 'name'>): Act => ({
  kind: 'view-status',
  type: { apiVersion, kind },
  ns: ns ?? undefined,
  name,
});

/** The right to what Helm stored of a release. */
export const rightToStorage = ({ namespace, name }: ReleaseDetail['release'], version = ''): Act => ({
  kind: 'view-object',
  type: SECRET,
  ns: namespace,
  name: `sh.helm.release.v1.${name}${version}`,
});

type May = (act: Act) => Promise<boolean>;

/** Asks whether whoever asks may do something, where that decides what is told of it. */
export function rightsCheckOf(caller: Caller, { auth }: Pick<ApiDeps, 'auth'>): May {
  const session = requireSession(caller);
  return (act) =>
    auth.authorise(session, act).then(
      () => true,
      (error: unknown) => {
        if (isAppError(error) && (error.code === 'forbidden' || error.code === 'not-found')) return false;
        throw error;
      },
    );
}

/** Of objects that somebody may not get nothing but the name is told; notes quote values. */
export async function maskObjectsFor<Comparison extends ContentComparison>(
  may: May,
  told: Comparison,
  maySeeValues: boolean,
): Promise<Comparison> {
  const objects: ContentComparison['objects'] = [];
  for (const object of told.objects) {
    const isSeen = await may(rightToGet(object));
    objects.push(isSeen ? object : { ...object, diff: null });
  }
  return { ...told, objects, notes: maySeeValues ? told.notes : null };
}
