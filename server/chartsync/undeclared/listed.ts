import { AppError } from '@/lib/contract/app-error';
import type { Store } from '@/server/kube';

/** Throws while the kinds that declare releases are not listed. A kind that the cluster does not serve declares nothing. */
export function requireListed(stores: readonly Store[]): void {
  for (const { scope, health } of stores.map((store) => ({ scope: store.scope, health: store.health() }))) {
    const isServed = health.state.kind !== 'retrying' || health.state.isMissing !== true;
    if (!health.synced && isServed)
      throw new AppError('unavailable', `${scope.kind}s are still being listed, so it is not known yet what is declared`);
  }
}
