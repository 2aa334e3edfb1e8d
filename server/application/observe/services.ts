import { groupOf } from '@/lib/kube/object';
import type { CacheReader, ResourceTracker, TrackerEntry } from '@/server/dispatch';
import type { LiveStatus } from '@/server/status';
import { sentenceOf } from '@/server/status';
import type { ParsedApplication } from '../spec/model';

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
export interface ServiceEvaluator {
  readonly cache: CacheReader;
  readonly status: Pick<LiveStatus, 'evaluate'>;
}

/** How the components fare, and whether any is other than current or on its way there. */
export interface Services {
  readonly services: readonly ServiceStatus[];
  readonly isFailed: boolean;
}

/** The state of each component, judged by every object that the tracker lists for it. */
export function servicesOf(
  application: ParsedApplication,
  tracker: ResourceTracker | undefined,
  { cache, status }: ServiceEvaluator,
): Services {
  let isFailed = false;
  const services = application.spec.components.map(({ name }): ServiceStatus => {
    const entries = (tracker?.entries ?? []).filter((entry) => entry.component === name);
    const verdicts = entries.map((entry) => evaluate(entry, { cache, status }));
    const workload = entries.find(({ kind, trait }) => trait === undefined && WORKLOADS.has(kind));
    const worst = verdicts.find(({ healthy }) => !healthy);
    isFailed ||= verdicts.some((one) => one.isFailed);
    return {
      name,
      namespace: application.namespace,
      ...(workload ? { workloadDefinition: { apiVersion: workload.apiVersion, kind: workload.kind } } : {}),
      healthy: worst === undefined && entries.length > 0,
      message:
        worst?.message ??
        (entries.length === 0
          ? 'nothing is applied yet'
          : `${entries.length} ${entries.length === 1 ? 'object is' : 'objects are'} current`),
    };
  });
  return { services, isFailed };
}

interface Evaluated {
  readonly healthy: boolean;
  readonly isFailed: boolean;
  readonly message: string;
}

function evaluate(entry: TrackerEntry, { cache, status }: ServiceEvaluator): Evaluated {
  const { apiVersion, kind, namespace = '', name } = entry;
  const told = status.evaluate({ group: groupOf(apiVersion), kind, namespace, name }, cache.read(entry));
  const healthy = told.status === 'Current';
  return { healthy, isFailed: !healthy && told.status !== 'InProgress', message: `${kind} ${name}: ${sentenceOf(told)}` };
}
