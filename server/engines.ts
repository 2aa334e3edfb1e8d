import type { Finding } from '@/lib/contract/finding';
import type { ObjectKey } from '@/lib/kube/object';
import { createApplicationEngine } from '@/server/application';
import type { ChartSyncOptions } from '@/server/chartsync';
import { createChartSyncEngine } from '@/server/chartsync';
import type { Engine, EngineDeps } from '@/server/framework';
import { fence } from '@/server/framework';
import type { EngineName, EngineState } from '@/server/installation';
import type { OwnRights } from '@/server/kube';
import { withCaller } from '@/server/kube';
import { createDecisionsEngine, createRolloutEngine } from '@/server/rollout';
import type { LiveStatus } from '@/server/status';

interface EngineOptions {
  /** The computed status by which objects are judged. */
  readonly status: Pick<LiveStatus, 'of' | 'evaluate' | 'subscribe'>;
  /** What an application may hold that nobody is known to have asked for. */
  readonly unattributed?: 'own' | 'all' | 'none';
  /** What the server itself may do; everything when absent. */
  readonly ownRights?: OwnRights;
  /** Names the Secrets for values that stand inline in applications. */
  readonly valuesKey?: () => Promise<string>;
  /** How releases follow charts; they are left alone when absent. */
  readonly chartSync?: ChartSyncOptions;
}

interface Composed extends EngineOptions {
  readonly noRollbackReason: () => string | null;
}

const ENGINES = [
  { name: 'application', create: createApplicationEngine },
  { name: 'rollout', create: createRolloutEngine },
  {
    name: 'chartsync',
    create: (deps: EngineDeps, { chartSync, ownRights }: Composed) => createChartSyncEngine(deps, chartSync, ownRights),
  },
] as const satisfies readonly { readonly name: EngineName; readonly create: (deps: EngineDeps, options: Composed) => Engine }[];

/** The engines, each behind a fence of its own: it starts no pass and writes nothing while it does not drive. */
export function createEngines(stateOf: (engine: EngineName) => EngineState, deps: EngineDeps, options: EngineOptions): readonly Engine[] {
  const composed = { ...options, noRollbackReason: () => idleReason(stateOf('application')) };
  const engines = ENGINES.map(({ name, create }) =>
    create(
      { ...whileDriving(() => stateOf(name), calledAs(name, deps)), stoppedReason: (kind) => stoppedReason(stateOf(name), kind) },
      composed,
    ),
  );
  // Behind no such fence: it answers for the engines that do not drive.
  return [...engines, createDecisionsEngine(calledAs('rollout', deps), (engine) => idleReason(stateOf(engine)))];
}

function idleReason(state: EngineState): string | null {
  return state.mode === 'drive' ? null : state.why;
}

function stoppedReason(state: EngineState, kind: string): string | null {
  return state.mode === 'drive' ? (state.kinds?.[kind] ?? null) : state.why;
}

/** The API server is told which engine asks. */
function calledAs(name: EngineName, deps: EngineDeps): EngineDeps {
  const { cluster, clusterFor } = deps;
  return {
    ...deps,
    cluster: withCaller(cluster, name),
    ...(clusterFor ? { clusterFor: (key: ObjectKey) => withCaller(clusterFor(key), name) } : {}),
  };
}

/** Asked at each pass and again as each write leaves, so that one under way stops where another controller appears. */
function whileDriving(state: () => EngineState, deps: EngineDeps): EngineDeps {
  const { cluster, clusterFor, mayAct } = deps;
  const drives = () => state().mode === 'drive';
  const options = { refusal: () => state().why ?? 'the engine drives again' };
  return {
    ...deps,
    cluster: fence(cluster, drives, options),
    ...(clusterFor ? { clusterFor: (key: ObjectKey) => fence(clusterFor(key), drives, options) } : {}),
    mayAct: (key) => drives() && mayAct(key),
  };
}

/** What engines find that a person should mend. */
export function findingsOf(engines: readonly Engine[]): readonly Finding[] {
  return engines.flatMap((engine) => engine.findings?.() ?? []);
}

/** The figures of the controllers of engines. */
export const statsOf = (engines: readonly Engine[]) =>
  engines.flatMap(({ controllers }) => controllers.map((controller) => controller.stats()));
