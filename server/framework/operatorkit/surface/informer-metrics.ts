import { Counter, Gauge, Registry } from '@/server/platform';
import { getOrCreateMetric } from '../events/framework-metrics';

/** `create` is an object seen for the first time; resynchronised ones count as update or delete. */
export type InformerEventKind = 'create' | 'update' | 'delete' | 'error';

export interface InformerMetrics {
  readonly events: Counter<'kind'>;
  readonly watcherCloses: Counter;
  readonly cacheSize: Gauge;
}

/** The figures of informers, in the registry given or in one of their own. */
export function informerMetrics(registry: Registry = new Registry()): InformerMetrics {
  const registers = [registry];
  const events = 'operatorkit_informer_watch_event_total';
  const closes = 'operatorkit_informer_watcher_close_total';
  const size = 'operatorkit_informer_cache_size';
  return {
    events: getOrCreateMetric(
      registry,
      events,
      () => new Counter({ name: events, help: 'Events dispatched', labelNames: ['kind'], registers }),
    ),
    watcherCloses: getOrCreateMetric(registry, closes, () => new Counter({ name: closes, help: 'Watches that were closed', registers })),
    cacheSize: getOrCreateMetric(registry, size, () => new Gauge({ name: size, help: 'Objects held after the last release', registers })),
  };
}
