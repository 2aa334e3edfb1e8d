import { messageOf } from '@/lib/contract/app-error';
import type { ObjectAddress } from '@/lib/kube/object';

/** The stage of a dispatch at which it failed. */
export type DispatchStage = 'validate' | 'previous' | 'tracker' | 'apply' | 'record' | 'collect' | 'scopes';

interface DispatchErrorOptions {
  readonly stage: DispatchStage;
  readonly cause?: unknown;
  readonly object?: ObjectAddress;
}

/** A failed dispatch. The message is the whole chain joined, as the original prints it; the cause stays reachable. */
export class DispatchError extends Error {
  readonly stage: DispatchStage;
  readonly object: ObjectAddress | undefined;

  constructor(sentence: string, options: DispatchErrorOptions) {
    super(options.cause === undefined ? sentence : `${sentence}: ${messageOf(options.cause)}`, { cause: options.cause });
    this.name = 'DispatchError';
    this.stage = options.stage;
    this.object = options.object;
  }
}
