import { StageFault } from '@/server/rollout/fault';
import type { StageAutoscaler } from '@/server/rollout/model';
import type { StageSnapshot } from '@/server/rollout/stage/transaction';
import { StageTransaction } from '@/server/rollout/stage/transaction';

/** A transaction in which reading one name fails with something else than not found. */
export class FailingTransaction extends StageTransaction {
  readonly #unreadable: string | undefined;

  constructor(snapshot: StageSnapshot, unreadable: string | undefined) {
    super(snapshot);
    this.#unreadable = unreadable;
  }

  override get(name: string): StageAutoscaler | undefined {
    if (name === this.#unreadable) throw new StageFault('ReadFailed', `StagePodAutoscaler ${name} could not be read`);
    return super.get(name);
  }
}
