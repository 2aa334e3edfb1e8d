import { newLatch, reconciliationCanceled, resourceCanceled } from '../context/flags';
import { getLoggerMeta, withLoggerMeta } from '../context/logger-meta';
import type { RunContext } from '../context/run-context';
import { FrameworkError, wrapError } from '../errors';
import type { Resource } from './resource';

type Verb = 'ensureCreated' | 'ensureDeleted';

/** Brings the resources of an object to life, one after another. */
export async function processUpdate<TObject>(context: RunContext, object: TObject, resources: readonly Resource<TObject>[]): Promise<void> {
  await runResources(context, object, resources, 'ensureCreated');
}

/** Takes the resources of an object away, in the same order: deletion is not reversed. */
export async function processDelete<TObject>(context: RunContext, object: TObject, resources: readonly Resource<TObject>[]): Promise<void> {
  await runResources(context, object, resources, 'ensureDeleted');
}

/** One run; answers whether it was cancelled, which callers cannot see from their own flags. */
export async function runResources<TObject>(
  outer: RunContext,
  object: TObject,
  resources: readonly Resource<TObject>[],
  verb: Verb,
): Promise<{ readonly canceled: boolean }> {
  if ((resources ?? []).length === 0) throw new FrameworkError('executionFailed', 'resources must not be empty');
  const meta = getLoggerMeta(outer) ?? new Map<string, string>();
  const run = reconciliationCanceled.newContext(withLoggerMeta(outer, meta), newLatch());
  try {
    for (const resource of resources) {
      meta.set('resource', resource.name);
      const context = resourceCanceled.newContext(run, newLatch());
      try {
        await resource[verb](context, object);
      } catch (error) {
        throw wrapError(error, `${resource.name}.${verb}`);
      }
      if (reconciliationCanceled.is(context)) return { canceled: true };
    }
    return { canceled: false };
  } finally {
    meta.delete('resource');
  }
}
