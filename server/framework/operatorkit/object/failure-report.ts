import { messageOf } from '@/lib/contract/app-error';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import type { EventRecorder, EventSink } from '@/server/kube';
import type { Log } from '@/server/platform';
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
  readonly events: EventSink | undefined;
  readonly recorder: EventRecorder;
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
  if (described !== undefined && config.events !== undefined) await reportOnObject(object, described, config.events, config);
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

async function reportOnObject(
  object: KubeObject,
  { kind, description }: Described,
  sink: EventSink,
  config: FailureReportConfig,
): Promise<void> {
  try {
    await config.recorder.record(sink, object, { type: 'Warning', reason: kind, message: description });
  } catch (error) {
    config.logger.warn(
      { controller: config.controllerName, object: object.metadata.name, error: messageOf(error) },
      'event of a failure was not written',
    );
  }
}
