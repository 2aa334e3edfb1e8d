import type { ObjectKey } from '@/lib/kube/object';
import type { WorkQueue } from '@/server/platform';
import { Counter, Gauge, Histogram, Registry } from '@/server/platform';

/** What a pass came to, as metrics and logs tell it. */
export type PassResult = 'settled' | 'requeueAfter' | 'paused' | 'failed' | 'terminal';

export interface LoopMetrics {
  observe(result: PassResult, tookMs: number): void;
  /** Takes the series of a stopped controller away. */
  remove(): void;
}

const PASSES = 'slipway_controller_passes_total';
const SECONDS = 'slipway_controller_pass_seconds';
const DEPTH = 'slipway_controller_queue_depth';
const DELAYED = 'slipway_controller_queue_delayed';
const OLDEST = 'slipway_controller_queue_oldest_seconds';
const ACTIVE = 'slipway_controller_active';

type QueueReader = Pick<WorkQueue<ObjectKey>, 'depth' | 'delayed' | 'oldestMs' | 'active'>;

/** Queues that are read when a registry is scraped, by controller. */
const queuesOf = new WeakMap<Registry, Map<string, () => QueueReader>>();

/** Metrics of one controller. Controllers of one registry share the metrics and differ in the label `controller`. */
export function createLoopMetrics(controller: string, queue: () => QueueReader, registry: Registry = new Registry()): LoopMetrics {
  const queues = queuesOf.get(registry) ?? registerMetrics(registry);
  queues.set(controller, queue);
  const passes = registry.getSingleMetric(PASSES) as Counter;
  const seconds = registry.getSingleMetric(SECONDS) as Histogram;
  return {
    observe(result, tookMs) {
      passes.inc({ controller, result });
      seconds.observe({ controller }, tookMs / 1000);
    },
    remove() {
      // A controller of the same name may have taken the place meanwhile.
      if (queues.get(controller) === queue) queues.delete(controller);
    },
  };
}

function registerMetrics(registry: Registry): Map<string, () => QueueReader> {
  const queues = new Map<string, () => QueueReader>();
  queuesOf.set(registry, queues);
  const registers = [registry];
  const labelNames = ['controller'];
  new Counter({ name: PASSES, help: 'Reconciliations by outcome', labelNames: ['controller', 'result'], registers });
  new Histogram({ name: SECONDS, help: 'Duration of a pass', labelNames, registers });
  const gauge = (name: string, help: string, read: (queue: QueueReader) => number) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const [controller, queue] of queues) this.set({ controller }, read(queue()));
      },
    });
  gauge(DEPTH, 'Keys that are ready and wait for a worker', (queue) => queue.depth);
  gauge(DELAYED, 'Keys that wait for a delay or a retry', (queue) => queue.delayed);
  gauge(OLDEST, 'How long the longest ready key has been waiting', (queue) => queue.oldestMs / 1000);
  gauge(ACTIVE, 'Keys in a pass', (queue) => queue.active);
  return queues;
}
