import type { KubeObject } from '@/lib/kube/object';
import type { CacheReader, ResourceTracker } from '@/server/dispatch';
import type { LiveStatus } from '@/server/status';
import { sentenceOf } from '@/server/status';
import type { ParsedApplication } from './model';

const WORKLOADS: ReadonlySet<string> = new Set(['Deployment', 'Job', 'CronJob']);

/** How one component fares, as `status.services` tells it. */
export interface ServiceStatus {
  readonly name: string;
  readonly namespace: string;
  readonly workloadDefinition?: { readonly apiVersion: string; readonly kind: string };
  readonly healthy: boolean;
  readonly message: string;
}

/** By what components are judged. */
export interface ServiceJudge {
  readonly cache: CacheReader;
  readonly status: Pick<LiveStatus, 'of'>;
}

/** The state of each component, judged by every object that the tracker lists for it. */
export function servicesOf(application: ParsedApplication, tracker: ResourceTracker | undefined, { cache, status }: ServiceJudge): ServiceStatus[] {
  return application.spec.components.map(({ name }) => {
    const entries = (tracker?.entries ?? []).filter((entry) => entry.component === name);
    const verdicts = entries.map((entry) => judge(cache.read(entry), `${entry.kind} ${entry.name}`, status));
    const workload = entries.find(({ kind, trait }) => trait === undefined && WORKLOADS.has(kind));
    const worst = verdicts.find(({ healthy }) => !healthy);
    return {
      name,
      namespace: application.namespace,
      ...(workload ? { workloadDefinition: { apiVersion: workload.apiVersion, kind: workload.kind } } : {}),
      healthy: worst === undefined && entries.length > 0,
      message:
        worst?.message ?? (entries.length === 0 ? 'nothing is applied yet' : `${entries.length} ${entries.length === 1 ? 'object is' : 'objects are'} current`),
    };
  });
}

function judge(live: KubeObject | undefined, what: string, status: ServiceJudge['status']): { readonly healthy: boolean; readonly message: string } {
  if (live === undefined) return { healthy: false, message: `${what} is not there` };
  const told = status.of(live);
  return { healthy: told.status === 'Current', message: `${what}: ${sentenceOf(told)}` };
}
