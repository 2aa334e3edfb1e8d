import type { Registry } from '@/server/platform';
import { Counter, Gauge } from '@/server/platform';
import type { Told } from '../ports';

const LOOKS = 'slipway_chartsync_looks_total';
const FETCHED = 'slipway_chartsync_fetched_timestamp_seconds';

export interface ChartSyncMetrics {
  looked(told: Told): void;
  fetched(atSeconds: number): void;
}

/** Metrics of chart sync; a second engine over one registry goes on counting. */
export function createChartSyncMetrics(registry: Registry): ChartSyncMetrics {
  const looks =
    (registry.getSingleMetric(LOOKS) as Counter | undefined) ??
    new Counter({
      name: LOOKS,
      help: 'Looks at releases, by what made the engine look and what came of it.',
      labelNames: ['by', 'outcome'],
      registers: [registry],
    });
  const fetched =
    (registry.getSingleMetric(FETCHED) as Gauge | undefined) ??
    new Gauge({ name: FETCHED, help: 'When the repository of charts was last fetched.', registers: [registry] });
  return {
    looked: ({ by, outcome }) => looks.inc({ by, outcome }),
    fetched: (atSeconds) => fetched.set(atSeconds),
  };
}
