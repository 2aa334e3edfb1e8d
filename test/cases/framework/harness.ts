import { zeroBackOff } from '@/server/framework/operatorkit/back-off';
import type { Flag } from '@/server/framework/operatorkit/context/flags';
import {
  deletionAllowed,
  finalizersKept,
  newLatch,
  reconciliationCanceled,
  resourceCanceled,
  updateAllowed,
  updateNecessary,
} from '@/server/framework/operatorkit/context/flags';
import type { LoggerMeta } from '@/server/framework/operatorkit/context/logger-meta';
import { getLoggerMeta, withLoggerMeta } from '@/server/framework/operatorkit/context/logger-meta';
import { RunContext } from '@/server/framework/operatorkit/context/run-context';
import { CRUDResource } from '@/server/framework/operatorkit/resource/crud-resource';
import type { Patch } from '@/server/framework/operatorkit/resource/patch';
import { NewPatch } from '@/server/framework/operatorkit/resource/patch';
import type { Resource } from '@/server/framework/operatorkit/resource/resource';
import { ResourceSet } from '@/server/framework/operatorkit/resource/resource-set';
import { newMetricsResource } from '@/server/framework/operatorkit/resource/wrapper/metrics-resource';
import { newRetryResource, wrapWithRetry } from '@/server/framework/operatorkit/surface/retry-resource';
import type { Log } from '@/server/platform';
import { createRandom, Registry } from '@/server/platform';
import { InstantClock } from './instant-clock';
import type { Behaviour, ContextDefinition, FlagName, InitCtxDefinition, ResourceDefinition, ResourceSetDefinition } from './schema';

export const FLAGS: Readonly<Record<FlagName, Flag>> = {
  deletionAllowed,
  reconciliationCanceled,
  resourceCanceled,
  updateAllowed,
  updateNecessary,
  finalizersKept,
};

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warning' | 'error';
  readonly [field: string]: unknown;
}

/** Builds what a case gives and writes down what happens to it. */
export class Harness {
  readonly clock = new InstantClock();
  readonly random = createRandom(1);
  readonly metrics = new Registry();
  readonly calls: string[] = [];
  readonly args: Record<string, unknown[]> = {};
  readonly reads: Record<string, unknown[]> = {};
  readonly loggerMeta: Record<string, unknown> = {};
  readonly objects: unknown[] = [];
  readonly log: LogLine[] = [];
  readonly logger: Log = this.#logger({});
  maxConcurrent = 0;
  #running = 0;

  resources(definitions: readonly ResourceDefinition[]): readonly Resource<unknown>[] {
    return definitions.map((definition) => this.resource(definition));
  }

  resource(definition: ResourceDefinition): Resource<unknown> {
    let resource = definition.type === 'plain' ? this.#plain(definition) : this.#crud(definition);
    for (const layer of definition.wrap ?? []) {
      if ('metrics' in layer) {
        resource = newMetricsResource({ resource, serviceName: layer.metrics.service }, { clock: this.clock, metrics: this.metrics });
        continue;
      }
      const { backOff, maxRetries } = layer.retry;
      const own = backOff === 'zero' || maxRetries !== undefined ? zeroBackOff(maxRetries ?? Number.POSITIVE_INFINITY) : undefined;
      resource = own
        ? newRetryResource({ logger: this.logger, resource, backOff: own }, this)
        : (wrapWithRetry({ logger: this.logger, resources: [resource] }, this)[0] ?? resource);
    }
    return resource;
  }

  resourceSet(definition: ResourceSetDefinition, onHandles: (name: string) => void = () => undefined): ResourceSet<unknown> {
    return new ResourceSet<unknown>({
      handles: () => {
        onHandles(definition.name);
        return definition.handles;
      },
      logger: this.logger,
      resources: this.resources(definition.resources ?? [{ type: 'plain', name: `${definition.name}-resource` }]),
      ...(definition.initCtx ? { initCtx: (context: RunContext) => runHook(definition.initCtx, context) } : {}),
    });
  }

  context(definition: ContextDefinition = {}): { readonly context: RunContext; readonly meta: LoggerMeta | undefined } {
    let context = RunContext.background();
    for (const name of definition.installed ?? []) context = FLAGS[name].newContext(context, newLatch());
    for (const name of definition.set ?? []) FLAGS[name].set(context);
    // Of no matter to the framework, the values may be of any type.
    const meta = definition.loggerMeta && (new Map(Object.entries(definition.loggerMeta)) as LoggerMeta);
    return { context: meta ? withLoggerMeta(context, meta) : context, meta };
  }

  #plain({ name, on = {} }: ResourceDefinition): Resource<unknown> {
    const op = (operation: string) => async (context: RunContext, object: unknown) => {
      await this.#invoke(`${name}.${operation}`, context, object, on[operation]);
    };
    return { name, ensureCreated: op('EnsureCreated'), ensureDeleted: op('EnsureDeleted') };
  }

  #crud({ name, on = {} }: ResourceDefinition): Resource<unknown> {
    const state = (operation: string) => (context: RunContext, object: unknown) =>
      this.#invoke(`${name}.${operation}`, context, object, on[operation]);
    const patch = (operation: string) => async (context: RunContext, object: unknown, current: unknown, desired: unknown) => {
      await this.#invoke(`${name}.${operation}`, context, object, on[operation], { current, desired });
      return toPatch(on[operation]);
    };
    const apply = (operation: string) => async (context: RunContext, object: unknown, change: unknown) => {
      await this.#invoke(`${name}.${operation}`, context, object, on[operation], { change });
    };
    return new CRUDResource<unknown>({
      logger: this.logger,
      ops: {
        name,
        getCurrentState: state('GetCurrentState'),
        getDesiredState: state('GetDesiredState'),
        newUpdatePatch: patch('NewUpdatePatch'),
        newDeletePatch: patch('NewDeletePatch'),
        applyCreateChange: apply('ApplyCreateChange'),
        applyDeleteChange: apply('ApplyDeleteChange'),
        applyUpdateChange: apply('ApplyUpdateChange'),
      },
    });
  }

  async #invoke(call: string, context: RunContext, object: unknown, behaviour: Behaviour | undefined, args?: unknown): Promise<unknown> {
    const times = this.calls.filter((earlier) => earlier === call).length;
    this.calls.push(call);
    this.objects.push(object);
    if (args !== undefined) append(this.args, call, args);
    this.maxConcurrent = Math.max(this.maxConcurrent, ++this.#running);
    try {
      this.#touchContext(call, context, behaviour);
      if (behaviour?.pauseMs !== undefined) await this.clock.sleep(behaviour.pauseMs);
      if (behaviour?.throw !== undefined && times < (behaviour.throwTimes ?? Number.POSITIVE_INFINITY)) throw new Error(behaviour.throw);
      return behaviour?.return ?? null;
    } finally {
      this.#running--;
    }
  }

  #touchContext(call: string, context: RunContext, { read, readLoggerMeta, set = [], cancel = [] }: Partial<Behaviour> = {}): void {
    if (read) append(this.reads, call, Object.fromEntries(read.map((name) => [name, FLAGS[name].is(context)])));
    if (readLoggerMeta) this.loggerMeta[call] = Object.fromEntries(getLoggerMeta(context) ?? []);
    for (const name of set) FLAGS[name].set(context);
    for (const what of cancel) (what === 'resource' ? resourceCanceled : reconciliationCanceled).set(context);
  }

  #logger(bound: object): Log {
    const line = (level: LogLine['level']) => (fields: object, message: string) =>
      void this.log.push({ ...bound, ...fields, message, level });
    return {
      debug: line('debug'),
      info: line('info'),
      warn: line('warning'),
      error: line('error'),
      child: (fields) => this.#logger({ ...bound, ...fields }),
    };
  }
}

/** The hook of a set as a case describes it. */
function runHook(definition: InitCtxDefinition, context: RunContext): RunContext {
  if (definition?.throw !== undefined) throw new Error(definition.throw);
  let prepared = definition?.replaceWithBareContext ? RunContext.background() : context;
  for (const name of definition?.install ?? []) prepared = FLAGS[name].newContext(prepared, newLatch());
  for (const name of definition?.setBeforeReturn ?? []) FLAGS[name].set(prepared);
  return prepared;
}

function toPatch(behaviour: Behaviour | undefined): Patch | null {
  const parts = behaviour !== undefined && 'patch' in behaviour ? behaviour.patch : { create: null, delete: null, update: null };
  if (parts === null) return null;
  const given = parts ?? { create: null, delete: null, update: null };
  const patch = NewPatch();
  if ('create' in given) patch.setCreateChange(given.create);
  if ('delete' in given) patch.setDeleteChange(given.delete);
  if ('update' in given) patch.setUpdateChange(given.update);
  return patch;
}

function append(to: Record<string, unknown[]>, key: string, value: unknown): void {
  const list = to[key] ?? [];
  to[key] = list;
  list.push(value);
}
