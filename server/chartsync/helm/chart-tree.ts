import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { readList, readString } from '@/lib/kube/fields';
import { readYaml } from '@/lib/std/yaml/read-yaml';
import type { ChartAt } from '../model/release';
import { listChartFiles, requireSafeChart } from '../sources/chart-files';
import { MAX_CHART_FILE, readChartText } from '../sources/chart-text';
import { isLfsPointer, requireNoPointers } from '../values/lfs-pointers';

/** A larger file would keep everybody waiting while it is taken in one piece. */
const READ_WHOLE = 1024 * 1024;

/**
 * What the description of a revision holds of the chart it was made from (R-1B-8): a digest of all in its folder, built dependencies included. Throws
 * a sentence for a chart that Helm should not be given: one without an end, with an archive that unpacks to too much, a schema that has Helm go out, or pointers of Git LFS in the place of its files.
 */
export async function digestTree(folder: string): Promise<string> {
  const files = await listChartFiles(folder);
  const pointers: string[] = [];
  const hash = createHash('sha256');
  for (const { file, within, bytes } of files) {
    hash.update(`${within}\0${bytes}\0`); // names and bytes count, times do not
    if (bytes <= READ_WHOLE) {
      const content = await readFile(file);
      if (isLfsPointer(content)) pointers.push(within);
      hash.update(content);
    } else for await (const piece of createReadStream(file)) hash.update(piece as Buffer); // without an encoding that is what comes
  }
  await requireNoPointers(pointers, files); // before what they stand for is found unsound
  await requireSafeChart(files);
  return `chart-tree ${hash.digest('hex').slice(0, 40)}`;
}

/** A dependency that a chart declares. */
export interface Dependency {
  readonly name: string;
  /** A version or a range. */
  readonly version: string;
  readonly repository: string;
}

/** The dependencies that `Chart.yaml` declares; none where it is no YAML or not there, which Helm then says better. */
export async function readDependencies({ folder }: ChartAt): Promise<readonly Dependency[]> {
  const written = (await readChartText(path.join(folder, 'Chart.yaml'), { within: 'Chart.yaml', maxBytes: MAX_CHART_FILE })) ?? '';
  try {
    const chart: unknown = readYaml(written, { mostAliases: 0 });
    const text = (entry: unknown, member: string) => readString(entry, member) ?? '';
    return readList(chart, 'dependencies').map((entry) => ({
      name: text(entry, 'name'),
      version: text(entry, 'version'),
      repository: text(entry, 'repository'),
    }));
  } catch {
    return []; // Helm reads the same file next and says what is wrong with it
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
  // The version begins with a digit: `cache-admin-1.0.0.tgz` is no `cache`.
  const isOf = (entry: string, name: string) =>
    entry === name || (entry.startsWith(`${name}-`) && /^v?\d.*\.tgz$/.test(entry.slice(name.length + 1)));
  return declared.filter(({ name }) => !there.some((entry) => isOf(entry, name)));
}

function listSubcharts({ folder }: ChartAt): Promise<readonly string[]> {
  return readdir(path.join(folder, 'charts')).catch(() => []); // most charts have no such folder
}
