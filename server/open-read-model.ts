import type { EngineMode } from '@/lib/contract/system-rows';
import { toIso } from '@/lib/std/instant';
import type { AuditRecorder } from '@/server/audit-recorder';
import type { ChartSyncOptions, ReconcileHistory } from '@/server/chartsync';
import type { ChosenCluster } from '@/server/cluster-choice';
import type { Engine } from '@/server/framework';
import type { EngineState, Installation } from '@/server/installation';
import { ENGINES } from '@/server/installation';
import type { HealthProbe, Informers, ServerIdentity } from '@/server/kube';
import { createOwnUser } from '@/server/kube';
import { monitorEventLoop } from '@/server/platform';
import type { OpenReadModel, ProcessFacts, Reachability } from '@/server/readmodel';
import { createReadModel } from '@/server/readmodel';
import type { Replica } from '@/server/replicas';
import type { LiveStatus, PolledKinds, StatusRules } from '@/server/status';
import type { StoreOpening } from '@/server/store';
import { findingsOf, statsOf } from './engines';
import type { StartupContext } from './startup-context';

const RECORD_SHOWN = 2000;

/** What the screen is told from. */
export interface ReadModelParts {
  readonly loops: ReconcileHistory;
  readonly charts: ChartSyncOptions;
  readonly chosen: ChosenCluster;
  readonly identity: ServerIdentity;
  readonly replica: Replica;
  readonly installation: Installation;
  readonly auditRecorder: AuditRecorder;
  readonly informers: Informers;
  readonly probe: HealthProbe;
  readonly opening: StoreOpening;
  readonly engines: readonly Engine[];
  readonly statusRules: StatusRules;
  readonly status: LiveStatus;
  readonly polled: PolledKinds;
}

/** Opens the read model on what was started before it. */
export function openReadModel(context: StartupContext, parts: ReadModelParts): OpenReadModel {
  const { loops, charts, chosen, informers, probe, opening, status } = parts;
  const { clock, log, lifetimes, bootId } = context;
  const reachability = (): Reachability => {
    const state = probe.state();
    return state.kind === 'stale'
      ? { reachable: false, since: state.since, reason: state.reason }
      : { reachable: true, since: undefined, reason: '' };
  };
  const record = opening.whenOpen.then((store) => store.audit.readRecent(RECORD_SHOWN));
  record.catch(() => undefined); // of a start that failed; the read model tells of any other
  return lifetimes.use(
    'read model',
    createReadModel({
      bootId,
      informers,
      discovery: chosen.cluster.discovery,
      clock,
      log,
      reachability,
      loops,
      ownRepository: charts,
      identities: charts.identities,
      ownUser: createOwnUser(chosen.cluster),
      status,
      samples: opening.whenOpen.then((store) => store.samples),
      record,
      readEntries: async (query) => (await opening.now()).audit.readEntries(query),
      facts: factsOf(context, parts),
    }),
  );
}

/** What the process says of itself and of its engines. */
function factsOf({ clock, lifetimes, metrics, told }: StartupContext, parts: ReadModelParts): ProcessFacts {
  const { loops, chosen, identity, replica, installation, auditRecorder, engines, statusRules, polled } = parts;
  const engineOf = (name: string) => engines.find((one) => one.name === name);
  const modeOf = (name: (typeof ENGINES)[number]) => toEngineMode(installation.stateOf(name), engineOf(name));
  const eventLoop = lifetimes.use('event-loop', monitorEventLoop(metrics, told));
  return {
    cluster: { kind: chosen.kind, name: chosen.name, ...identity },
    engines: () => Object.fromEntries(ENGINES.map((name) => [name, modeOf(name)])),
    record: auditRecorder.trouble,
    dropped: installation.dropped,
    findings: () => [...installation.findings(), ...auditRecorder.findings(), ...findingsOf(engines)],
    startedAt: toIso(clock.now()),
    eventLoop: eventLoop.figures,
    charts: () => loops.figures(),
    leader: () => replica.rights.mayAct(),
    ...(replica.leadership === undefined ? {} : { leadership: replica.leadership }),
    calls: chosen.calls,
    polled: () => polled.all(),
    statusRules: { options: statusRules.options, sources: () => statusRules.sources() },
    controllers: () => statsOf(engines),
  };
}

/** One that would drive has nothing to do where nothing is configured for it. */
function toEngineMode(state: EngineState, engine: Engine | undefined): EngineMode {
  const { mode, why } = state;
  const off = mode === 'drive' ? (engine?.off?.() ?? null) : null;
  if (off !== null) return { mode: 'off', why: off };
  return { mode, why, ...(state.mode === 'drive' && state.kinds !== undefined ? { kinds: { ...state.kinds } } : {}) };
}
