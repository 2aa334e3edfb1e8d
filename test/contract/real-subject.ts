import { createRemoteCluster } from '@/server/kube';
import { createRandom, realClock } from '@/server/platform';
import { until } from '@/test/support/until';
import { silentLog } from '../support/silent-log';
import type { Subject } from './scene';

/** Its controllers look every 15 s or 30 s, and take up to a minute to come back after the API server was away. */
const LIMIT_MS = 120_000;

/** The API server of a kubeconfig as a subject. */
export function connectReal(kubeconfig: string | undefined = process.env.KUBECONFIG): Subject {
  if (!kubeconfig) throw new Error('KUBECONFIG must name the cluster to test against');
  const cluster = createRemoteCluster({
    source: { kind: 'kubeconfig', path: kubeconfig },
    clock: realClock,
    random: createRandom(1),
    log: silentLog,
  });
  return {
    cluster,
    until: (what, holds) => until(what, holds, LIMIT_MS),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
