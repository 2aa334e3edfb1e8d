import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';

const HOUR_MS = 3_600_000;
const BRANCH = 'main';
const NAMESPACE = 'platform';

/** A commit of the charts that releases follow. */
export interface ChartCommit {
  readonly subject: string;
  readonly author: { readonly name: string; readonly email: string };
  /** How long before the installation it was made. */
  readonly agoMs: number;
  /** Whole files by their path in the repository. */
  readonly files: Readonly<Record<string, string>>;
}

const PRIYA = { name: 'Priya Nair', email: 'priya@example.com' };
const MARCO = { name: 'Marco Ruiz', email: 'marco@example.com' };

/** The history of the charts in a folder: all of them, then a change of each. */
export async function chartCommits(folder: string): Promise<readonly ChartCommit[]> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    files[path.posix.join('charts', ...path.relative(folder, file).split(path.sep))] = await readFile(file, 'utf8');
  }
  const changed = (file: string, from: string, to: string) => ({ [file]: (files[file] ?? '').replace(from, to) });
  return [
    { subject: 'Add charts of the notifier and of reports', author: PRIYA, agoMs: 72 * HOUR_MS, files },
    {
      subject: 'reports: run at four, after the backup',
      author: MARCO,
      agoMs: 26 * HOUR_MS,
      files: changed('charts/reports/values.yaml', '0 3', '0 4'),
    },
    {
      subject: 'notifier: two replicas, so that none is lost in an upgrade',
      author: PRIYA,
      agoMs: 2 * HOUR_MS,
      files: {
        ...changed('charts/notifier/values.yaml', 'replicas: 1', 'replicas: 2'),
        ...changed('charts/notifier/Chart.yaml', 'version: 1.0.0', 'version: 1.1.0'),
      },
    },
  ];
}

/** Two releases that follow these charts: one by itself, one at what people approve. */
export function chartReleases(git: string): readonly KubeObject[] {
  const release = (name: string, more: object = {}, annotations: Readonly<Record<string, string>> = {}) => ({
    ...KINDS.helmRelease,
    metadata: { name, namespace: NAMESPACE, annotations },
    spec: { releaseName: name, chart: { git, ref: BRANCH, path: `charts/${name}` }, ...more },
  });
  return [
    { ...KINDS.namespace, metadata: { name: NAMESPACE, labels: { 'slipway.dev/demonstration': 'true' } } },
    release('notifier', { driftDetection: { mode: 'warn' }, values: { channel: 'shop-releases' } }),
    release('reports', {}, { 'slipway.dev/approvals': '1' }),
  ];
}
