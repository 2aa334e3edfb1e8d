import type { KubeObject } from '@/lib/kube/object';
import type { ComputeOptions, PartialRule } from '../compute';
import type { ComputeResult } from '../result';
import { current, failed, inProgress } from '../result';
import type { CompiledGuard } from './guard';
import { compileGuards } from './guard';
import type { Fill } from './message';
import { compileMessage } from './message';
import type { RuleRow, StatusRule } from './rule';

interface CompiledRow {
  readonly status: RuleRow['status'];
  readonly holds: CompiledGuard;
  readonly reason: Fill;
  readonly message: Fill;
}

/** Compiles rules to what `compute` takes; a later rule of a kind replaces an earlier one. Throws for a path or expression that does not parse. */
export function compileRules(rules: readonly StatusRule[]): ComputeOptions {
  const compiled = new Map<string, PartialRule>();
  const textGenerations = new Set<string>();
  for (const rule of rules) {
    compiled.set(rule.kind, compileRule(rule));
    if (rule.observedGeneration === 'text') textGenerations.add(rule.kind);
    else textGenerations.delete(rule.kind);
  }
  return { rules: compiled, textGenerations };
}

function compileRule({ rows }: StatusRule): PartialRule {
  const compiled = rows.map(compileRow);
  return (object) => {
    for (const row of compiled) {
      const match = row.holds(object);
      if (match !== undefined) return toResult(row, row.reason(object, match), row.message(object, match).trim(), object);
    }
    return undefined;
  };
}

function compileRow({ when = [], status, reason = '{condition.reason}', message }: RuleRow): CompiledRow {
  return { status, holds: compileGuards(when), reason: compileMessage(reason), message: compileMessage(message) };
}

/** A controller that gives a reason only, or nothing, still gets a message that a person can read. */
function toResult({ status }: CompiledRow, reason: string, message: string, { kind }: KubeObject): ComputeResult {
  const said = message || reason || `${kind} is ${status === 'Current' ? 'current' : status === 'Failed' ? 'failed' : 'in progress'}`;
  if (status === 'Current') return current(said);
  const why = reason || status;
  return status === 'Failed' ? failed(why, said) : inProgress(why, said);
}
