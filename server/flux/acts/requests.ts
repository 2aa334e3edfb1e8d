import type { FluxReleaseDetail } from '@/lib/contract/flux-rows';
import { readString } from '@/lib/kube/fields';
import { FLUX_REQUEST_ANNOTATIONS } from '@/lib/kube/flux-kinds';
import type { KubeObject } from '@/lib/kube/object';
import { parseKubeTime, toIso } from '@/lib/std/instant';

type Asked = FluxReleaseDetail['asked'][number];

const HANDLED = [
  { verb: 'force', annotation: FLUX_REQUEST_ANNOTATIONS.force, field: 'lastHandledForceAt' },
  { verb: 'reset', annotation: FLUX_REQUEST_ANNOTATIONS.reset, field: 'lastHandledResetAt' },
  { verb: 'reconcile', annotation: FLUX_REQUEST_ANNOTATIONS.requested, field: 'lastHandledReconcileAt' },
] as const;

/**
 * What was asked of Flux, and whether its controller says that it has taken it up. A token is any text: one that is no time was set by
 * another tool. To force and to reset are asked for with a reconciliation of the same token, and the controller heeds them only then.
 */
export function requestsOf(object: KubeObject): Asked[] {
  const requested = object.metadata.annotations?.[FLUX_REQUEST_ANNOTATIONS.requested];
  const asked = HANDLED.flatMap(({ verb, annotation, field }): Asked[] => {
    const token = object.metadata.annotations?.[annotation];
    if (token === undefined || token === '') return [];
    if (verb !== 'reconcile' && token !== requested) return []; // an older one, or one that is never heeded
    const at = parseKubeTime(token);
    return [{ verb, token, at: at === undefined ? null : toIso(at), isTaken: readString(object, 'status', field) === token }];
  });
  // Of two with one token the reconciliation is but the means.
  return asked.filter(
    ({ verb, token }) => verb !== 'reconcile' || asked.every((other) => other.verb === 'reconcile' || other.token !== token),
  );
}
