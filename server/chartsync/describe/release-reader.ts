import { AppError, messageOf } from '@/lib/contract/app-error';
import { MOST_REFERENCES } from '@/lib/contract/object-statuses';
import type { CommitComparison, ReleaseCommits, ReleaseComparison, ThreeWay } from '@/lib/contract/release-comparison';
import type { ReleasePlan } from '@/lib/contract/release-edit';
import type { RollbackPreview } from '@/lib/contract/release-rows';
import type { UndeclaredDetail, UndeclaredReleases } from '@/lib/contract/undeclared-releases';
import type { Fields } from '@/lib/kube/fields';
import { readString } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { inParallel } from '@/lib/std/in-parallel';
import type { Cluster, Store } from '@/server/kube';
import { isNotFound } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { LiveObjects } from '../cluster/live-objects';
import { indexByRelease } from '../cluster/resources';
import { Decoder } from '../helm/decoder';
import { maskValues } from '../helm/mask-values';
import { HelmStorage } from '../helm/storage';
import type { Identities } from '../identities';
import type { DeclaredRelease } from '../model/declared';
import { readDeclared } from '../model/declared';
import type { HelmStatus, ReleaseRef, RevisionEntry } from '../model/release';
import type { ReleasePreviews } from '../preview/release-previews';
import { actOn } from '../undeclared/acts';
import { DeclaredBeforeReader } from '../undeclared/declared-before';
import { readUndeclaredDetail } from '../undeclared/read-detail';
import { readUndeclared } from '../undeclared/read-undeclared';
import { indexUninstalls } from '../undeclared/uninstall-decisions';
import type { RevisionContent } from './compare-revisions';
import { compareRevisions } from './compare-revisions';
import { compareThree } from './compare-three';
import type { HooksOfRelease } from './release-hooks';
import { readReleaseHooks } from './release-hooks';

/** Payloads reach a megabyte, so the content of so many revisions is read; of older ones the labels tell. */
const MOST_READ = 10;
const AT_ONCE = 4;
const NOTHING: RevisionContent = { values: {}, objects: [], notes: '' };

/** One stored revision as it is shown; what its content tells is null where that is not read. */
export interface ShownRevision {
  readonly revision: number;
  readonly status: HelmStatus;
  readonly storedAt: string | null;
  readonly chart: string | null;
  readonly chartVersion: string | null;
  readonly appVersion: string | null;
  /** What Helm noted of it, values masked. */
  readonly description: string | null;
}

/** Two stored revisions, and whether whoever asks may read them whole. */
interface ComparedRevisions {
  readonly from: number;
  readonly to: number;
  readonly maySeeValues: boolean;
}

/** Reads what Helm stored of a release when somebody asks, on any replica. Nothing is written. */
export interface ReleaseReader extends AsyncDisposable {
  /** Every stored revision, newest first. */
  readHistory(release: ReleaseRef): Promise<readonly ShownRevision[]>;
  /** The objects of the newest revision, as its manifest names them; hooks are none of them. */
  readObjects(release: ReleaseRef): Promise<readonly ObjectAddress[]>;
  /** What the newest revision makes beside them, event by event, and what masks its values. */
  readHooks(release: ReleaseRef): Promise<HooksOfRelease>;
  /** How two stored revisions of the release that a resource declares differ, values masked that its readers may not know. */
  compare(at: ObjectAddress, revisions: ComparedRevisions): Promise<ReleaseComparison>;
  /** The newest commits that touched the chart of the release that a resource declares. */
  commits(at: ObjectAddress): Promise<ReleaseCommits>;
  /** How what Helm stored last differs from what the chart of a commit would make, masked in the same way. */
  compareCommit(at: ObjectAddress, asked: { readonly commit: string; readonly maySeeValues: boolean }): Promise<CommitComparison>;
  /** The chart at its head, what Helm stored last and what is live, object by object, masked in the same way. */
  compareThree(at: ObjectAddress, asked: { readonly maySeeValues: boolean }): Promise<ThreeWay>;
  /** What releasing a resource would do, as it stands or as somebody is about to write it; `held` is the one before. */
  plan(declared: Declared, asked: { readonly maySeeValues: boolean }): Promise<PlanViews>;
  /** What the chart of a resource says of its values. */
  schema(object: KubeObject): Promise<Fields | undefined>;
  /** One release that no resource declares, and what uninstalling it does. */
  readUndeclared(release: ReleaseRef): Promise<Omit<UndeclaredDetail, 'refusal'>>;
  /** The releases of some namespaces, or of all, that Helm keeps and no resource declares. */
  undeclared(namespaces: readonly string[] | 'all'): Promise<UndeclaredReleases>;
  /** What going back to a stored revision does to each object, by what Helm stored; nothing of their content is told. */
  previewRollback(release: ReleaseRef, to: number): Promise<RollbackPreview>;
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

interface ReaderDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly previews: Pick<ReleasePreviews, 'commits' | 'head' | 'render' | 'plan' | 'schema'>;
  /** Watched copies of the kinds that declare releases, found by the release that they name. */
  readonly stores: readonly Store[];
  /** Watched copies of the decisions about them. */
  readonly decisions: Store;
  readonly identities: Pick<Identities, 'accountOf'>;
  /** The releases that other controllers declare, as `namespace/name` of what Helm stored; none where absent. */
  readonly others?: () => ReadonlySet<string>;
}

/** Reads Helm's storage as the server; whoever asks was authorised before. */
export function createReleaseReader({ cluster, clock, previews, stores, decisions, identities, others = () => new Set() }: ReaderDeps): ReleaseReader {
  for (const store of stores) indexByRelease(store);
  indexUninstalls(decisions);
  const decoder = new Decoder();
  const storage = new HelmStorage(cluster, decoder);
  const live = new LiveObjects({ storage, clusterFor: () => cluster, clock });
  const undeclared = { storage, stores, decisions, others, before: new DeclaredBeforeReader(live, stores) };
  const addressOf = async (object: KubeObject, release: ReleaseRef) => {
    const at = await live.addressOf(object, actOn(release), cluster).catch(() => toWritten(object, release));
    return { apiVersion: at.apiVersion, kind: at.kind, ns: at.namespace ?? null, name: at.name };
  };
  return {
    async readHistory(release) {
      const entries = [...(await storage.readHistory(release))].reverse();
      const shown = new Map<number, ShownRevision>();
      await inParallel(entries.slice(0, MOST_READ), AT_ONCE, async (entry) => void shown.set(entry.revision, await readOne(storage, release, entry)));
      return entries.map((entry) => shown.get(entry.revision) ?? fromLabels(entry));
    },
    async readObjects(release) {
      const act = { release, onBehalfOf: { namespace: release.namespace, account: undefined } };
      const found: ObjectAddress[] = [];
      for (const object of await live.read(act)) found.push(await live.addressOf(object, act, cluster).catch(() => toWritten(object, release)));
      return found;
    },
    readHooks: (release) => readReleaseHooks({ storage, live }, release),
    async compare(at, { from, to, maySeeValues }) {
      const resource = readDeclared(await cluster.get(at));
      const read = (revision: number) => readContent({ storage, live }, resource.release, revision);
      return { from, to, ...(await compareRevisions(await read(from), await read(to), { ...shownOf(resource, maySeeValues), clock })) };
    },
    commits: async (at) => previews.commits(readDeclared(await cluster.get(at))),
    async compareCommit(at, { commit, maySeeValues }) {
      const resource = readDeclared(await cluster.get(at));
      const stored = (await storage.readHistory(resource.release)).at(-1)?.revision ?? null;
      const rendered = await previews.render(resource, { commit, stored });
      const before = stored === null ? NOTHING : await readContent({ storage, live }, resource.release, stored);
      return { from: stored, commit, ...(await compareRevisions(before, rendered, { ...shownOf(resource, maySeeValues), clock })) };
    },
    async compareThree(at, { maySeeValues }) {
      const resource = readDeclared(await cluster.get(at));
      const { release } = resource;
      const newest = (await storage.readHistory(release)).at(-1)?.revision ?? null;
      const stored = newest === null ? NOTHING : await readContent({ storage, live }, release, newest);
      demandFew(stored);
      const head = await renderHead(previews, resource, newest);
      const act = { release, onBehalfOf: { namespace: release.namespace, account: undefined } };
      const readLive = async (object: KubeObject) => {
        try {
          return await cluster.get(await live.addressOf(object, act, cluster));
        } catch (error) {
          if (isNotFound(error)) return undefined;
          throw error;
        }
      };
      const told = await compareThree({ stored, head: head.content, readLive }, { ...shownOf(resource, maySeeValues), clock });
      return { stored: newest, head: { revision: head.revision, why: head.why }, ...told };
    },
    async plan({ object, held }, { maySeeValues }) {
      const resource = readDeclared(object);
      const { before, after, eachTime, left, digest, parts, stored, revision } = await previews.plan(resource);
      const inlineBefore = held === undefined ? {} : { inlineBefore: inlineOf(readDeclared(held)) };
      const view = async (maySee: boolean): Promise<ReleasePlan> => {
        const content = await compareRevisions(before, after, { ...shownOf(resource, maySee), ...inlineBefore, clock });
        const places = eachTime.map(({ paths, ...object }) => ({ ...object, paths: [...paths] }));
        return { ...content, plan: digest, parts, from: stored, revision, eachTime: places, left: [...left] };
      };
      const kept = await view(false);
      return { shown: maySeeValues ? await view(true) : kept, kept };
    },
    schema: async (object) => previews.schema(readDeclared(object)),
    undeclared: (namespaces) => readUndeclared(undeclared, namespaces),
    readUndeclared: (release) => readUndeclaredDetail({ ...undeclared, live, addressOf, accountOf: identities.accountOf }, release),
    async previewRollback(release, to) {
      const newest = (await storage.readHistory(release)).at(-1);
      if (newest === undefined) throw new AppError('not-found', `Helm has stored no revision of release ${release.name} in ${release.namespace}`);
      return { from: newest.revision, to, objects: compareObjects(await live.readAt(release, newest.revision), await live.readAt(release, to), release) };
    },
    [Symbol.asyncDispose]: () => decoder[Symbol.asyncDispose](),
  };
}

/** Each is a request, since whoever acts for the server need not watch its kind. */
function demandFew({ objects }: RevisionContent): void {
  if (objects.length <= MOST_REFERENCES) return;
  throw new AppError('too-large', `the release has ${objects.length} objects; at most ${MOST_REFERENCES} are compared with what is live`);
}

interface RenderedHead {
  readonly revision: string | null;
  readonly content: RevisionContent | undefined;
  readonly why: string | null;
}

/** Where the chart cannot be rendered now, what is stored and live is compared all the same. */
async function renderHead(previews: ReaderDeps['previews'], resource: DeclaredRelease, stored: number | null): Promise<RenderedHead> {
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
  return { namespace: resource.release.namespace, inline: inlineOf(resource), hides: !maySeeValues || sources.some(({ kind }) => kind !== 'ConfigMap') };
}

/** The values that stand in a resource itself. */
function inlineOf(resource: DeclaredRelease) {
  return resource.profile === 'base' ? resource.values : resource.spec.values;
}

async function readContent(
  { storage, live }: { readonly storage: HelmStorage; readonly live: LiveObjects },
  release: ReleaseRef,
  revision: number,
): Promise<RevisionContent> {
  try {
    const { values } = await storage.readRevision(release, revision);
    return { values, objects: await live.readAt(release, revision), notes: await storage.readNotes(release, revision) };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new AppError('not-found', `Helm has stored no revision ${revision} of release ${release.name} in ${release.namespace}, or none any more`);
  }
}

/** Helm compares the two manifests as well. */
function compareObjects(now: readonly KubeObject[], then: readonly KubeObject[], { namespace }: ReleaseRef): RollbackPreview['objects'] {
  const idOf = ({ apiVersion, kind, metadata }: KubeObject) =>
    toObjectId({ apiVersion, kind, namespace: metadata.namespace ?? namespace, name: metadata.name ?? '' });
  const [before, after] = [now, then].map((objects) => new Map(objects.map((object) => [idOf(object), object])));
  const lineOf = ({ apiVersion, kind, metadata }: KubeObject) => ({ apiVersion, kind, ns: metadata.namespace ?? namespace, name: metadata.name ?? '' });
  return [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].sort().flatMap((id): RollbackPreview['objects'] => {
    const [old, next] = [before?.get(id), after?.get(id)];
    if (next === undefined) return old === undefined ? [] : [{ ...lineOf(old), change: 'deleted' }];
    if (old === undefined) return [{ ...lineOf(next), change: 'created' }];
    return [{ ...lineOf(next), change: deepEqual(old, next) ? 'same' : 'changed' }];
  });
}

/** Of a kind that the cluster does not serve any more, as the manifest has it. */
function toWritten(object: Parameters<LiveObjects['addressOf']>[0], { namespace }: ReleaseRef): ObjectAddress {
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, namespace: metadata.namespace ?? namespace, name: metadata.name ?? '' };
}

async function readOne(storage: HelmStorage, release: ReleaseRef, entry: RevisionEntry): Promise<ShownRevision> {
  try {
    const { chart, values, description } = await storage.readRevision(release, entry.revision);
    const text = (member: string) => readString(chart.metadata, member) ?? null;
    return {
      ...fromLabels(entry),
      chart: text('name'),
      chartVersion: text('version'),
      appVersion: text('appVersion'),
      description: description === undefined ? null : maskValues(description, values),
    };
  } catch (error) {
    if (isNotFound(error)) return fromLabels(entry); // pruned by Helm meanwhile
    throw error;
  }
}

function fromLabels({ revision, status, storedAt }: RevisionEntry): ShownRevision {
  return { revision, status, storedAt: storedAt ?? null, chart: null, chartVersion: null, appVersion: null, description: null };
}
