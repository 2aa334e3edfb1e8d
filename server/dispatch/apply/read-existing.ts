import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { isNotFound } from '@/server/kube';
import { DispatchError } from '../dispatch-error';
import type { CacheReader, KubeClient } from '../kube-client';
import { resolveAddress } from '../kube-client';
import type { Applied } from './apply';

interface ReadOptions {
  readonly cache?: CacheReader | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Stands in for an apply where a policy says that the object is used and never written. */
export async function readExisting(client: KubeClient, manifest: KubeObject, { cache, signal }: ReadOptions): Promise<Applied> {
  const at = await resolveAddress(client, manifest, signal);
  const cached = cache?.read(at);
  if (cached !== undefined) return { verb: 'unchanged', object: cached };
  try {
    return { verb: 'unchanged', object: await client.get(at, signal ? { signal } : {}) };
  } catch (cause) {
    const sentence = isNotFound(cause)
      ? `${describeObject(at)} must exist, because the read-only policy names it, but it does not`
      : 'cannot get object';
    throw new DispatchError(sentence, { stage: 'apply', cause, object: at });
  }
}
