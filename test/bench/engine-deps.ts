import type { Cluster, Informers } from '@/server/kube';
import { createMetrics, createRandom, realClock, systemIds } from '@/server/platform';
import { silentLog } from '../support/silent-log';

/** What an engine of a benchmark stands on: it may act, and nothing is put on record. */
export function engineDepsOf(cluster: Cluster, informers: Informers) {
  return {
    cluster,
    informers,
    clock: realClock,
    random: createRandom(9),
    ids: systemIds,
    log: silentLog,
    metrics: createMetrics(),
    mayAct: () => true,
    record: async () => undefined,
  };
}
