import type { Registry } from '@/server/platform';
import { Counter, Gauge, Histogram } from '@/server/platform';
import type { MirrorState } from '../git/mirror-state';
import type { SyncReport } from '../ports';

/** What came of a call of a git server; nothing of who called. */
export type HookResult = 'taken' | 'unknown' | 'unsigned' | 'failed';

/** How chart sync is seen from outside; no label names an object. */
export interface ChartSyncMetrics {
  looked(told: SyncReport): void;
  fetched(atSeconds: number): void;
  /** A pass over all resources has ended. */
  passed(result: 'done' | 'failed', ms: number): void;
  /** A Helm has ended, its wait for a turn aside. */
  ran(command: string, result: 'done' | 'failed', ms: number): void;
  /** So many wait for a Helm slot. */
  waiting(tasks: number): void;
  /** Says from now on how the mirrors are, whenever that is scraped. */
  followMirrors(read: () => readonly MirrorAge[]): void;
}

/** How old what a mirror has is: of one that never fetched, how long it has been without. */
interface MirrorAge {
  readonly state: MirrorState['kind'];
  readonly ageMs: number;
}

const MIRROR_STATES = ['new', 'cloned', 'ready'] as const;
/** Whom the gauges of a registry ask: they outlive the session that made them. */
const MIRRORS = new WeakMap<Registry, { read: () => readonly MirrorAge[] }>();

const PASS_SECONDS = [0.05, 0.2, 1, 2, 5, 20, 60, 300];
const HELM_SECONDS = [0.1, 0.5, 1, 2, 5, 20, 60, 300];

interface Shared {
  readonly name: string;
  readonly registers: Registry[];
}

/** Finds a metric of a registry by its name, or makes it: a second engine over one registry goes on counting. */
function knownOf(registry: Registry) {
  return <Metric>(name: string, make: (shared: Shared) => Metric): Metric =>
    (registry.getSingleMetric(name) as Metric | undefined) ?? make({ name, registers: [registry] });
}

/** Metrics of chart sync. */
export function createChartSyncMetrics(registry: Registry): ChartSyncMetrics {
  const known = knownOf(registry);
  const looks = known(
    'slipway_chartsync_looks_total',
    (shared) =>
      new Counter({
        ...shared,
        help: 'Reconciliations of releases, by trigger and outcome.',
        labelNames: ['by', 'outcome'],
      }),
  );
  const fetched = known('slipway_chartsync_fetched_timestamp_seconds', (shared) => {
    const gauge = new Gauge({
      ...shared,
      help: 'Time of the last fetch of the chart repository; absent before that, or where none is set.',
    });
    gauge.remove(); // a gauge begins with 0, which would be the year 1970
    return gauge;
  });
  const passes = known(
    'slipway_chartsync_pass_duration_seconds',
    (shared) =>
      new Histogram({
        ...shared,
        help: 'How long passes over all releases took, by result.',
        labelNames: ['result'],
        buckets: PASS_SECONDS,
      }),
  );
  const helm = known(
    'slipway_chartsync_helm_duration_seconds',
    (shared) =>
      new Histogram({
        ...shared,
        help: 'How long Helm ran, by command and result.',
        labelNames: ['command', 'result'],
        buckets: HELM_SECONDS,
      }),
  );
  const waiting = known('slipway_chartsync_helm_waiting', (shared) => new Gauge({ ...shared, help: 'Runs that are queued for Helm.' }));
  return {
    followMirrors: mirrorGauges(registry),
    looked: ({ by, outcome }) => looks.inc({ by, outcome }),
    fetched: (atSeconds) => fetched.set(atSeconds),
    passed: (result, ms) => passes.observe({ result }, ms / 1000),
    ran: (command, result, ms) => helm.observe({ command, result }, ms / 1000),
    waiting: (tasks) => waiting.set(tasks),
  };
}

/** The gauges of mirrors; answers how to say whom they ask. */
function mirrorGauges(registry: Registry): ChartSyncMetrics['followMirrors'] {
  const known = knownOf(registry);
  const mirrors = MIRRORS.get(registry) ?? { read: () => [] };
  MIRRORS.set(registry, mirrors);
  known('slipway_chartsync_mirrors', (shared) => {
    const collect = function (this: Gauge) {
      for (const state of MIRROR_STATES) this.set({ state }, mirrors.read().filter((one) => one.state === state).length);
    };
    return new Gauge({
      ...shared,
      help: 'Mirrors of git repositories, by state.',
      labelNames: ['state'],
      collect,
    });
  });
  known('slipway_chartsync_oldest_fetch_age_seconds', (shared) => {
    const collect = function (this: Gauge) {
      this.set(Math.max(0, ...mirrors.read().map(({ ageMs }) => ageMs / 1000)));
    };
    const help =
      'Age of the last fetch of the least recently fetched mirror; one that was never fetched counts from when it was first needed.';
    return new Gauge({ ...shared, help, collect });
  });
  return (read) => {
    mirrors.read = read;
  };
}

/** Counts calls of git servers by what came of them. */
export function createHookCounter(registry: Registry): (result: HookResult) => void {
  const calls = knownOf(registry)(
    'slipway_chartsync_webhooks_total',
    (shared) => new Counter({ ...shared, help: 'Webhook calls of git servers, by outcome.', labelNames: ['result'] }),
  );
  return (result) => calls.inc({ result });
}
