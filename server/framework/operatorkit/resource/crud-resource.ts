import type { Log } from '@/server/platform';
import { reconciliationCanceled, resourceCanceled } from '../context/flags';
import { getLoggerMeta } from '../context/logger-meta';
import type { RunContext } from '../context/run-context';
import { requireConfig, wrapError } from '../errors';
import type { Patch, PatchPart } from './patch';
import { PATCH_PARTS } from './patch';
import type { CRUDResourceOps, Resource } from './resource';

export interface CRUDResourceConfig<TObject, TState, TChange> {
  readonly logger: Log;
  readonly ops: CRUDResourceOps<TObject, TState, TChange>;
}

const BRAND = Symbol.for('slipway/crud-resource');

/** Steps of a run of a CRUD resource, as log lines and errors name them. */
type Step =
  | 'GetCurrentState'
  | 'GetDesiredState'
  | 'NewUpdatePatch'
  | 'NewDeletePatch'
  | 'ApplyCreateChange'
  | 'ApplyDeleteChange'
  | 'ApplyUpdateChange';

/** Thrown and caught inside one run only: a step was not begun since the run or the resource is cancelled. */
class Canceled extends Error {}

/**
 * A resource made of steps: current state, desired state, patch, then the parts of the patch that were set.
 *
 * 1. Before each step the cancel flags are asked; a set one ends the resource with success.
 * 2. A step that is under way ends; what it returned is dropped when it cancelled.
 * 3. An error ends the resource, also when the same step cancelled.
 */
export class CRUDResource<TObject, TState = unknown, TChange = unknown> implements Resource<TObject> {
  readonly [BRAND] = true;
  readonly name: string;
  readonly logger: Log;
  readonly ops: CRUDResourceOps<TObject, TState, TChange>;

  constructor(config: CRUDResourceConfig<TObject, TState, TChange>) {
    requireConfig(config.logger, 'Logger');
    requireConfig(config.ops, 'Ops');
    requireConfig(config.ops.name, 'Ops.Name');
    this.name = config.ops.name;
    this.logger = config.logger;
    this.ops = config.ops;
  }

  ensureCreated(context: RunContext, object: TObject): Promise<void> {
    return this.#run(context, object, 'NewUpdatePatch');
  }

  ensureDeleted(context: RunContext, object: TObject): Promise<void> {
    return this.#run(context, object, 'NewDeletePatch');
  }

  async #run(context: RunContext, object: TObject, newPatch: 'NewUpdatePatch' | 'NewDeletePatch'): Promise<void> {
    const { ops } = this;
    try {
      const current = await step(context, 'GetCurrentState', () => ops.getCurrentState(context, object));
      const desired = await step(context, 'GetDesiredState', () => ops.getDesiredState(context, object));
      const patch = await step(context, newPatch, () =>
        newPatch === 'NewUpdatePatch'
          ? ops.newUpdatePatch(context, object, current, desired)
          : ops.newDeletePatch(context, object, current, desired),
      );
      for (const part of PATCH_PARTS) await this.#apply(context, object, patch, part);
    } catch (error) {
      if (!(error instanceof Canceled)) throw error;
    } finally {
      getLoggerMeta(context)?.delete('function');
    }
  }

  async #apply(context: RunContext, object: TObject, patch: Patch<TChange> | null | undefined, part: PatchPart): Promise<void> {
    const given = patch?.getPart(part);
    if (given === undefined) return;
    const { ops } = this;
    const { change } = given;
    switch (part) {
      case 'create':
        return step(context, 'ApplyCreateChange', () => ops.applyCreateChange(context, object, change));
      case 'delete':
        return step(context, 'ApplyDeleteChange', () => ops.applyDeleteChange(context, object, change));
      case 'update':
        return step(context, 'ApplyUpdateChange', () => ops.applyUpdateChange(context, object, change));
    }
  }
}

async function step<T>(context: RunContext, name: Step, operation: () => Promise<T>): Promise<T> {
  if (reconciliationCanceled.is(context) || resourceCanceled.is(context)) throw new Canceled();
  getLoggerMeta(context)?.set('function', name);
  try {
    return await operation();
  } catch (error) {
    throw wrapError(error, name);
  }
}

/** True for a CRUD resource, subclasses included. */
export function isCRUDResource<TObject>(resource: Resource<TObject>): resource is CRUDResource<TObject> {
  return BRAND in resource;
}
