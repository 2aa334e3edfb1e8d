import type { Fields } from '@/lib/kube/fields';

/** What Helm stores as the state of one revision. */
export const HELM_STATUSES = [
  'unknown',
  'deployed',
  'uninstalled',
  'superseded',
  'failed',
  'uninstalling',
  'pending-install',
  'pending-upgrade',
  'pending-rollback',
] as const;
export type HelmStatus = (typeof HELM_STATUSES)[number];

/** A release of Helm; its name is unique within the namespace. */
export interface ReleaseRef {
  readonly namespace: string;
  readonly name: string;
}

/** `namespace/name` of a release: what excludes and counts go by. */
export function releaseKey({ namespace, name }: ReleaseRef): string {
  return `${namespace}/${name}`;
}

/** The name of the Secret that Helm stores a revision in. */
export function storedName({ name }: Pick<ReleaseRef, 'name'>, revision: number): string {
  return `sh.helm.release.v1.${name}.v${revision}`;
}

/** The release and the revision that such a name tells; undefined for any other. */
export function readStoredName(text: string): { readonly name: string; readonly revision: number } | undefined {
  const [, name, revision] = /^sh\.helm\.release\.v1\.(.+)\.v([1-9]\d*)$/.exec(text) ?? [];
  return name === undefined ? undefined : { name, revision: Number(revision) };
}

/** A file of a chart: its name within the chart, and its bytes as Helm writes them (base64). */
export interface ChartFile {
  readonly name: string;
  readonly data: string;
}

/** Files of a chart in any order, or what tells them from others: there may be thousands, and all that is asked is whether they are the same. */
export type ChartFiles = readonly ChartFile[] | { readonly digest: string };

/** What of a chart counts when two are compared. */
export interface ChartContent {
  readonly metadata: Fields;
  readonly templates: ChartFiles;
  readonly files: ChartFiles;
  readonly values: Fields;
  readonly schema?: string;
  /** Helm 3 and later store none of them; see `treeDigest`. */
  readonly dependencies?: readonly ChartContent[];
}

/** One stored revision without its content. */
export interface RevisionEntry {
  readonly revision: number;
  readonly status: HelmStatus;
  /** When it was stored: ISO text. */
  readonly storedAt?: string;
}

/** One stored revision as it was read from Helm's storage. */
export interface StoredRevision extends RevisionEntry {
  readonly chart: ChartContent;
  readonly values: Fields;
  readonly description?: string;
  /** Of all that is stored of it, where that was taken when it was read. */
  readonly digest?: string;
}

/** What a server-side dry run says a release would become. */
export interface DryRunResult {
  readonly chart: ChartContent;
  readonly values: Fields;
  /** Of a chart with dependencies, which Helm does not store: what the description of an equal revision must hold. */
  readonly treeDigest?: string;
}

/** A chart directory in a working copy or in the cache of pulled charts. */
export interface ChartAt {
  /** Where it lies on disk. */
  readonly folder: string;
  /** Where it lies in the repository; the name of a chart that was pulled. */
  readonly path: string;
  /** The commit it was exported at, or the version it was pulled as. */
  readonly revision: string;
  /** What lies there where no folder does; absent where one does, or nothing. */
  readonly instead?: 'file' | 'link';
  /** SHA-256 of the archive or manifest that it was pulled from: one version may come to be another archive. Absent of a chart from git. */
  readonly digest?: string;
  /** Charts that it depends on and that were fetched into it; absent where none was. */
  readonly dependencies?: readonly FetchedDependency[];
}

/** A chart that another depends on, as it was found: its version, and SHA-256 of its archive. */
export interface FetchedDependency {
  readonly name: string;
  readonly version: string;
  readonly digest: string;
}
