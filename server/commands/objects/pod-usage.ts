import type { Amounts } from '@/lib/contract/pod-rows';
import { readField, readList, readString } from '@/lib/kube/fields';
import type { Session } from '@/server/auth';
import type { ApiResource } from '@/server/kube';
import { collectionPath, isForbidden, isNoMatch } from '@/server/kube';
import type { CommandDeps } from '../command-deps';
import { toAmounts } from './pod-row';
import { readAnswer } from './read-answer';

const METRICS = { group: 'metrics.k8s.io', kind: 'PodMetrics' } as const;
const NOT_SERVED = 'No usage is measured: the cluster does not serve metrics.k8s.io. Install metrics-server to see what pods use.';

/** What pods use, by `namespace/name` and container, or why nobody can tell. */
export interface Usage {
  readonly of: ReadonlyMap<string, ReadonlyMap<string, Amounts>>;
  readonly unmeasured: string | null;
}

/** Reads what the pods of some namespaces use, as the person: one list for each namespace, however many pods are asked for. */
export async function readUsage(deps: CommandDeps, session: Session, namespaces: readonly string[]): Promise<Usage> {
  const resource = await servedMetrics(deps);
  if (resource === undefined) return { of: new Map(), unmeasured: NOT_SERVED };
  try {
    const lists = await Promise.all(
      namespaces.map((ns) =>
        readAnswer(deps.cluster.as(session.person), collectionPath(resource, ns, {}), { what: `list usage in ${ns}` }),
      ),
    );
    const pods = lists.flatMap((list) => readList(list, 'items'));
    return {
      of: new Map(pods.map((pod) => [`${readString(pod, 'metadata', 'namespace')}/${readString(pod, 'metadata', 'name')}`, usageOf(pod)])),
      unmeasured: null,
    };
  } catch (error) {
    const why = isForbidden(error)
      ? `You may not read what pods use: it requires the right "list" on pods of ${METRICS.group}.`
      : formatBroken(error);
    return { of: new Map(), unmeasured: why };
  }
}

async function servedMetrics({ cluster }: CommandDeps): Promise<ApiResource | undefined> {
  try {
    return await cluster.discovery.resolveKind(METRICS);
  } catch (error) {
    if (isNoMatch(error)) return undefined;
    throw error;
  }
}

function usageOf(pod: unknown): ReadonlyMap<string, Amounts> {
  return new Map(
    readList(pod, 'containers').map((container) => [readString(container, 'name') ?? '', toAmounts(readField(container, 'usage'))]),
  );
}

// Whoever serves the metrics stands behind the API server, and may be down while everything else is well.
function formatBroken(error: unknown): string {
  return `What pods use could not be read: ${error instanceof Error ? error.message : String(error)}.`;
}
