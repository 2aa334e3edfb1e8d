import type { HealthStatus } from '@/lib/contract/health';
import { HEALTH_STATUSES } from '@/lib/contract/health';

/** Every status an object can have. Compute answers the first four of kstatus; readers add NotFound and Unknown. */
export const STATUSES = HEALTH_STATUSES;
export type Status = HealthStatus;

/** Reads a status by name; undefined for any other text. */
export function parseStatus(text: string): Status | undefined {
  return STATUSES.find((status) => status === text);
}

/** A standard condition, abnormal when true. */
export interface ResultCondition {
  readonly type: 'Reconciling' | 'Stalled';
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
}

export interface ComputeResult {
  readonly status: Status;
  readonly message: string;
  readonly conditions: readonly ResultCondition[];
  /** What told it, in words; absent where kstatus alone was asked. */
  readonly rule?: string;
  /** Who is to tell has not answered yet: asked again in a moment, it tells more. */
  readonly isPending?: true;
}

const NO_CONDITIONS: readonly ResultCondition[] = [];

export function current(message: string): ComputeResult {
  return { status: 'Current', message, conditions: NO_CONDITIONS };
}

/** Somebody knows the object and cannot tell how it is. */
export function unknown(message: string): ComputeResult {
  return { status: 'Unknown', message, conditions: NO_CONDITIONS };
}

/** Nothing is told yet. */
export function pending(message: string): ComputeResult {
  return { ...unknown(message), isPending: true };
}

export function terminating(message: string): ComputeResult {
  return { status: 'Terminating', message, conditions: NO_CONDITIONS };
}

export function inProgress(reason: string, message: string): ComputeResult {
  return { status: 'InProgress', message, conditions: [{ type: 'Reconciling', status: 'True', reason, message }] };
}

/** A failure; its condition may say more than the result. */
export function failed(reason: string, message: string, conditionMessage: string = message): ComputeResult {
  return { status: 'Failed', message, conditions: [{ type: 'Stalled', status: 'True', reason, message: conditionMessage }] };
}

/** Thrown when an object is shaped so that no status can be told. */
export class ComputeError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'ComputeError';
  }
}
