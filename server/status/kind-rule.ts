import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { BasicCondition } from './object-conditions';
import type { ComputeResult } from './result';
import { inProgress } from './result';

/** Tells when the passage of time alone may change what a rule has just told. */
export type RecheckAt = (at: Instant) => void;

/** Tells the status of one kind. Conditions are decoded already; `now` is for rules that know a grace period, whose end they tell `wake`. */
export type KindRule = (object: KubeObject, conditions: readonly BasicCondition[], now: Instant, wake?: RecheckAt) => ComputeResult;

/** A row of a kind's table: the reason and message while something is still missing. */
export interface ProgressRow {
  readonly when: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The first row that holds, as a result; undefined when none does. Order of rows is behaviour. */
export function firstRow(rows: readonly ProgressRow[]): ComputeResult | undefined {
  const row = rows.find(({ when }) => when);
  return row && inProgress(row.reason, row.message);
}
