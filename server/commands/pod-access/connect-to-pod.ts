import { AppError } from '@/lib/contract/app-error';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster, Connected } from '@/server/kube';
import { getApiStatus, ignoreNotFound } from '@/server/kube';
import type { Clock } from '@/server/platform';

const OPEN_LIMIT_MS = 15_000;

/** A pod, read as the person; throws not-found where there is none. */
export async function findPod(
  cluster: Cluster,
  { ns, pod }: { readonly ns: string; readonly pod: string },
  signal?: AbortSignal,
): Promise<KubeObject> {
  const found = await ignoreNotFound(cluster.get({ ...KINDS.pod, namespace: ns, name: pod }, signal === undefined ? {} : { signal }));
  if (found === undefined) throw new AppError('not-found', `there is no pod ${pod} in namespace ${ns}`);
  return found;
}

interface PodConnection {
  readonly ns: string;
  readonly pod: string;
  /** What of the pod, with its query. */
  readonly subresource: string;
  readonly protocol: string;
  readonly signal: AbortSignal;
  /** What did not happen where no answer came, such as `no shell began in container app of pod web`. */
  readonly silence: string;
}

/** Opens a connection to a pod; refusals of the API server keep their sentence. */
export async function connectToPod(clock: Clock, cluster: Cluster, wanted: PodConnection): Promise<Connected> {
  const { ns, pod, subresource, protocol, signal, silence } = wanted;
  const late = new AbortController();
  const cancel = clock.schedule(OPEN_LIMIT_MS, () => late.abort());
  const path = `/api/v1/namespaces/${encodeURIComponent(ns)}/pods/${encodeURIComponent(pod)}/${subresource}`;
  try {
    return await cluster.connect({ path, protocol, signal: AbortSignal.any([signal, late.signal]) });
  } catch (error) {
    if (late.signal.aborted) throw new AppError('unavailable', `${silence} within ${OPEN_LIMIT_MS / 1000} s`);
    const status = getApiStatus(error);
    if (status === undefined) throw error;
    throw new AppError(status.code === 403 ? 'forbidden' : status.code === 404 ? 'not-found' : 'rejected', status.message);
  } finally {
    cancel();
  }
}
