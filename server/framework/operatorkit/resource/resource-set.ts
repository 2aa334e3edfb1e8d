import { isFields, readString } from '@/lib/kube/fields';
import { toObjectKey } from '@/lib/kube/object';
import type { Log } from '@/server/platform';
import { newLatch, updateAllowed, updateNecessary } from '../context/flags';
import { getLoggerMeta, withLoggerMeta } from '../context/logger-meta';
import type { RunContext } from '../context/run-context';
import { FrameworkError, requireConfig, wrapError } from '../errors';
import type { Resource } from './resource';

export interface ResourceSetConfig<TObject> {
  /** Whether this set is the one for an object; the sets of a router exclude each other. */
  readonly handles: (object: TObject) => boolean;
  /** Adds to the context of a run what the resources share. */
  readonly initCtx?: (context: RunContext, object: TObject) => Promise<RunContext> | RunContext;
  readonly logger: Log;
  readonly resources: readonly Resource<TObject>[];
}

/** The resources of one version of an operator, in order, with the predicate that says for which objects. */
export class ResourceSet<TObject> {
  readonly resources: readonly Resource<TObject>[];
  readonly #config: ResourceSetConfig<TObject>;

  constructor(config: ResourceSetConfig<TObject>) {
    requireConfig(config.handles, 'Handles');
    requireConfig(config.logger, 'Logger');
    if ((config.resources ?? []).length === 0) throw new FrameworkError('invalidConfig', 'Resources must not be empty');
    this.#config = config;
    this.resources = config.resources;
  }

  handles(object: TObject): boolean {
    return this.#config.handles(object);
  }

  /** The context of one event: update flags, whatever the hook adds, and the name of the object in every log line. */
  async initCtx(outer: RunContext, object: TObject): Promise<RunContext> {
    const flagged = updateNecessary.newContext(updateAllowed.newContext(outer, newLatch()), newLatch());
    let context = flagged;
    try {
      context = (await this.#config.initCtx?.(flagged, object)) ?? flagged;
    } catch (error) {
      throw wrapError(error, 'InitCtx');
    }
    const link = linkOf(object);
    if (link === undefined) {
      this.#config.logger.warn({}, 'cannot name an object without metadata in log lines');
      return context;
    }
    const meta = getLoggerMeta(context);
    meta?.set('object', link);
    return meta === undefined ? withLoggerMeta(context, new Map([['object', link]])) : context;
  }
}

/** How log lines name an object: its self link, which API servers no longer send, or namespace/name; undefined without metadata. */
export function linkOf(object: unknown): string | undefined {
  if (!isFields(object) || !isFields(object.metadata)) return undefined;
  return (
    readString(object.metadata, 'selfLink') ??
    toObjectKey({ namespace: readString(object.metadata, 'namespace'), name: readString(object.metadata, 'name') })
  );
}

/** A function that gives the same list whatever it is asked; kept since operators were written against it. */
export function DefaultResourceSetResourceFunc<TObject>(
  resources: readonly Resource<TObject>[],
): (context: RunContext, object: TObject) => Promise<readonly Resource<TObject>[]> {
  return async () => resources;
}
