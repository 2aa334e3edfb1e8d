import type { Informers } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { silentLog } from '@/server/platform';
import type { LiveStatusConfig } from '@/server/status';
import { LiveStatus, NoKindMatchError } from '@/server/status';

/** The computed status over informers, for those who name versions: nothing is looked up. */
export function liveStatusOf(informers: Informers, clock: Clock, options: LiveStatusConfig['options'] = {}): LiveStatus {
  const mapper = { map: async (of: { readonly group: string; readonly kind: string }) => Promise.reject(new NoKindMatchError(of)), reset: () => undefined };
  return new LiveStatus({ log: silentLog, informers, mapper, clock, options });
}
