import type { KubeObject } from '@/lib/kube/object';
import type { PartialRule } from '../compute';
import type { ComputeResult } from '../result';
import { current, failed, inProgress, unknown } from '../result';
import type { CompiledGuard, EvaluationTime } from './guard';
import { compileGuards, readsTime } from './guard';
import type { RenderMessage } from './message';
import { compileMessage } from './message';
import type { RuleRow, StatusRule } from './rule';

interface CompiledRow {
  /** What a status that this row tells names as its source. */
  readonly label: string;
  readonly status: RuleRow['status'];
  readonly holds: CompiledGuard;
  readonly reason: RenderMessage;
  readonly message: RenderMessage;
}

/**
 * Compiles rules to what `compute` takes; a later rule of a kind replaces an earlier one. Throws for a path or expression that does
 * not parse. `source` names whose rules they are, when they are not ours.
 */
export function compileRules(rules: readonly StatusRule[], source = ''): ReadonlyMap<string, PartialRule> {
  return new Map(
    rules.map((rule) => {
      const compiled = compileRows(rule, source);
      return [rule.kind, computeBy(rule, () => compiled)];
    }),
  );
}

/**
 * The same for rules that are known to parse, which ours are: each is compiled when the first object of its kind is asked about. A start does not
 * wait for rules of kinds that the cluster has none of.
 */
export function compileOwnRules(rules: readonly StatusRule[]): ReadonlyMap<string, PartialRule> {
  return new Map(
    rules.map((rule) => {
      let compiled: readonly CompiledRow[] | undefined;
      return [rule.kind, computeBy(rule, () => (compiled ??= compileRows(rule, '')))];
    }),
  );
}

function compileRows({ kind, rows = [] }: StatusRule, source: string): readonly CompiledRow[] {
  const what = `${kind.includes('*') ? 'family rule' : 'kind rule'} ${kind}`;
  return rows.map((row, index) =>
    compileRow(row, `${what} row ${row.name === undefined ? index + 1 : JSON.stringify(row.name)}${source && ` of ${source}`}`),
  );
}

function computeBy({ rows = [], skip, statusless }: StatusRule, compiled: () => readonly CompiledRow[]): PartialRule {
  const compute: PartialRule = (object, _conditions, now, wake) => {
    const moment: EvaluationTime = { now, wake };
    for (const row of compiled()) {
      const match = row.holds(object, moment);
      if (match !== undefined) return toResult(row, row.reason(object, match), row.message(object, match).trim(), object);
    }
    return undefined;
  };
  return Object.assign(compute, {
    ...(skip ? { skip } : {}),
    ...(statusless ? { statusless } : {}),
    readsTime: rows.some(({ when = [] }) => when.some(readsTime)),
  });
}

function compileRow({ when = [], status, reason = '{condition.reason}', message }: RuleRow, label: string): CompiledRow {
  return { label, status, holds: compileGuards(when), reason: compileMessage(reason), message: compileMessage(message) };
}

const WORDS = { Current: 'is current', InProgress: 'is in progress', Failed: 'has failed', Unknown: 'tells no status' } as const;

/** A controller that gives a reason only, or nothing, still gets a message that a person can read. */
function toResult({ status, label: rule }: CompiledRow, reason: string, message: string, { kind }: KubeObject): ComputeResult {
  const said = message || reason || `${kind} ${WORDS[status]}`;
  const why = reason || status;
  if (status === 'Current') return { ...current(said), rule };
  if (status === 'Unknown') return { ...unknown(said), rule };
  return { ...(status === 'Failed' ? failed(why, said) : inProgress(why, said)), rule };
}
