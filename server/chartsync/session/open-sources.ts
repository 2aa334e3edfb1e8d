import path from 'node:path';
import { AppError, messageOf } from '@/lib/contract/app-error';
import { readFields } from '@/lib/kube/fields';
import type { EngineDeps } from '@/server/framework';
import { isNotFound } from '@/server/kube';
import type { Release } from '@/server/platform';
import { readGitAddress } from '../git/address';
import { createMirror } from '../git/create-mirror';
import type { NamedCredentials } from '../git/credentials';
import { readCredentials } from '../git/credentials';
import { Mirror } from '../git/mirror';
import type { MirrorView } from '../git/mirror-state';
import type { WantedMirror } from '../git/mirrors';
import { Mirrors } from '../git/mirrors';
import type { DeclaredRelease, ExtendedRelease } from '../model/declared';
import type { GitChart, SecretRef } from '../model/extended-spec';
import type { Impersonation } from '../model/impersonation';
import type { ChartSyncOptions } from '../options';
import type { ChartSources } from '../ports';
import { Dependencies } from '../sources/dependencies';
import { PulledCharts } from '../sources/pulled-charts';
import type { ValuesReader } from '../values/resolve';

/** Where charts come from: the repository that the server was given, and those that resources name. */
interface Sources extends AsyncDisposable {
  /** The mirror of the base kind. */
  readonly mirror: Mirror;
  readonly charts: ChartSources;
  /** How the mirror is that a resource takes its chart from; undefined where none copies it yet. */
  readonly mirrorLookOf: (resource: DeclaredRelease) => MirrorView | undefined;
  /** Every mirror as it is now; that of the server first. */
  readonly mirrors: () => readonly MirrorView[];
  /** Hears every mirror that has fetched, and whether it failed before. */
  readonly onFetched: (handler: FetchHandler) => Release;
  readonly isComing: (resource: ExtendedRelease) => boolean;
  /** Asks for a fetch of what a resource takes its chart from, now. */
  readonly refresh: (resource: DeclaredRelease) => void;
  /** Of charts that are pulled for others. */
  readonly dependencies: Dependencies;
}

type FetchHandler = (mirror: Mirror, returned: boolean) => void;

interface SourcesOf {
  readonly options: ChartSyncOptions;
  /** Ends what is being fetched. */
  readonly signal: AbortSignal;
  readonly readData: ValuesReader['readData'];
}

/** Opens the sources of charts; nothing is fetched before the mirrors run. */
export function openSources(deps: EngineDeps, { options, readData, signal }: SourcesOf): Sources {
  const { clock, log } = deps;
  const { folder, pollMs, cloneMs, fetchMs, outbound } = options;
  const times = { pollMs, cloneMs, fetchMs };
  const handlers = new Set<FetchHandler>();
  const hear: FetchHandler = (mirror, returned) => {
    for (const handler of handlers) handler(mirror, returned);
  };
  const filesBelow = path.dirname(folder);
  const mirrors = openMirrors(deps, { options, times, filesBelow, hear, readData });
  const pulled = new PulledCharts({
    folder: path.join(folder, 'pulled'),
    outbound,
    readCredentials: ({ secret }, who) => readNamed(secret, who, readData),
    lookMs: pollMs,
    clock,
    signal,
  });
  const none = new Mirror({ id: '', repository: undefined, times, clock, log });
  const mirror = baseMirror(deps, { options, times, filesBelow });
  mirror.onSignal((returned) => hear(mirror, returned));
  // The repository of the server is read as the server, whoever names it.
  const isOwn = ({ url, secret }: Pick<GitChart, 'url' | 'secret'>) => url === options.repository && secret === undefined;
  const mirrorOf = (chart: GitChart, onBehalfOf: Impersonation) => (isOwn(chart) ? mirror : mirrors.of({ chart, onBehalfOf }));
  return {
    mirror,
    mirrorLookOf(resource) {
      if (resource.profile === 'base') return mirror.look();
      const { chart } = resource.spec;
      if (chart.kind !== 'git') return none.look();
      return isOwn(chart) ? mirror.look() : mirrors.known({ chart, onBehalfOf: resource.onBehalfOf })?.look();
    },
    mirrors: () => [...(mirror.state.kind === 'unconfigured' ? [] : [mirror]), ...mirrors.all()].map((one) => one.look()),
    charts: {
      mirrorOf,
      async keep(resources, isRead) {
        await mirrors.keep(
          resources.flatMap((resource) => wantedBy(resource)).filter(({ chart }) => !isOwn(chart)),
          isRead,
        );
        await pulled.keep(isRead);
      },
      pull: (chart, who) => pulled.pull(chart, who),
    },
    onFetched(handler) {
      handlers.add(handler);
      return () => void handlers.delete(handler);
    },
    isComing: ({ onBehalfOf, spec: { chart } }) => {
      try {
        return chart.kind === 'git' && isFirst(mirrorOf(chart, onBehalfOf));
      } catch {
        return false; // an address that is not taken never comes: the look at the resource says so
      }
    },
    refresh: createRefresh({ mirror, mirrorOf, pulled, log }),
    dependencies: new Dependencies(pulled, signal),
    [Symbol.asyncDispose]: () => mirrors[Symbol.asyncDispose](),
  };
}

interface Refreshed {
  readonly mirror: Mirror;
  readonly mirrorOf: (chart: GitChart, who: Impersonation) => Mirror;
  readonly pulled: PulledCharts;
  readonly log: EngineDeps['log'];
}

function createRefresh({ mirror, mirrorOf, pulled, log }: Refreshed): Sources['refresh'] {
  return (resource) => {
    try {
      if (resource.profile === 'base') mirror.notify();
      else if (resource.spec.chart.kind === 'git') mirrorOf(resource.spec.chart, resource.onBehalfOf).notify();
      else pulled.refresh(resource.spec.chart, resource.onBehalfOf);
    } catch (error) {
      log.warn({ resource: resource.key, error: messageOf(error) }, 'could not start to mirror the repository of a resource');
    }
  };
}

const isFirst = ({ state }: Mirror) => (state.kind === 'new' || state.kind === 'cloned') && state.failures === 0;

function wantedBy({ onBehalfOf, spec: { chart } }: ExtendedRelease): readonly WantedMirror[] {
  return chart.kind === 'git' ? [{ chart, onBehalfOf }] : [];
}

interface Base {
  readonly options: ChartSyncOptions;
  readonly times: Parameters<typeof createMirror>[0]['times'];
  readonly filesBelow: string;
}

interface Mirrored extends Base, Pick<SourcesOf, 'readData'> {
  readonly hear: FetchHandler;
}

/** The mirrors of the repositories that resources name. */
function openMirrors({ clock, log }: EngineDeps, { options, times, filesBelow, hear, readData }: Mirrored): Mirrors {
  const { folder, mirrorsBytes: maxBytes, outbound } = options;
  const own = { folder: path.join(folder, 'mirrors'), filesBelow, copiesBelow: folder, outbound, times, maxBytes, clock, log };
  return new Mirrors({ ...own, hear, readCredentials: ({ chart: { secret }, onBehalfOf }) => readNamed(secret, onBehalfOf, readData) });
}

/** Whoever runs the server named its repository, and so listed it. */
function baseMirror({ cluster, clock, log }: EngineDeps, { options, times, filesBelow }: Base): Mirror {
  const { repository, repositorySecret, folder, outbound } = options;
  if (repository === undefined) return new Mirror({ id: '', repository: undefined, times, clock, log });
  const address = readGitAddress(repository, filesBelow);
  const { remote } = address;
  const readOwn = async () => {
    if (repositorySecret === undefined) return undefined;
    const { namespace, name } = repositorySecret;
    const called = `Secret ${name} in ${namespace} (--git-secret)`;
    const secret = await cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace, name }).catch((error: unknown) => {
      throw isNotFound(error) ? new AppError('not-found', `${called} is not there`) : error;
    });
    const data = Object.entries(readFields(secret, 'data')).map(([key, value]) => [
      key,
      Buffer.from(String(value), 'base64').toString('utf8'),
    ]);
    return readCredentials(called, Object.fromEntries(data));
  };
  const way = remote === undefined ? outbound : outbound.listing(remote.host, remote.port);
  const parts = { id: address.shown, address, outbound: way, readCredentials: readOwn, folder: path.join(folder, 'git'), times };
  return createMirror({ ...parts, clock, log });
}

/** The credentials that a resource names, read as the account that acts for it. */
async function readNamed(
  secret: SecretRef | undefined,
  from: Impersonation,
  readData: ValuesReader['readData'],
): Promise<NamedCredentials | undefined> {
  if (secret === undefined) return undefined;
  const namespace = secret.namespace ?? from.namespace;
  const called = `Secret ${secret.name} in ${namespace}`;
  const data = await readData({ kind: 'Secret', namespace, name: secret.name }, from);
  if (data === undefined) throw new AppError('not-found', `${called} is not there`);
  return readCredentials(called, data);
}
