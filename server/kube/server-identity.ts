import { KINDS } from '@/lib/kube/kinds';
import type { Cluster } from './cluster';

const ID_LENGTH = 8;

/** What a cluster says that it is. */
export interface ServerIdentity {
  /** Such as `v1.36.2`; null when it does not tell us. */
  readonly version: string | null;
  /** A short name that no other cluster has; null where it may not be read. */
  readonly id: string | null;
}

/** Reads version and id of a cluster; stops at nothing that is not told. */
export async function readServerIdentity(cluster: Cluster, signal: AbortSignal): Promise<ServerIdentity> {
  const [version, id] = await Promise.all([readVersion(cluster, signal), readId(cluster, signal)]);
  return { version, id };
}

/** How the uid of the namespace kube-system begins, which is made with the cluster and stays. */
async function readId(cluster: Cluster, signal: AbortSignal): Promise<string | null> {
  try {
    const { metadata } = await cluster.get({ ...KINDS.namespace, name: 'kube-system' }, { signal });
    return metadata.uid?.slice(0, ID_LENGTH) ?? null;
  } catch {
    return null; // addresses then name no cluster; what keeps the server from working is told elsewhere
  }
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
