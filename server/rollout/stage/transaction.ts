import { getStageFault, StageFault } from '../fault';
import type { StageAutoscaler, StageBounds, StagePod } from '../model';
import type { BaseStagePodAutoscaler } from './bounds';

/** A write that a pass decided on, as data. */
export type StageAction =
  | { readonly verb: 'create'; readonly kind: 'StagePodAutoscaler'; readonly name: string; readonly object: BaseStagePodAutoscaler }
  | { readonly verb: 'update'; readonly kind: 'StagePodAutoscaler'; readonly name: string; readonly bounds: StageBounds }
  | { readonly verb: 'delete'; readonly kind: 'StagePodAutoscaler'; readonly name: string }
  | { readonly verb: 'delete'; readonly kind: 'Pod'; readonly name: string; readonly gracePeriodSeconds: number };

export interface StageSnapshot {
  readonly autoscalers: readonly StageAutoscaler[];
  readonly pods?: readonly StagePod[];
}

/**
 * What a pass reads and what it wants written.
 *
 * 1. Reads come from the snapshot taken at the start of the pass: an autoscaler created in this pass is not readable in it.
 * 2. Changed bounds of one that existed are visible to later reads of the same pass.
 * 3. Nothing is written here; the order of the actions is the order of the decisions.
 */
export class StageTransaction {
  readonly actions: StageAction[] = [];
  readonly requeueAfterSeconds: number[] = [];
  readonly pods: readonly StagePod[];
  readonly #autoscalers: Map<string, StageAutoscaler>;

  constructor(snapshot: StageSnapshot) {
    this.#autoscalers = new Map(snapshot.autoscalers.map((autoscaler) => [autoscaler.name, autoscaler]));
    this.pods = snapshot.pods ?? [];
  }

  /** The autoscaler, or undefined when the snapshot has none. */
  get(name: string): StageAutoscaler | undefined {
    return this.#autoscalers.get(name);
  }

  /** The autoscaler, or undefined when it is missing or cannot be read, for a look that nothing depends on. */
  peek(name: string): StageAutoscaler | undefined {
    try {
      return this.get(name);
    } catch (error) {
      if (getStageFault(error) === undefined) throw error;
      return undefined;
    }
  }

  require(name: string): StageAutoscaler {
    const found = this.get(name);
    if (found === undefined) throw new StageFault('SpaNotFound', `StagePodAutoscaler ${name} does not exist yet`);
    return found;
  }

  list(): readonly StageAutoscaler[] {
    return [...this.#autoscalers.values()];
  }

  create(object: BaseStagePodAutoscaler): void {
    this.actions.push({ verb: 'create', kind: 'StagePodAutoscaler', name: object.metadata.name, object });
  }

  update(autoscaler: StageAutoscaler, bounds: StageBounds): void {
    this.#autoscalers.set(autoscaler.name, { ...autoscaler, bounds });
    this.actions.push({ verb: 'update', kind: 'StagePodAutoscaler', name: autoscaler.name, bounds });
  }

  delete(name: string): void {
    this.actions.push({ verb: 'delete', kind: 'StagePodAutoscaler', name });
  }

  killPod(name: string): void {
    this.actions.push({ verb: 'delete', kind: 'Pod', name, gracePeriodSeconds: 0 });
  }

  requeue(seconds: number): void {
    this.requeueAfterSeconds.push(seconds);
  }
}
