import type { Informers } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { LiveStatus } from '@/server/status';
import { NoKindMatchError } from '@/server/status/cluster/kind-mapper';
import type { LiveStatusConfig } from '@/server/status/live/live-status';
import { silentLog } from './silent-log';

/** The computed status over informers, for those who name versions: nothing is looked up. */
export function liveStatusOf(informers: Informers, clock: Clock, options: LiveStatusConfig['options'] = {}): LiveStatus {
  const mapper = {
    map: async (of: { readonly group: string; readonly kind: string }) => Promise.reject(new NoKindMatchError(of)),
    reset: () => undefined,
  };
  return new LiveStatus({ log: silentLog, informers, mapper, clock, options });
}
