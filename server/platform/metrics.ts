import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, Registry };

/** A registry of its own for one process or one test. */
export function createMetrics(options: { readonly process: boolean } = { process: false }): Registry {
  const registry = new Registry();
  if (options.process) collectDefaultMetrics({ register: registry });
  return registry;
}

const OF_OBJECTS: readonly string[] = ['name', 'namespace', 'object', 'application', 'rollout'];

/** The metrics as Prometheus reads them, without those of single objects: whoever may read figures may not therefore know what runs where. */
export async function renderMetrics(registry: Registry): Promise<string> {
  const served = registry.getMetricsAsArray().filter((metric) => !labelsOf(metric).some((label) => OF_OBJECTS.includes(label)));
  const texts = await Promise.all(served.map(({ name }) => registry.getSingleMetricAsString(name)));
  return `${texts.join('\n\n')}\n`;
}

function labelsOf(metric: object): readonly string[] {
  return 'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [];
}
