import { createHash } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError, isAppError, messageOf } from '@/lib/contract/app-error';
import { readList, readString } from '@/lib/kube/fields';
import { hideCredentials } from '@/lib/kube/mask';
import { deepEqual } from '@/lib/std/deep-equal';
import { readYaml } from '@/lib/std/yaml/read-yaml';
import type { Dependency } from '../helm/chart-tree';
import { missingDependencies } from '../helm/chart-tree';
import type { DependencyAccess } from '../model/dependency-secrets';
import { DEPENDENCY_SECRETS, secretFor } from '../model/dependency-secrets';
import type { ChartAt, FetchedDependency } from '../model/release';
import { diskFullIn } from '../process/disk-full';
import { copyChart } from './chart-files';
import { MAX_CHART_FILE, readChartText } from './chart-text';
import type { PulledCharts } from './pulled-charts';
import { parseVersion, readRange } from './version-range';

/** More than anybody builds at one commit; an older one is built again. */
const MAX_BUILT = 2000;
/** So many copies that others took the place of stay beside each: a sync that began with one may still wait for its turn of Helm. */
const MAX_SUPERSEDED = 8;
const LOCAL = 'file://';
const HOW_TO_NAME = `; name a Secret for it in spec.chart.dependencySecrets, or in annotation ${DEPENDENCY_SECRETS}`;

/**
 * Builds the dependencies that a chart of git declares and does not hold, once per commit and chart, in a copy of the chart: nothing of an export is
 * written to, and all who release the chart read the one copy (X-DEP-1, spec/chartsync 14.14). What was fetched with credentials is for those alone who
 * name the same ones and act as the same account.
 */
export class Dependencies {
  readonly #pulled: Pick<PulledCharts, 'archive'>;
  readonly #signal: AbortSignal;
  readonly #built = new Map<string, Promise<ChartAt>>();
  /** By the same keys, the oldest first. */
  readonly #superseded = new Map<string, string[]>();
  #builds = 0;

  /** All that is built ends with the signal: whoever waits for the same chart shares one build, so that none of them alone ends it. */
  constructor(pulled: Pick<PulledCharts, 'archive'>, signal: AbortSignal) {
    this.#pulled = pulled;
    this.#signal = signal;
  }

  /** The chart with its dependencies; a failure is not kept (X-DEP-2), and they are fetched anew where others are wanted than were found. */
  build(chart: ChartAt, access: DependencyAccess, wanted?: readonly FetchedDependency[]): Promise<ChartAt> {
    const key = JSON.stringify([chart.folder, ...(access.secrets.length === 0 ? [] : [access])]);
    const before = this.#built.get(key);
    const isOther = ({ dependencies }: ChartAt) => wanted !== undefined && dependencies !== undefined && !deepEqual(dependencies, wanted);
    const known =
      before?.then((built) => (isOther(built) ? this.#buildAgain(chart, { access, key, built }) : built)) ??
      this.#build(chart, { access, key });
    this.#built.set(key, known);
    known.catch(() => this.#built.delete(key)); // whoever waits hears of it; the next one tries again
    if (this.#built.size > MAX_BUILT) this.#forget(this.#built.keys().next().value ?? '');
    return known;
  }

  #forget(key: string): void {
    this.#built.delete(key);
    this.#superseded.delete(key);
  }

  /** What comes to the same is not kept twice, nor without end what differs: it is asked for again and again while nobody approves it. */
  async #buildAgain(chart: ChartAt, { built, ...rest }: BuildAs & { readonly built: ChartAt }): Promise<ChartAt> {
    const again = await this.#build(chart, rest);
    const isOther = !deepEqual(again.dependencies, built.dependencies);
    const superseded = isOther ? [...(this.#superseded.get(rest.key) ?? []), built.folder] : [];
    const going = isOther ? superseded.splice(0, Math.max(0, superseded.length - MAX_SUPERSEDED)) : [again.folder];
    if (isOther) this.#superseded.set(rest.key, superseded);
    for (const folder of going) await rm(folder, { recursive: true, force: true });
    return isOther ? again : built;
  }

  async #build(chart: ChartAt, { access, key }: BuildAs): Promise<ChartAt> {
    const root = rootOf(chart);
    // Never one that somebody may be reading.
    const folder = path.join(buildsOf(root), `${createHash('sha256').update(key).digest('hex').slice(0, 32)}-${this.#builds++}`);
    const fresh = `${folder}.new`;
    const dependencies: FetchedDependency[] = [];
    await rm(fresh, { recursive: true, force: true });
    try {
      const locks = await readLocks(chart);
      await copyChart(chart.folder, fresh, { root, signal: this.#signal });
      await mkdir(path.join(fresh, 'charts'), { recursive: true, mode: 0o700 });
      for (const dependency of await missingDependencies(chart)) {
        this.#signal.throwIfAborted();
        const fetched = await this.#add(dependency, { chart, root, fresh, locks, access });
        if (fetched !== undefined) dependencies.push(fetched);
      }
      this.#signal.throwIfAborted(); // what is built for nobody lies in nobody's way
      await rm(folder, { recursive: true, force: true });
      await rename(fresh, folder);
    } catch (error) {
      await rm(fresh, { recursive: true, force: true });
      const noRoom = diskFullIn(messageOf(error));
      throw noRoom === undefined
        ? error
        : new AppError('unavailable', `dependencies of chart ${chart.path} could not be built: ${noRoom}`, { cause: error });
    }
    return { ...chart, folder, ...(dependencies.length === 0 ? {} : { dependencies }) };
  }

  /** Adds one; answers what was fetched, and undefined for one of the same repository. */
  async #add(dependency: Dependency, { chart, root, fresh, locks, access }: Building): Promise<FetchedDependency | undefined> {
    const { name, repository } = dependency;
    if (!/^[a-zA-Z0-9][a-zA-Z0-9._-]*$/.test(name))
      throw new AppError('invalid', `${JSON.stringify(name)} is not a valid name of a chart dependency`);
    if (repository === '')
      throw new AppError('invalid', `dependency ${name} of chart ${chart.path} neither names a repository nor lies in its charts folder`);
    if (repository.startsWith(LOCAL)) {
      await addLocal(dependency, { chart, root, to: path.join(fresh, 'charts', name), signal: this.#signal });
      return undefined;
    }
    if (!/^(https?|oci):\/\//.test(repository)) {
      throw new AppError(
        'invalid',
        `dependency ${name} of chart ${chart.path} needs a repository with https://, http://, oci:// or file://, found ${hideCredentials(JSON.stringify(repository))}`,
      );
    }
    const secret = secretFor(repository, access.secrets);
    const wanted = { repository, name, version: versionOf(dependency, locks), secret };
    const { version, bytes } = await this.#pulled.archive(wanted, access.onBehalfOf).catch((error: unknown) => {
      const isRefused = isAppError(error) && error.code === 'forbidden' && secret === undefined;
      throw new AppError('unavailable', `dependency ${name} of chart ${chart.path}: ${messageOf(error)}${isRefused ? HOW_TO_NAME : ''}`, {
        cause: error,
      });
    });
    await writeFile(path.join(fresh, 'charts', `${name}-${version}.tgz`), bytes, { mode: 0o600 });
    return { name, version, digest: createHash('sha256').update(bytes).digest('hex') };
  }
}

interface BuildAs {
  readonly access: DependencyAccess;
  readonly key: string;
}

interface Building {
  readonly chart: ChartAt;
  readonly root: string;
  readonly fresh: string;
  readonly locks: readonly Dependency[] | undefined;
  readonly access: DependencyAccess;
}

/** Where the charts of an export with their dependencies lie: beside it, so that they go with it. */
export function buildsOf(exported: string): string {
  return `${exported}.builds`;
}

function rootOf({ folder, path: within }: ChartAt): string {
  return within === '.' ? folder : folder.slice(0, -(within.length + 1));
}

/** What `Chart.lock` says; undefined where there is none. */
async function readLocks({ folder }: ChartAt): Promise<readonly Dependency[] | undefined> {
  const text = await readChartText(path.join(folder, 'Chart.lock'), { within: 'Chart.lock', maxBytes: MAX_CHART_FILE });
  if (text === undefined) return undefined;
  const read = (entry: unknown, member: string) => readString(entry, member) ?? '';
  try {
    const lock: unknown = readYaml(text, { mostAliases: 0 });
    return readList(lock, 'dependencies').map((entry) => ({
      name: read(entry, 'name'),
      repository: read(entry, 'repository'),
      version: read(entry, 'version'),
    }));
  } catch {
    return []; // which holds nothing that the chart wants
  }
}

/** A lock that does not say what the chart says was not made from it, and is believed by nobody. */
function versionOf({ name, repository, version }: Dependency, locks: readonly Dependency[] | undefined): string {
  if (locks === undefined) return version;
  const lock = locks.find((each) => each.name === name && each.repository.replace(/\/$/, '') === repository.replace(/\/$/, ''));
  const locked = parseVersion(lock?.version ?? '');
  if (locked === undefined || !(readRange(version === '' ? '*' : version)?.(locked) ?? false)) {
    throw new AppError(
      'invalid',
      `Chart.lock does not match dependency ${name} of Chart.yaml; run helm dependency update and commit the result`,
    );
  }
  return locked.text;
}

async function addLocal(
  { name, repository }: Dependency,
  { chart, to, ...rest }: { readonly chart: ChartAt; readonly root: string; readonly to: string; readonly signal: AbortSignal },
): Promise<void> {
  const from = path.resolve(chart.folder, repository.slice(LOCAL.length));
  const inside = from.startsWith(`${path.resolve(rest.root)}${path.sep}`);
  if (!inside) throw new AppError('invalid', `dependency ${name} of chart ${chart.path} is outside the repository`);
  // What cannot be looked at is told as not there.
  if (!(await stat(from).catch(() => undefined))?.isDirectory()) {
    throw new AppError('not-found', `dependency ${name} of chart ${chart.path} is not at ${repository}`);
  }
  await copyChart(from, to, rest);
}
