import { CRUDResource, isCRUDResource } from '../crud-resource';
import type { CRUDResourceOps, Resource } from '../resource';
import type { Wrapper } from './unwrap';
import { unwrap } from './unwrap';

/** Something done around each operation of a resource; the name is the operation's as metrics label it. */
export type Interceptor = <T>(operation: string, run: () => Promise<T>) => Promise<T>;

/**
 * Puts something around a resource: around each step of a CRUD resource, around the whole of any other. A new resource
 * is built; the given one stays as it was.
 */
export function wrapWithInterceptor<TObject>(resource: Resource<TObject>, around: Interceptor): Resource<TObject> {
  const inner = unwrap(resource);
  if (isCRUDResource(inner)) return new CRUDResource({ logger: inner.logger, ops: wrapOps(inner.ops, around) });
  const wrapper: Wrapper<TObject> = {
    name: resource.name,
    ensureCreated: (context, object) => around('EnsureCreated', () => resource.ensureCreated(context, object)),
    ensureDeleted: (context, object) => around('EnsureDeleted', () => resource.ensureDeleted(context, object)),
    wrapped: () => resource,
  };
  return wrapper;
}

// The labels of the apply steps say Patch where the methods say Change; dashboards rely on them.
function wrapOps<TObject, TState, TChange>(
  ops: CRUDResourceOps<TObject, TState, TChange>,
  around: Interceptor,
): CRUDResourceOps<TObject, TState, TChange> {
  return {
    name: ops.name,
    getCurrentState: (context, object) => around('GetCurrentState', () => ops.getCurrentState(context, object)),
    getDesiredState: (context, object) => around('GetDesiredState', () => ops.getDesiredState(context, object)),
    newUpdatePatch: (context, object, current, desired) =>
      around('NewUpdatePatch', () => ops.newUpdatePatch(context, object, current, desired)),
    newDeletePatch: (context, object, current, desired) =>
      around('NewDeletePatch', () => ops.newDeletePatch(context, object, current, desired)),
    applyCreateChange: (context, object, change) => around('ApplyCreatePatch', () => ops.applyCreateChange(context, object, change)),
    applyDeleteChange: (context, object, change) => around('ApplyDeletePatch', () => ops.applyDeleteChange(context, object, change)),
    applyUpdateChange: (context, object, change) => around('ApplyUpdatePatch', () => ops.applyUpdateChange(context, object, change)),
  };
}
