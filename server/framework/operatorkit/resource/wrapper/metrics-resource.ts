import type { Clock, Registry } from '@/server/platform';
import { requireConfig } from '../../errors';
import { operationMetrics } from '../../events/framework-metrics';
import type { Resource } from '../resource';
import { wrapWithInterceptor } from './interceptor';

export interface MetricsResourceConfig<TObject> {
  readonly resource: Resource<TObject>;
  /** Becomes the label `service` in camel case. */
  readonly serviceName: string;
}

export interface MetricsDeps {
  readonly clock: Clock;
  readonly metrics: Registry;
}

/** Counts and times each step of a CRUD resource, or the whole of another one. */
export function newMetricsResource<TObject>(config: MetricsResourceConfig<TObject>, deps: MetricsDeps): Resource<TObject> {
  requireConfig(config.resource, 'Resource', 'wrapper');
  requireConfig(config.serviceName, 'ServiceName', 'wrapper');
  const { total, seconds, errors } = operationMetrics(deps.metrics);
  const service = toCamelCase(config.serviceName);
  return wrapWithInterceptor(config.resource, async (operation, run) => {
    const labels = { service, resource: config.resource.name, operation };
    const startedAt = deps.clock.now();
    total.inc(labels);
    try {
      return await run();
    } catch (error) {
      errors.inc(labels);
      throw error;
    } finally {
      seconds.observe(labels, (deps.clock.now() - startedAt) / 1000);
    }
  });
}

/** Counts and times each resource of a list. */
export function wrapWithMetrics<TObject>(
  config: { readonly resources: readonly Resource<TObject>[]; readonly serviceName: string },
  deps: MetricsDeps,
): readonly Resource<TObject>[] {
  return config.resources.map((resource) => newMetricsResource({ resource, serviceName: config.serviceName }, deps));
}

/** Joins the runs of letters and digits; the first stays, the others begin with a capital. */
export function toCamelCase(text: string): string {
  const [first = '', ...others] = text.match(/[0-9A-Za-z]+/g) ?? [];
  return first + others.map((run) => run.charAt(0).toUpperCase() + run.slice(1)).join('');
}
