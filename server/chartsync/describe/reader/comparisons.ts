import { AppError, messageOf } from '@/lib/contract/app-error';
import { MAX_REFERENCES } from '@/lib/contract/object-statuses';
import type { CommitComparison, ReleaseComparison, StoredContent, ThreeWay } from '@/lib/contract/release-comparison';
import type { ReleasePlan } from '@/lib/contract/release-edit';
import { describeResource } from '@/lib/kube/kinds';
import { secretsIn } from '@/lib/kube/mask';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { ignoreNotFound, isNotFound } from '@/server/kube';
import type { Clock } from '@/server/platform';
import type { LiveObjects } from '../../cluster/live-objects';
import type { HelmStorage } from '../../helm/storage';
import type { DeclaredRelease } from '../../model/declared';
import { readDeclared } from '../../model/declared';
import type { ReleaseRef } from '../../model/release';
import { releaseKey } from '../../model/release';
import type { ReleasePreviews } from '../../preview/release-previews';
import { actOn } from '../../undeclared/acts';
import type { RevisionContent } from '../compare-revisions';
import { compareRevisions } from '../compare-revisions';
import { compareThree } from '../compare-three';
import { staleOf } from './stale-definitions';
import { describeStored } from './stored-content';

const NOTHING: RevisionContent = { values: {}, objects: [], notes: '' };

/** Two stored revisions, and whether whoever asks may read them whole. */
interface ComparedRevisions {
  readonly from: number;
  readonly to: number;
  readonly maySeeValues: boolean;
}

/** A resource, and as it was before where that was another spec. */
export interface Declared {
  readonly object: KubeObject;
  readonly held?: KubeObject;
}

/** A plan as somebody may see it, and as anybody may who may see the release. */
export interface PlanViews {
  readonly shown: ReleasePlan;
  readonly kept: ReleasePlan;
}

/** A stored revision, the newest where none is named, and whether whoever asks may read one whole. */
interface AskedRevision {
  readonly revision: number | undefined;
  readonly maySeeValues: (revision: number) => Promise<boolean>;
}

/** A resource, and the release that it declared when whoever asks was permitted that one: it may name another since, which is nobody's to see by it. */
export interface PermittedResource extends ObjectAddress {
  readonly release: ReleaseRef;
}

/** What contents of a release hold and how they differ, as whoever asks may see them. */
export interface Comparisons {
  /** What a stored revision of the release that a resource declares holds, values masked that its readers may not know. */
  content(at: PermittedResource, asked: AskedRevision): Promise<StoredContent>;
  /** How two stored revisions of the release that a resource declares differ, values masked that its readers may not know. */
  compare(at: PermittedResource, revisions: ComparedRevisions): Promise<ReleaseComparison>;
  /** How what Helm stored last differs from what the chart of a commit would make, masked in the same way. */
  compareCommit(at: PermittedResource, asked: { readonly commit: string; readonly maySeeValues: boolean }): Promise<CommitComparison>;
  /** The chart at its head, what Helm stored last and what is live, object by object, masked in the same way. */
  compareThree(at: PermittedResource, asked: { readonly maySeeValues: boolean }): Promise<ThreeWay>;
  /** What releasing a resource would do, as it stands or as somebody is about to write it; `held` is the one before. */
  plan(declared: Declared, asked: { readonly release: ReleaseRef; readonly maySeeValues: boolean }): Promise<PlanViews>;
}

interface ComparisonDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly storage: HelmStorage;
  readonly live: LiveObjects;
  readonly previews: Pick<ReleasePreviews, 'head' | 'render' | 'plan'>;
}

/** Compares what Helm stored, what charts make and what is live. */
export function createComparisons(deps: ComparisonDeps): Comparisons {
  const { cluster, clock, storage, previews } = deps;
  return {
    async content(at, asked) {
      const resource = await readPermitted(cluster, at);
      const { release } = resource;
      const revision = asked.revision ?? (await storage.readHistory(release)).at(-1)?.revision;
      if (revision === undefined)
        throw new AppError('not-found', `Helm has stored no revision of release ${release.name} in ${release.namespace}`);
      const content = await readContent(deps, release, revision);
      const maySeeValues = await asked.maySeeValues(revision);
      const addressOf = (object: KubeObject) => deps.live.shownAddressOf(object, actOn(release), cluster);
      const told = await describeStored(content, { ...shownOf(resource, maySeeValues), addressOf, clock });
      return { revision, ...told, notes: maySeeValues ? told.notes : null };
    },
    async compare(at, { from, to, maySeeValues }) {
      const resource = await readPermitted(cluster, at);
      const read = (revision: number) => readContent(deps, resource.release, revision);
      return { from, to, ...(await compareRevisions(await read(from), await read(to), { ...shownOf(resource, maySeeValues), clock })) };
    },
    async compareCommit(at, { commit, maySeeValues }) {
      const resource = await readPermitted(cluster, at);
      const stored = (await storage.readHistory(resource.release)).at(-1)?.revision ?? null;
      const rendered = await previews.render(resource, { commit, stored });
      const before = stored === null ? NOTHING : await readContent(deps, resource.release, stored);
      const told = await compareRevisions(before, rendered, { ...shownOf(resource, maySeeValues), clock });
      const definitions = await staleOf(rendered.definitions ?? [], deps, { isNew: stored === null });
      const nondeterministic = (rendered.nameless ?? []).map((one) => ({ ...one, paths: [] }));
      return { from: stored, commit, ...told, definitions: [...definitions], nondeterministic };
    },
    async compareThree(at, { maySeeValues }) {
      const resource = await readPermitted(cluster, at);
      const { release } = resource;
      const newest = (await storage.readHistory(release)).at(-1)?.revision ?? null;
      const stored = newest === null ? NOTHING : await readContent(deps, release, newest);
      requireFew(stored);
      const head = await renderHead(previews, resource, newest);
      const readLive = (object: KubeObject) => readLiveOf(object, release, deps);
      const told = await compareThree({ stored, head: head.content, readLive }, { ...shownOf(resource, maySeeValues), clock });
      return { stored: newest, head: { revision: head.revision, why: head.why }, ...told };
    },
    async plan({ object, held }, { release, maySeeValues }) {
      const resource = requirePermitted(readDeclared(object), release);
      const { before, after, nondeterministic, left, digest, parts, stored, revision } = await previews.plan(resource);
      const inlineBefore = held === undefined ? {} : { inlineBefore: inlineOf(readDeclared(held)) };
      const view = async (maySee: boolean): Promise<ReleasePlan> => {
        const content = await compareRevisions(before, after, { ...shownOf(resource, maySee), ...inlineBefore, clock });
        const places = nondeterministic.map(({ paths, ...object }) => ({ ...object, paths: [...paths] }));
        return { ...content, plan: digest, parts, from: stored, revision, nondeterministic: places, left: [...left] };
      };
      const kept = await view(false);
      return { shown: maySeeValues ? await view(true) : kept, kept };
    },
  };
}

async function readPermitted(cluster: Cluster, { release, ...at }: PermittedResource): Promise<DeclaredRelease> {
  return requirePermitted(readDeclared(await cluster.get(at)), release);
}

function requirePermitted(resource: DeclaredRelease, permitted: ReleaseRef): DeclaredRelease {
  if (releaseKey(resource.release) === releaseKey(permitted)) return resource;
  throw new AppError('conflict', `${describeResource(resource.at)} names another release than a moment ago; open it again`);
}

async function readLiveOf(
  object: KubeObject,
  release: ReleaseRef,
  { cluster, live }: Pick<ComparisonDeps, 'cluster' | 'live'>,
): Promise<KubeObject | undefined> {
  return ignoreNotFound(live.addressOf(object, actOn(release), cluster).then((at) => cluster.get(at)));
}

/** Each is a request, since whoever acts for the server need not watch its kind. */
function requireFew({ objects }: RevisionContent): void {
  if (objects.length <= MAX_REFERENCES) return;
  throw new AppError('too-large', `the release has ${objects.length} objects; at most ${MAX_REFERENCES} are compared with what is live`);
}

interface RenderedHead {
  readonly revision: string | null;
  readonly content: RevisionContent | undefined;
  readonly why: string | null;
}

/** Where the chart cannot be rendered now, what is stored and live is compared all the same. */
async function renderHead(previews: ComparisonDeps['previews'], resource: DeclaredRelease, stored: number | null): Promise<RenderedHead> {
  let revision: string | null = null;
  try {
    revision = await previews.head(resource);
    return { revision, content: await previews.render(resource, { commit: revision, stored }), why: null };
  } catch (error) {
    return { revision, content: undefined, why: messageOf(error) };
  }
}

/** What may be told of the contents of a release. Values of Secrets are nobody's to read here, and what a file or an address holds nobody knows. */
function shownOf(resource: DeclaredRelease, maySeeValues: boolean) {
  const sources = resource.profile === 'base' ? resource.valuesFrom : resource.spec.valuesFrom;
  return {
    namespace: resource.release.namespace,
    inline: inlineOf(resource),
    hides: !maySeeValues || sources.some(({ kind }) => kind !== 'ConfigMap'),
  };
}

/** The values that stand in a resource itself. */
function inlineOf(resource: DeclaredRelease) {
  return resource.profile === 'base' ? resource.values : resource.spec.values;
}

/** What Helm stored of one revision. */
export async function readContent(
  { storage, live }: Pick<ComparisonDeps, 'storage' | 'live'>,
  release: ReleaseRef,
  revision: number,
): Promise<RevisionContent> {
  try {
    const { values, chart } = await storage.readRevision(release, revision);
    const objects = await live.readAt(release, revision);
    return { values, objects, notes: await storage.readNotes(release, revision), secrets: secretsIn(chart.values) };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new AppError(
      'not-found',
      `Helm has stored no revision ${revision} of release ${release.name} in ${release.namespace}, or no longer has it`,
    );
  }
}
