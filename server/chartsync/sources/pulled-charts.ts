import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { AppError, isAppError, messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import { readYaml } from '@/lib/std/yaml/read-yaml';
import type { Outbound } from '@/server/outbound';
import type { Clock } from '@/server/platform';
import { FailureCache, memoizeFor } from '@/server/platform';
import type { NamedCredentials } from '../git/credentials';
import type { RepositoryChart } from '../model/extended-spec';
import type { Impersonation } from '../model/impersonation';
import type { ChartAt } from '../model/release';
import { diskFullIn } from '../process/disk-full';
import { unpackChart } from './chart-archive';
import { MAX_CHART_FILE, readChartText } from './chart-text';
import type { Access, Located } from './helm-repository';
import { HelmRepositories } from './helm-repository';
import { Registries } from './registry';
import { parseVersion } from './version-range';

interface PulledChartsDeps {
  /** A folder of its own; what an earlier process left in it goes. */
  readonly folder: string;
  readonly outbound: Pick<Outbound, 'get'>;
  /** The credentials that a chart names, read as the account that acts for the resource. */
  readonly readCredentials: (chart: RepositoryChart, who: Impersonation) => Promise<NamedCredentials | undefined>;
  /** How long what a range or a tag leads to is taken to be the same. */
  readonly lookMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const RETRY = { firstMs: 10_000, longestMs: 300_000 };
/** What is wrong with an archive itself its publisher has to mend, which gives it another digest. */
const UNTIL_MENDED = { firstMs: 60_000, longestMs: 3_600_000 };
/** More repositories than releases name. */
const MAX_REFRESHED = 5_000;

interface Unpacked {
  readonly chart: Promise<ChartAt>;
  /** A folder of its own, which goes with it; undefined while it is on its way. */
  folder: string | undefined;
  isIdle: boolean;
}

interface Unpacking {
  readonly name: string;
  readonly located: Located;
  /** By which a failure is known. */
  readonly tryKey: string;
}

/** Charts of Helm repositories and registries: found and fetched by us, checked, and unpacked once for all who release them (X-SRC-2). */
export class PulledCharts {
  readonly #deps: PulledChartsDeps;
  readonly #repositories: HelmRepositories;
  readonly #registries: Registries;
  readonly #located: (key: string, ask: () => Promise<Located>) => Promise<Located>;
  readonly #unpacked = new Map<string, Unpacked>();
  /** Under which key each version lies that was asked for by its name. */
  readonly #exact = new Map<string, string>();
  readonly #failed: FailureCache;
  /** When each repository was last to be asked anew, as a number that only grows: what was found or failed under another one counts no more. */
  readonly #refreshed = new Map<string, number>();
  #refreshes = 0;
  #swept: Promise<void> | undefined;

  constructor(deps: PulledChartsDeps) {
    this.#deps = deps;
    this.#repositories = new HelmRepositories(deps);
    this.#registries = new Registries(deps.outbound);
    this.#located = memoizeFor<Located>(deps.lookMs, deps.clock);
    this.#failed = new FailureCache(deps.clock, (error) => (isAppError(error) && error.code !== 'unavailable' ? UNTIL_MENDED : RETRY));
  }

  /** Has the repository of a chart asked anew the next time that something of it is wanted, however short a while ago it answered or failed. */
  refresh(chart: RepositoryChart, who: Impersonation): void {
    const key = keyOf(chart, who);
    this.#refreshed.delete(key);
    this.#refreshed.set(key, ++this.#refreshes);
    if (this.#refreshed.size > MAX_REFRESHED) this.#refreshed.delete(this.#refreshed.keys().next().value ?? '');
  }

  /** The chart in a folder that nobody writes to, and the revision it counts as. */
  async pull(chart: RepositoryChart, who: Impersonation): Promise<ChartAt> {
    const { name, version } = chart;
    const wanted = JSON.stringify([keyOf(chart, who), name, version]);
    const isExact = parseVersion(version) !== undefined && !chart.repository.startsWith('oci://');
    const located = await this.#locate(chart, who).catch((error: unknown) => {
      const kept = this.#unpacked.get(this.#exact.get(wanted) ?? '');
      if (kept === undefined || !isAppError(error) || error.code !== 'unavailable') throw error;
      return kept; // the version that was named lies here: until the repository can be asked again it is that
    });
    if ('isIdle' in located) {
      located.isIdle = false;
      return located.chart;
    }
    const key = JSON.stringify([keyOf(chart, who), name, located.revision, located.digest]);
    const unpacked = await this.#unpack(key, { name, located, tryKey: JSON.stringify([this.#askKeyOf(chart, who), key]) });
    if (isExact) this.#exact.set(wanted, key);
    return unpacked;
  }

  /** The archive of a chart that another one depends on, with the credentials that were named for its repository. */
  async archive(chart: Omit<RepositoryChart, 'kind'>, who: Impersonation): Promise<{ readonly version: string; readonly bytes: Buffer }> {
    const located = await this.#locate({ kind: 'repository', ...chart }, who);
    const key = JSON.stringify(['archive', this.#askKeyOf({ kind: 'repository', ...chart }, who), chart.name, located.digest]);
    return { version: located.version, bytes: await this.#failed.run(key, () => located.fetch(this.#deps.signal)) };
  }

  /** Removes what nobody has asked for since the time before the last: each pass asks for what its releases are made of. */
  async keep(isRead: (folder: string) => boolean): Promise<void> {
    for (const [key, unpacked] of [...this.#unpacked]) {
      const { folder, isIdle } = unpacked;
      // Whoever waits for what is on its way has yet to read it.
      if (folder === undefined) continue;
      unpacked.isIdle = true;
      if (!isIdle || isRead(folder)) continue;
      this.#unpacked.delete(key);
      await rm(folder, { recursive: true, force: true });
    }
    for (const [wanted, key] of this.#exact) if (!this.#unpacked.has(key)) this.#exact.delete(wanted);
  }

  #locate(chart: RepositoryChart, who: Impersonation): Promise<Located> {
    const { repository, name, version: range } = chart;
    const key = this.#askKeyOf(chart, who);
    return this.#located(JSON.stringify([key, name, range]), async () => {
      if (name === '') throw new AppError('invalid', 'a chart in a repository needs a name');
      const credentials = await this.#deps.readCredentials(chart, who);
      const access: Access = { repository, key, credentials, signal: this.#deps.signal };
      if (repository.startsWith('oci://')) return this.#registries.locate(access, { name, range });
      const entry = await this.#repositories.find(access, { name, range });
      // Some repositories are lists of what lies in a registry; what was given for the one is not for the other.
      if (entry.url.startsWith('oci://')) return this.#registries.locateReference({ ...access, credentials: undefined }, entry.url);
      return this.#repositories.locate(access, entry);
    });
  }

  /** Another one once the repository is to be asked anew. */
  #askKeyOf(chart: RepositoryChart, who: Impersonation): string {
    const key = keyOf(chart, who);
    return JSON.stringify([key, this.#refreshed.get(key) ?? 0]);
  }

  #unpack(key: string, { name, located, tryKey }: Unpacking): Promise<ChartAt> {
    const known = this.#unpacked.get(key);
    if (known !== undefined) {
      known.isIdle = false;
      return known.chart;
    }
    const chart = this.#failed.run(tryKey, () => this.#fetch({ name, located }));
    const entry: Unpacked = { chart, folder: undefined, isIdle: false };
    this.#unpacked.set(key, entry);
    chart.then(
      ({ folder }) => {
        entry.folder = path.dirname(folder);
      },
      () => this.#unpacked.delete(key), // whoever waits hears of it; the next one tries again
    );
    return chart;
  }

  /** Unpacks into a folder that was never another's: what is removed meanwhile, of the same chart too, is not this. */
  async #fetch({ name, located }: Pick<Unpacking, 'name' | 'located'>): Promise<ChartAt> {
    const { folder, signal } = this.#deps;
    await this.#sweep();
    const bytes = await located.fetch(signal);
    const fresh = await mkdtemp(path.join(folder, 'chart-'));
    try {
      const chart = path.join(fresh, 'chart');
      await mkdir(chart);
      await unpackChart(bytes, chart);
      await requireChart(chart, { name, version: located.version });
      return { folder: chart, path: name, revision: located.revision, digest: located.digest };
    } catch (error) {
      await rm(fresh, { recursive: true, force: true });
      const noRoom = diskFullIn(messageOf(error));
      throw noRoom === undefined
        ? error
        : new AppError('unavailable', `chart ${name} ${located.version} could not be unpacked: ${noRoom}`, { cause: error });
    }
  }

  #sweep(): Promise<void> {
    const { folder } = this.#deps;
    this.#swept ??= rm(folder, { recursive: true, force: true }).then(
      async () => void (await mkdir(folder, { recursive: true, mode: 0o700 })),
    );
    return this.#swept;
  }
}

function keyOf({ repository, secret }: RepositoryChart, { namespace, account }: Impersonation): string {
  return JSON.stringify(secret === undefined ? [repository] : [repository, namespace, account, secret.namespace ?? namespace, secret.name]);
}

/** An archive holds the chart that it was taken for, or it is not taken. */
async function requireChart(folder: string, { name, version }: { readonly name: string; readonly version: string }): Promise<void> {
  const text = await readChartText(path.join(folder, 'Chart.yaml'), { within: 'Chart.yaml', maxBytes: MAX_CHART_FILE });
  if (text === undefined) throw new AppError('invalid', `the archive of chart ${name} ${version} has no Chart.yaml`);
  const found = readChartFile(text);
  const same =
    readString(found, 'name') === name &&
    parseVersion(readString(found, 'version') ?? '')?.text.replace(/^v/, '') === version.replace(/^v/, '');
  if (!same)
    throw new AppError(
      'invalid',
      `the archive of chart ${name} ${version} contains another chart: its Chart.yaml has another name or version`,
    );
}

function readChartFile(text: string): unknown {
  try {
    return readYaml(text, { mostAliases: 0 });
  } catch {
    return undefined; // which has no name, and is refused for that
  }
}
