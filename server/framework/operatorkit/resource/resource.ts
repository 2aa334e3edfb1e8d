import type { RunContext } from '../context/run-context';
import type { Patch } from './patch';

/** One part of what an object stands for. Both verbs tolerate repetition and half-done earlier runs. */
export interface Resource<TObject> {
  readonly name: string;
  ensureCreated(context: RunContext, object: TObject): Promise<void>;
  ensureDeleted(context: RunContext, object: TObject): Promise<void>;
}

/** The steps of a CRUD resource. States are opaque to the framework; the apply steps act on their change and decide nothing. */
export interface CRUDResourceOps<TObject, TState = unknown, TChange = unknown> {
  readonly name: string;
  getCurrentState(context: RunContext, object: TObject): Promise<TState>;
  getDesiredState(context: RunContext, object: TObject): Promise<TState>;
  newUpdatePatch(context: RunContext, object: TObject, current: TState, desired: TState): Promise<Patch<TChange> | null | undefined>;
  newDeletePatch(context: RunContext, object: TObject, current: TState, desired: TState): Promise<Patch<TChange> | null | undefined>;
  applyCreateChange(context: RunContext, object: TObject, change: TChange): Promise<void>;
  applyDeleteChange(context: RunContext, object: TObject, change: TChange): Promise<void>;
  applyUpdateChange(context: RunContext, object: TObject, change: TChange): Promise<void>;
}
