import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { ROLLOUT_STATUS_RULES } from '@/server/rollout';
import type { ComputeOptions } from '@/server/status';
import { compute } from '@/server/status/compute';
import type { ComputeResult, Status } from '@/server/status/result';
import { BUILT_IN_RULES } from '@/server/status/rules/built-in-rules';
import { compileRules } from '@/server/status/rules/compile';

export const NOW = toInstant(Date.UTC(2031, 4, 4));
/** All that the server comes with: those of kinds of others, and those that rooms bring for their own kinds. */
export const OUR_RULES = [...BUILT_IN_RULES, ...ROLLOUT_STATUS_RULES];
export const HOUSE: ComputeOptions = { rules: compileRules(OUR_RULES), profile: 'health' };

/** A row of a table: what it shows, the object's state, and what is told of it. */
export type RuleCase = readonly [title: string, state: State, status: Status, message: string];

/** The rows of a kind. */
export type KindCases = readonly [apiVersion: string, kind: string, cases: readonly RuleCase[]];

export interface State {
  readonly generation?: number;
  readonly spec?: object;
  readonly status?: object;
}

/** An object of a kind in a state. */
export function anObject(apiVersion: string, kind: string, { generation, spec, status }: State): KubeObject {
  const metadata = { name: 'one', namespace: 'shop', ...(generation === undefined ? {} : { generation }) };
  return { apiVersion, kind, metadata, ...(spec ? { spec } : {}), ...(status ? { status } : {}) };
}

/** What the rules of the house tell of it. */
export function evaluate(apiVersion: string, kind: string, state: State): ComputeResult {
  return compute(anObject(apiVersion, kind, state), NOW, HOUSE);
}

/** A condition that came about a moment ago, before any grace is over. */
export function freshCondition(type: string, status: string, reason: string, message: string): object {
  return { ...condition(type, status, reason, message), lastTransitionTime: '2031-05-03T23:59:00Z' };
}

/** A condition as controllers write it. */
export function condition(type: string, status: string, reason: string, message: string, observedGeneration?: number): object {
  return {
    type,
    status,
    reason,
    message,
    lastTransitionTime: '2031-05-03T00:00:00Z',
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
}

/** Whether something is ready, as its controller writes it. */
export function ready(status: string, reason: string, message: string): object {
  return condition('Ready', status, reason, message);
}
