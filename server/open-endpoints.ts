import { KINDS, nameOfKinds } from '@/lib/kube/kinds';
import { toIso } from '@/lib/std/instant';
import { createApi, createPageQueue, createPageStatus, createReads } from '@/server/api';
import { createChangePlanner } from '@/server/application';
import type { AuditRecorder } from '@/server/audit-recorder';
import { createAuth, createClientAddresses, createOrigins, localPeople } from '@/server/auth';
import type { ChartSyncOptions, GitHooks } from '@/server/chartsync';
import { createGitHooks, createReleaseReader, RELEASE_KINDS } from '@/server/chartsync';
import type { ChosenCluster } from '@/server/cluster-choice';
import { offerCommandAccess } from '@/server/command-access';
import { createCommands, openConsequences, openPreviews, openReleasePlans, openTextReader } from '@/server/commands';
import { createHttpServer } from '@/server/http-server';
import type { Installation } from '@/server/installation';
import type { Informers, OwnRights, Store } from '@/server/kube';
import { NO_CONTAINERS } from '@/server/kube';
import type { Clock, Config, Ids, Lifetimes, Log, Registry } from '@/server/platform';
import { readOpenFilesLimit, signatureVerifier } from '@/server/platform';
import type { OpenReadModel } from '@/server/readmodel';
import { createHub } from '@/server/realtime';
import { installRuntime } from '@/server/runtime';
import type { Statuses } from '@/server/status';
import type { StoreOpening } from '@/server/store';

export interface EndpointsDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Registry;
  readonly lifetimes: Lifetimes;
  readonly chosen: ChosenCluster;
  readonly informers: Informers;
  /** What the server itself may do; undefined where everything is. */
  readonly ownRights: OwnRights | undefined;
  readonly readModel: OpenReadModel;
  readonly statuses: Statuses;
  readonly opening: StoreOpening;
  /** Names the Secrets for values that stand inline in applications. */
  readonly valuesKey: () => Promise<string>;
  readonly auditRecorder: AuditRecorder;
  readonly unready: () => readonly string[];
  readonly limits: () => readonly string[];
  readonly installation: Installation;
  readonly charts: ChartSyncOptions;
  /** Aborted when the server ends. */
  readonly ending: AbortSignal;
}

/** Opens the one port: sign-in, commands, reads, live views and pages. Answers the address to open. */
export async function openEndpoints(deps: EndpointsDeps): Promise<{ readonly address: string }> {
  const { config, clock, ids, log, metrics, lifetimes, chosen, readModel, opening, installation } = deps;
  let port = config.port;
  const secure = config.publicUrl?.startsWith('https://') ?? false;
  const peers = createClientAddresses({ mode: config.auth, publicUrl: config.publicUrl, trustedProxies: config.trustedProxies });
  const auth = createAuth({
    mode: config.auth,
    ...oidcOf(config),
    host: config.host,
    secure,
    maxSessions: config.maxSessions,
    maxSignIns: config.maxSignIns,
    instance: signatureVerifier.sha256(config.publicUrl ?? config.dataDir).slice(0, 8),
    mayInvite: chosen.kind === 'embedded',
    known: readModel,
    cluster: chosen.cluster,
    clock,
    ids,
    log,
    ending: deps.ending,
    store: () => opening.now(),
  });
  const origins = createOrigins({ publicUrl: config.publicUrl, host: config.host, port: () => port });
  const freshness = (place: { readonly ns: string; readonly name: string }) => {
    const trouble = readModel.trouble(place);
    return { stale: trouble === undefined ? null : { since: toIso(trouble.since), reason: trouble.sentence } };
  };
  const texts = lifetimes.use('parsing', openTextReader({ clock, deepest: config.maxDepth }));
  const planner = createChangePlanner({
    cluster: chosen.cluster,
    informers: deps.informers,
    clock,
    unattributed: config.unattributed,
    ownRights: deps.ownRights,
    decisionsBlockedReason: installation.decisionsBlockedReason,
    valuesKey: deps.valuesKey,
    approvers: () => (config.auth === 'local' ? localPeople(chosen.kind === 'embedded') : undefined),
  });
  lifetimes.defer('planner', () => planner[Symbol.dispose]());
  const commands = createCommands({
    planner,
    previews: openPreviews(() => opening.now()),
    consequencesShown: openConsequences(() => opening.now(), log),
    cluster: chosen.cluster,
    auth,
    clock,
    ids,
    freshness,
    texts,
    desiredOf: readModel.desiredOf,
    blastRadiusOf: readModel.blastRadiusOf,
    podsOf: readModel.podsOf,
    notCountedReason: readModel.notCountedReason,
    countedAlreadyReason: readModel.countedAlreadyReason,
    notDeletedReason: readModel.notDeletedReason,
    approvedAlreadyReason: readModel.approvedAlreadyReason,
    consequencesOf: readModel.consequencesOf,
    objectReader: readModel.objectReader,
    installation,
    terminals: config.terminal === 'on',
    nothingRuns: chosen.kind === 'embedded' ? NO_CONTAINERS : undefined,
    record: deps.auditRecorder.record,
    recordStop: deps.auditRecorder.recordStop,
    requireRecord: deps.auditRecorder.requireOpen,
  });
  const releaseStores = openReleaseStores(deps);
  const api = createApi({
    auth,
    origins,
    peers,
    commands,
    texts,
    readModel,
    garbage: {
      compareTrackers: (from, to) => readModel.compareTrackers(from, to),
      ofRollout: (ns, name) => readModel.garbageOfRollout(ns, name),
      ofApplication: (ns, name, request) => readModel.waitingOf(ns, name, request),
    },
    statuses: deps.statuses,
    releases: lifetimes.use(
      'releases',
      createReleaseReader({
        cluster: chosen.cluster,
        clock,
        previews: deps.charts.previews,
        stores: releaseStores,
        decisions: lifetimes.use('ReleaseDecisions of the API', deps.informers.open(KINDS.releaseDecision)).store,
        namespaces: lifetimes.use('Namespaces of the API', deps.informers.open(KINDS.namespace)).store,
        identities: deps.charts.identities,
        journal: deps.charts.journal,
        others: readModel.releasesOfFlux,
      }),
    ),
    helmLogs: deps.charts.journal.works,
    releasePlans: openReleasePlans(() => opening.now()),
    gitHooks: openGitHooks(deps, releaseStores),
    freshness: (application) => readModel.freshnessOf(application),
    record: async () => (await opening.now()).audit,
    history: readModel.history,
    maxRequests: config.maxRequests,
    maxDepth: config.maxDepth,
    noteRefused: deps.auditRecorder.record,
    ids,
    unready: deps.unready,
    limits: deps.limits,
    examine: async (signal) => [...(await installation.examine(signal)), ...deps.auditRecorder.findings()],
    clock,
    log,
    metrics,
  });
  const front = lifetimes.use(
    'front',
    createHttpServer({
      host: config.host,
      port: config.port,
      development: config.development,
      clock,
      log,
      secure,
      refusedReason: (request) => peers.insecureReason(request),
      sourceOf: (from) => peers.sourceOf(from),
      isProxy: (from) => peers.isProxy(from),
      files: readOpenFilesLimit(),
      pageStatus: createPageStatus({ auth, commands, readModel, clock }),
      runQueued: createPageQueue({ auth, peers, clock }),
      api: (request, bindings) => api.fetch(request, bindings),
    }),
  );
  lifetimes.use(
    'hub',
    createHub({
      httpServer: front.server,
      readModel,
      auth,
      openTerminal: commands.openTerminal,
      openForward: commands.openForward,
      origins,
      clock,
      log,
      metrics,
      maxSockets: config.maxSockets,
      maxSubscriptions: config.maxSubscriptions,
    }),
  );
  await front.warm();
  installRuntime({
    bootId: readModel.bootId,
    signIn: config.auth,
    publicUrl: config.publicUrl,
    signInAt: origins.address,
    reads: createReads({ auth, readModel, commands, clock }),
  });
  port = await front.listen();
  if (auth.commandToken !== undefined) {
    lifetimes.use('command access', await offerCommandAccess(config.dataDir, { url: origins.address(), token: auth.commandToken }));
  }
  const token = auth.firstToken;
  return { address: token === undefined ? origins.address() : `${origins.address()}/sign-in?token=${token}` };
}

/** The provider of sign-in mode oidc, where the settings name one. */
function oidcOf({ oidcIssuer, oidcClientId, oidcClientSecret, oidcUsernameClaim, oidcPrefix }: Config) {
  if (oidcIssuer === undefined || oidcClientId === undefined) return {};
  return {
    oidc: {
      issuer: oidcIssuer,
      clientId: oidcClientId,
      clientSecret: oidcClientSecret,
      usernameClaim: oidcUsernameClaim,
      prefix: oidcPrefix,
    },
  };
}

function openReleaseStores({ informers, lifetimes }: EndpointsDeps): readonly Store[] {
  return RELEASE_KINDS.map((kind) => lifetimes.use(`${nameOfKinds(kind)} of the API`, informers.open(kind)).store);
}

function openGitHooks({ chosen, clock, log, charts, metrics }: EndpointsDeps, stores: readonly Store[]): GitHooks {
  return createGitHooks({ cluster: chosen.cluster, stores, identities: charts.identities, own: charts, metrics, clock, log });
}
