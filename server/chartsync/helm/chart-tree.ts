import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { readList, readString } from '@/lib/kube/fields';
import type { ChartAt } from '../model/release';

/** What the description of a revision holds of the chart it was made from (R-1B-8): a digest of all in its folder, built dependencies included. */
export async function digestTree(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
  for (const file of files.sort()) {
    const bytes = await readFile(file);
    hash.update(`${path.relative(folder, file)}\0${bytes.byteLength}\0`).update(bytes); // names and bytes count, times do not
  }
  return `chart-tree ${hash.digest('hex').slice(0, 40)}`;
}

/** A dependency that a chart declares. */
interface Dependency {
  readonly name: string;
  readonly repository: string;
}

/** The dependencies that `Chart.yaml` declares; none where it cannot be read, which Helm then says better. */
export async function readDependencies({ folder }: ChartAt): Promise<readonly Dependency[]> {
  const text = await readFile(path.join(folder, 'Chart.yaml'), 'utf8').catch(() => '');
  try {
    const chart: unknown = parse(text, { maxAliasCount: 0, logLevel: 'silent' });
    return readList(chart, 'dependencies').map((entry) => ({ name: readString(entry, 'name') ?? '', repository: readString(entry, 'repository') ?? '' }));
  } catch {
    return [];
  }
}

/** True when subcharts lie in the chart, or are declared: Helm stores none of them. */
export async function hasDependencies(chart: ChartAt): Promise<boolean> {
  return (await readDependencies(chart)).length > 0 || (await listSubcharts(chart)).length > 0;
}

/** The declared dependencies that do not lie in the chart's `charts` folder. */
export async function missingDependencies(chart: ChartAt): Promise<readonly Dependency[]> {
  const declared = await readDependencies(chart);
  const there = declared.length === 0 ? [] : await listSubcharts(chart);
  return declared.filter(({ name }) => !there.some((entry) => entry === name || (entry.startsWith(`${name}-`) && entry.endsWith('.tgz'))));
}

function listSubcharts({ folder }: ChartAt): Promise<readonly string[]> {
  return readdir(path.join(folder, 'charts')).catch(() => []);
}
