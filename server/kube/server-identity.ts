import { messageOf } from '@/lib/contract/app-error';
import { KINDS } from '@/lib/kube/kinds';
import type { Clock, Log } from '@/server/platform';
import type { Cluster } from './cluster';
import { isForbidden, isNotFound } from './errors';

const ID_LENGTH = 8;
/** After each try; none after the last. */
const ASKED_AGAIN_MS = [500, 1000, 2000, 0] as const;

/** What a cluster says that it is. */
export interface ServerIdentity {
  /** Such as `v1.36.2`; null when it does not tell us. */
  readonly version: string | null;
  /** A short name that no other cluster has; null where it may not be read. */
  readonly id: string | null;
}

interface IdentityDeps {
  readonly cluster: Cluster;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Log;
}

/** Reads version and id of a cluster; stops at nothing that is not told, and asks for the id again where there was no answer to it. */
export async function readServerIdentity(deps: IdentityDeps, signal: AbortSignal): Promise<ServerIdentity> {
  const [version, id] = await Promise.all([readVersion(deps.cluster, signal), readId(deps, signal)]);
  return { version, id };
}

/** How the uid of the namespace kube-system begins, which is made with the cluster and stays. Null where it may not be read, or is not told in time. */
async function readId({ cluster, clock, log }: IdentityDeps, signal: AbortSignal): Promise<string | null> {
  for (const waitMs of ASKED_AGAIN_MS) {
    try {
      const { metadata } = await cluster.get({ ...KINDS.namespace, name: 'kube-system' }, { signal });
      return metadata.uid?.slice(0, ID_LENGTH) ?? null;
    } catch (error) {
      if (isForbidden(error) || isNotFound(error) || signal.aborted) return null;
      log.warn({ error: messageOf(error) }, 'the id of the cluster could not be read');
      if (waitMs > 0) await clock.sleep(waitMs, signal).catch(() => undefined); // the end of the process
    }
  }
  return null;
}

async function readVersion(cluster: Cluster, signal: AbortSignal): Promise<string | null> {
  try {
    const { status, body } = await cluster.request({ path: '/version', signal });
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
    return status === 200 ? toVersion(JSON.parse(text)) : null;
  } catch {
    return null; // it is shown and nothing else; what keeps the server from working is told elsewhere
  }
}

function toVersion(answer: unknown): string | null {
  if (typeof answer !== 'object' || answer === null || !('gitVersion' in answer)) return null;
  return typeof answer.gitVersion === 'string' ? answer.gitVersion : null;
}
