import { messageOf } from '@/lib/contract/app-error';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { toKubeTime } from '@/lib/std/instant';
import type { Cluster } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import type { HandlerMetrics } from './handler-metrics';

/** A sink for errors outside the cluster, for instance an error tracker. */
export type ErrorSink = (error: unknown, tags: Readonly<Record<string, string>>) => void;

/** A failure that says for people what kind it is and what to do about it. */
interface Described {
  readonly kind: string;
  readonly description: string;
}

export interface FailureReportConfig {
  readonly controllerName: string;
  /** Where the event is written; none is when absent. */
  readonly events: Pick<Cluster, 'create'> | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Log;
  readonly metrics: HandlerMetrics;
  readonly sink: ErrorSink | undefined;
  /** Writes the line in the log. */
  readonly log: () => void;
}

/** Tells of a failure in this order: a Warning event on the object, the gauge, the sink, the log. Never throws. */
export async function reportFailure(object: KubeObject, error: unknown, config: FailureReportConfig): Promise<void> {
  const { controllerName, metrics, sink, log } = config;
  const described = getDescribed(error);
  if (described !== undefined && config.events !== undefined) await tellOnObject(object, described, config.events, config);
  metrics.failed();
  sink?.(error, { controller: controllerName, object: describeObject({ kind: object.kind, ...object.metadata }) });
  log();
}

/** The part of an error's causes that carries both a kind and a description. */
function getDescribed(error: unknown): Described | undefined {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    const { kind, description } = at as Partial<Described>;
    if (typeof kind === 'string' && typeof description === 'string' && kind !== '' && description !== '') return { kind, description };
  }
  return undefined;
}

async function tellOnObject(object: KubeObject, { kind, description }: Described, events: Pick<Cluster, 'create'>, config: FailureReportConfig): Promise<void> {
  const at = toKubeTime(config.clock.now());
  const { name = '', namespace, uid, resourceVersion } = object.metadata;
  try {
    await events.create({
      apiVersion: 'v1',
      kind: 'Event',
      // Events of cluster-scoped objects live in the default namespace.
      metadata: { generateName: `${name}.`, namespace: namespace ?? 'default' },
      involvedObject: { apiVersion: object.apiVersion, kind: object.kind, name, namespace, uid, resourceVersion },
      type: 'Warning',
      reason: kind,
      message: description,
      source: { component: config.controllerName },
      count: 1,
      firstTimestamp: at,
      lastTimestamp: at,
    });
  } catch (error) {
    config.logger.warn({ controller: config.controllerName, object: name, error: messageOf(error) }, 'event of a failure was not written');
  }
}
