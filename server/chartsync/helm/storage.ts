import { AppError } from '@/lib/contract/app-error';
import { grantCommand } from '@/lib/contract/grant';
import type { Fields } from '@/lib/kube/fields';
import { isFields, readList, readString } from '@/lib/kube/fields';
import type { Cluster } from '@/server/kube';
import type { ChartContent, HelmStatus, ReleaseRef, RevisionEntry, StoredRevision } from '../model/release';
import { releaseKey, storedName } from '../model/release';
import type { DecodedRelease, Decoder, StoredHook } from './decoder';
import type { Listed } from './stored-entry';
import { toEntry, toListed, toStatus } from './stored-entry';

const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const;
/** Labels only: payloads reach a megabyte each. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const MAX_LIST_BYTES = 64 * 1024 * 1024;
const PAGE = '500';
/** Of newest revisions, without templates and manifest; a larger one is read at every pass. */
const MAX_KEPT = 2000;
const MAX_KEPT_BYTES = 64 * 1024;
const OWN_LABEL = 'owner=helm';
const FORBIDDEN = 403;

/** The kinds of objects that Helm keeps releases in. */
type Kept = 'secrets' | 'configmaps';

/** One namespace, or all of them. */
interface Place {
  readonly kept: Kept;
  readonly namespace: string | undefined;
}

/** What the API server answered instead of a list. */
interface Refusal {
  readonly status: number;
  readonly message: string | undefined;
}

/** What is stored in one place, or that it may not be listed there. */
export type TriedNewest = { readonly kind: 'found'; readonly found: readonly NewestRevision[] } | { readonly kind: 'refused' };

/** The newest stored revision of a release. */
export interface NewestRevision {
  readonly release: ReleaseRef;
  readonly entry: RevisionEntry;
  /** Of the very object at the very moment. */
  readonly version: string;
  /** Of the object that it is stored in. */
  readonly uid: string;
}

/** Helm's own storage: one Secret per revision in the namespace of the release (spec/chartsync 11). Nothing is written. */
export class HelmStorage {
  readonly #cluster: Cluster;
  readonly #decoder: Pick<Decoder, 'decode'>;
  readonly #latest = new Map<string, { readonly version: string; readonly stored: StoredRevision }>();

  constructor(cluster: Cluster, decoder: Pick<Decoder, 'decode'>) {
    this.#cluster = cluster;
    this.#decoder = decoder;
  }

  /** The revisions of one release, oldest first, as their labels tell. */
  async readHistory({ namespace, name }: ReleaseRef): Promise<readonly RevisionEntry[]> {
    const entries = (await this.#list({ kept: 'secrets', namespace }, `owner=helm,name=${name}`)).flatMap(
      (listed) => toEntry(listed) ?? [],
    );
    return entries.sort((a, b) => a.revision - b.revision); // by number: as text v10 would come before v9
  }

  /** The state of the newest revision of every release of a namespace, by name, in as many requests as there are pages. */
  async readStates(namespace: string): Promise<ReadonlyMap<string, HelmStatus>> {
    return new Map((await this.readNewest('secrets', namespace)).map(({ release, entry }) => [release.name, entry.status]));
  }

  /** The newest revision of every release of a namespace, or of all, in the same way; also of those that Helm was told to keep in ConfigMaps. */
  async readNewest(kept: Kept, namespace: string | undefined): Promise<readonly NewestRevision[]> {
    return newestAmong(await this.#list({ kept, namespace }, OWN_LABEL));
  }

  /** The same; told as refused where they may not be listed. */
  async tryNewest(kept: Kept, namespace: string | undefined): Promise<TriedNewest> {
    const listed = await this.#tryList({ kept, namespace }, OWN_LABEL);
    if (!('status' in listed)) return { kind: 'found', found: newestAmong(listed.found) };
    if (listed.status === FORBIDDEN) return { kind: 'refused' };
    throw new AppError('unavailable', messageOfRefusal(listed));
  }

  /** The newest revision of one release; undefined where none is stored. */
  async findNewest({ namespace, name }: ReleaseRef): Promise<NewestRevision | undefined> {
    return newestAmong(await this.#list({ kept: 'secrets', namespace }, `owner=helm,name=${name}`))[0];
  }

  /** The newest revision with its content, which is read only where its Secret is another than it was last time; undefined when there is none. */
  async readLatest(release: ReleaseRef): Promise<StoredRevision | undefined> {
    const key = releaseKey(release);
    const listed = await this.#list({ kept: 'secrets', namespace: release.namespace }, `owner=helm,name=${release.name}`);
    const newest = listed
      .map((one) => ({ version: one.version, revision: toEntry(one)?.revision ?? 0 }))
      .reduce((last, one) => (one.revision > last.revision ? one : last), { version: '', revision: 0 });
    const known = this.#latest.get(key);
    if (known !== undefined && known.version === newest.version) return known.stored;
    this.#latest.delete(key);
    if (newest.revision === 0) return undefined;
    const stored = await this.readRevision(release, newest.revision);
    if (JSON.stringify(stored).length <= MAX_KEPT_BYTES) this.#latest.set(key, { version: newest.version, stored });
    if (this.#latest.size > MAX_KEPT) this.#latest.delete(this.#latest.keys().next().value ?? '');
    return stored;
  }

  /** One revision with its content. */
  async readRevision(release: ReleaseRef, revision: number): Promise<StoredRevision> {
    const decoded = await this.#read(release, revision);
    const { status, description, digest } = decoded;
    return { revision, status: toStatus(status), description, digest, ...toContents(decoded) };
  }

  /** What a revision made in the cluster, as YAML. */
  async readManifest(release: ReleaseRef, revision: number): Promise<string> {
    return (await this.#read(release, revision)).manifest;
  }

  /** What a revision makes beside that, event by event. */
  async readHooks(release: ReleaseRef, revision: number): Promise<readonly StoredHook[]> {
    return (await this.#read(release, revision)).hooks;
  }

  /** What lies in the crds folder of the chart of a revision, file by file. */
  async readDefinitions(release: ReleaseRef, revision: number): Promise<readonly string[]> {
    return (await this.#read(release, revision)).definitions;
  }

  /** What the chart says to whoever installed a revision. */
  async readNotes(release: ReleaseRef, revision: number): Promise<string> {
    return (await this.#read(release, revision)).notes;
  }

  async #read({ namespace, name }: ReleaseRef, revision: number): Promise<DecodedRelease> {
    const secret = await this.#cluster.get({ ...SECRET, namespace, name: storedName({ name }, revision) });
    const text = readString(secret, 'data', 'release');
    if (text === undefined) throw new AppError('internal', `revision ${revision} of release ${name} in ${namespace} has no payload`);
    return this.#decoder.decode({ kind: 'payload', text });
  }

  async #list(place: Place, labelSelector: string): Promise<readonly Listed[]> {
    const listed = await this.#tryList(place, labelSelector);
    if ('status' in listed) throw notListed(listed, place.kept, place.namespace);
    return listed.found;
  }

  async #tryList({ kept, namespace }: Place, labelSelector: string): Promise<{ readonly found: readonly Listed[] } | Refusal> {
    const within = namespace === undefined ? '' : `namespaces/${encodeURIComponent(namespace)}/`;
    const found: Listed[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const query = new URLSearchParams({ labelSelector, limit: PAGE, ...(next === '' ? {} : { continue: next }) });
      const path = `/api/v1/${within}${kept}?${query}`;
      const { status, body } = await this.#cluster.request({ path, headers: { accept: METADATA_ONLY } });
      const answer = parseAnswer(await readText(body));
      if (status !== 200) return { status, message: readString(answer, 'message') };
      for (const item of readList(answer, 'items')) found.push(toListed(item));
      next = readString(answer, 'metadata', 'continue') || undefined;
    }
    return { found };
  }
}

function newestAmong(all: readonly Listed[]): readonly NewestRevision[] {
  const newest = new Map<string, NewestRevision>();
  for (const listed of all) {
    const [entry, name] = [toEntry(listed), listed.labels.name];
    if (entry === undefined || name === undefined) continue;
    const release = { namespace: listed.namespace, name };
    const { version, uid } = listed;
    if ((newest.get(releaseKey(release))?.entry.revision ?? 0) < entry.revision)
      newest.set(releaseKey(release), { release, entry, version, uid });
  }
  return [...newest.values()];
}

const messageOfRefusal = ({ status, message = `status ${status}` }: Refusal) => message;

function notListed(refusal: Refusal, kept: Kept, namespace?: string): AppError {
  const why =
    refusal.status === FORBIDDEN && namespace !== undefined
      ? `the server may not list ${kept} in namespace ${namespace} until its owner grants it: ${grantCommand(namespace)}`
      : `the releases of ${namespace ?? 'all namespaces'} could not be listed: ${messageOfRefusal(refusal)}`;
  return new AppError('unavailable', why);
}

/** The chart and the user values of what Helm stored or printed. */
export function toContents({ chart, config }: DecodedRelease): { readonly chart: ChartContent; readonly values: Fields } {
  const schema = typeof chart.schema === 'string' && chart.schema !== '' ? { schema: chart.schema } : {};
  const content = { metadata: fieldsOf(chart.metadata), values: fieldsOf(chart.values), templates: chart.templates, files: chart.files };
  return { chart: { ...content, ...schema }, values: fieldsOf(config) };
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_LIST_BYTES) throw new AppError('too-large', 'a list of releases is larger than 64 MB');
  }
  return text + decoder.decode();
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // what is no JSON came with a status that says more
  }
}
