import type { PodRow } from '@/lib/contract/pod-rows';
import { t } from '@/lib/words/catalogue/objects/pods';

/** That the cluster measures usage and has no figures of some pods that run; null where it has them all. */
export function explainUnmeasured(pods: readonly PodRow[]): string | null {
  const without = pods.filter(
    ({ containers }) => containers.some(({ phase }) => phase === 'running') && containers.every(({ usage }) => usage === null),
  );
  return without.length === 0 ? null : t.notMeasuredYet(without.length);
}
