import type { Gauge, Registry } from '@/server/platform';
import { Counter, Histogram } from '@/server/platform';

type Metric = Counter | Gauge | Histogram;

/** The metric of a name in a registry, made by the first who asks: two registrations of one name would throw. */
export function getOrCreateMetric<T extends Metric>(registry: Registry, name: string, create: () => T): T {
  return (registry.getSingleMetric(name) as T | undefined) ?? create();
}

/** Times events by their type, in the client's default buckets. */
export function eventHistogram(registry: Registry): Histogram {
  const name = 'operatorkit_framework_event';
  return getOrCreateMetric(
    registry,
    name,
    () => new Histogram({ name, help: 'Time an event took, handled or not', labelNames: ['event'], registers: [registry] }),
  );
}

export interface OperationMetrics {
  readonly total: Counter;
  readonly seconds: Histogram;
  readonly errors: Counter;
}

/** Counts and times the operations of resources. */
export function operationMetrics(registry: Registry): OperationMetrics {
  const labelNames = ['service', 'resource', 'operation'];
  const registers = [registry];
  const counter = (name: string, help: string) =>
    getOrCreateMetric(registry, name, () => new Counter({ name, help, labelNames, registers }));
  const histogram = 'operatorkit_framework_operation';
  return {
    total: counter('operatorkit_framework_operation_total', 'Operations of resources that were started'),
    errors: counter('operatorkit_framework_operation_error_total', 'Operations of resources that failed'),
    seconds: getOrCreateMetric(
      registry,
      histogram,
      () => new Histogram({ name: histogram, help: 'Time an operation of a resource took', labelNames, registers }),
    ),
  };
}
