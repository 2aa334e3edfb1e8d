import type { StoredContent } from '@/lib/contract/release-comparison';
import type { ReleaseDecisionSpec } from '@/lib/contract/release-decision';
import type { RollbackPreview } from '@/lib/contract/release-rows';
import type { UndeclaredDetail, UndeclaredReleases } from '@/lib/contract/undeclared-releases';
import type { Fields } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import type { Cluster, Store } from '@/server/kube';
import { ignoreNotFound } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { LiveObjects } from '../../cluster/live-objects';
import { indexByRelease } from '../../cluster/resources';
import { Decoder } from '../../helm/decoder';
import { HelmStorage } from '../../helm/storage';
import type { Identities } from '../../identities';
import { readDeclared } from '../../model/declared';
import type { ReleaseRef } from '../../model/release';
import type { ReleasePreviews } from '../../preview/release-previews';
import { actOn } from '../../undeclared/acts';
import { DeclaredBeforeReader } from '../../undeclared/declared-before';
import { definitionsOf } from '../../undeclared/listed';
import { readUndeclaredDetail } from '../../undeclared/read-detail';
import { readUndeclared } from '../../undeclared/read-undeclared';
import { requireUndeclared } from '../../undeclared/require-undeclared';
import { SharedStorageReader } from '../../undeclared/shared-storage-reader';
import { indexUninstalls } from '../../undeclared/uninstall-decisions';
import type { ReconcileHistory } from '../reconcile-history';
import type { RequestedApproval, ShownApprovable, ShownCommits } from './commits';
import { createCommitsReader } from './commits';
import type { Comparisons } from './comparisons';
import { createComparisons } from './comparisons';
import type { HooksOfRelease } from './release-hooks';
import { NO_HOOKS, readReleaseHooks } from './release-hooks';
import { previewRollback } from './rollback-preview';
import { readStaleDefinitions } from './stale-definitions';
import type { ShownRevision } from './stored-history';
import { readStoredHistory } from './stored-history';
import type { PermittedRevision } from './undeclared-content';
import { readUndeclaredContent } from './undeclared-content';

/** Reads what Helm stored of a release when somebody asks, on any replica. Nothing is written. */
export interface ReleaseReader extends Comparisons, AsyncDisposable {
  /** Every stored revision, newest first. */
  readHistory(release: ReleaseRef): Promise<readonly ShownRevision[]>;
  /** The objects of the newest revision, as its manifest names them; hooks are none of them. */
  readObjects(release: ReleaseRef): Promise<readonly ObjectAddress[]>;
  /** What the newest revision makes beside them, event by event, and what masks its values. */
  readHooks(release: ReleaseRef): Promise<HooksOfRelease>;
  /** The definitions that came with the chart of the newest revision and are not installed as it has them, by name. */
  staleDefinitions(release: ReleaseRef): Promise<readonly string[]>;
  /** The newest commits that touched the chart of the release that a resource declares, each that a gate keeps from it as somebody may approve it. */
  commits(at: ObjectAddress, actor: ReleaseDecisionSpec['actor']): Promise<ShownCommits>;
  /** One of them as somebody may approve it now. */
  approvable(at: ObjectAddress, asked: RequestedApproval): Promise<ShownApprovable>;
  /** What the chart of a resource says of its values. */
  schema(object: KubeObject): Promise<Fields | undefined>;
  /** One release that no resource declares, and what uninstalling it does. */
  readUndeclared(release: ReleaseRef): Promise<UndeclaredDetail>;
  /** Every stored revision of a release that no resource declares, newest first. */
  undeclaredHistory(release: ReleaseRef): Promise<readonly ShownRevision[]>;
  /** What a stored revision of it holds, to whoever is permitted to read what Helm stored. */
  undeclaredContent(release: ReleaseRef, asked: PermittedRevision): Promise<StoredContent>;
  /** The releases of some namespaces, or of all, that Helm keeps and no resource declares. */
  undeclared(namespaces: readonly string[] | 'all'): Promise<UndeclaredReleases>;
  /** What going back to a stored revision does to each object, by what Helm stored; nothing of their content is told. */
  previewRollback(release: ReleaseRef, to: number): Promise<RollbackPreview>;
}

interface ReaderDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly previews: Pick<ReleasePreviews, 'commits' | 'approvable' | 'head' | 'render' | 'plan' | 'schema'>;
  /** Watched copies of the kinds that declare releases, found by the release that they name. */
  readonly stores: readonly Store[];
  /** Watched copies of the decisions about them. */
  readonly decisions: Store;
  readonly namespaces: Store;
  readonly identities: Pick<Identities, 'accountOf'>;
  /** What is being uninstalled since its resource was deleted. */
  readonly journal: Pick<ReconcileHistory, 'deletions' | 'loops'>;
  /** The releases that other controllers declare, as `namespace/name` of what Helm stored; none where absent. */
  readonly others?: () => ReadonlySet<string>;
}

/** Reads Helm's storage as the server; whoever asks was authorised before. */
export function createReleaseReader({
  cluster,
  clock,
  previews,
  stores,
  decisions,
  namespaces,
  identities,
  journal,
  others = () => new Set(),
}: ReaderDeps): ReleaseReader {
  for (const store of stores) indexByRelease(store);
  indexUninstalls(decisions);
  const decoder = new Decoder();
  const storage = new HelmStorage(cluster, decoder);
  const live = new LiveObjects({ storage, clusterFor: () => cluster, cluster, clock });
  const readings = new SharedStorageReader({ storage, namespaces, stores, decisions, deletions: () => journal.deletions(), clock });
  const isUndefined = definitionsOf(cluster, clock);
  const before = new DeclaredBeforeReader(live, { stores, journal, isUndefined });
  const undeclared = { storage, readings, stores, decisions, others, before, isUndefined };
  const addressOf = async (object: KubeObject, release: ReleaseRef) => {
    const at = await live.shownAddressOf(object, actOn(release), cluster);
    return { apiVersion: at.apiVersion, kind: at.kind, ns: at.namespace ?? null, name: at.name };
  };
  return {
    ...createComparisons({ cluster, clock, storage, live, previews }),
    readHistory: (release) => readStoredHistory(storage, release),
    async readObjects(release) {
      const act = actOn(release);
      const found: ObjectAddress[] = [];
      for (const object of (await ignoreNotFound(live.read(act))) ?? []) found.push(await live.shownAddressOf(object, act, cluster));
      return found;
    },
    // An uninstall may delete what was listed before it is read: then Helm stores nothing.
    readHooks: async (release) => (await ignoreNotFound(readReleaseHooks({ storage, live }, release))) ?? NO_HOOKS,
    staleDefinitions: async (release) => (await ignoreNotFound(readStaleDefinitions({ storage, live, cluster }, release))) ?? [],
    ...createCommitsReader({ cluster, decisions, previews }),
    schema: async (object) => previews.schema(readDeclared(object)),
    undeclared: (where) => readUndeclared(undeclared, where),
    async undeclaredHistory(release) {
      requireUndeclared(undeclared, release);
      return readStoredHistory(storage, release);
    },
    undeclaredContent: (release, asked) => readUndeclaredContent({ ...undeclared, cluster, clock, live }, release, asked),
    readUndeclared: (release) => readUndeclaredDetail({ ...undeclared, live, addressOf, accountOf: identities.accountOf }, release),
    previewRollback: (release, to) => previewRollback({ storage, live }, release, to),
    [Symbol.asyncDispose]: async () => {
      readings[Symbol.dispose]();
      await decoder[Symbol.asyncDispose]();
    },
  };
}
