import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { PartialRule, RuleMap } from '../compute';
import type { ComputeResult, Status } from '../result';
import { current, failed, inProgress, pending, unknown } from '../result';
import type { LuaAnswer, LuaRunner, LuaScript } from './lua-runner';

/** What tells otherwise with the time is asked again that often. */
const AGAIN_MS = 60_000;
const SOON_MS = 1000;

/** Argo CD's health checks as rules: they see the object before any check of ours, as they do there. A later script of a key replaces an earlier one. */
export function luaRules(scripts: readonly LuaScript[], runner: Pick<LuaRunner, 'run'>): RuleMap {
  return new Map(scripts.map((script) => [script.key, toRule(script, runner)]));
}

function toRule(script: LuaScript, runner: Pick<LuaRunner, 'run'>): PartialRule {
  const rule = `Lua ${script.key} of ${script.source}`;
  const compute: PartialRule = (object, _conditions, now, wake) => {
    const answer = runner.run(script, object, now);
    const again = againAt(answer, now);
    if (again !== undefined) wake?.(again);
    const result = toResult(script, answer);
    return result && { ...result, rule };
  };
  return Object.assign(compute, { first: true, readsTime: true });
}

function againAt(answer: LuaAnswer, now: Instant): Instant | undefined {
  if (answer.kind === 'later') return toInstant(now + SOON_MS);
  return answer.kind === 'fault' || answer.readsTime ? toInstant(now + AGAIN_MS) : undefined;
}

const STATUSES: Readonly<Record<string, Status>> = {
  Healthy: 'Current',
  Progressing: 'InProgress',
  Degraded: 'Failed',
  // Somebody holds it on purpose: it is not what was asked for yet, and nothing failed.
  Suspended: 'InProgress',
  Missing: 'NotFound',
  Unknown: 'Unknown',
};

/** What a status of Argo CD is called here; one that Argo CD does not know is Unknown. */
export function statusOfArgo(status: string): Status {
  return STATUSES[status] ?? 'Unknown';
}

function toResult({ source }: LuaScript, answer: LuaAnswer): ComputeResult | undefined {
  if (answer.kind === 'nothing') return undefined;
  if (answer.kind === 'later') return pending(answer.sentence);
  if (answer.kind !== 'told') return unknown(answer.sentence);
  const { status } = answer;
  const message = answer.message || status;
  switch (statusOfArgo(status)) {
    case 'Current':
      return current(message);
    case 'InProgress':
      return inProgress(status, message);
    case 'Failed':
      return failed(status, message);
    case 'NotFound':
      return { ...unknown(message), status: 'NotFound' };
    default:
      return unknown(
        status === 'Unknown'
          ? message
          : `The Lua health check of ${source} returned the status ${JSON.stringify(status)}, which Argo CD does not know`,
      );
  }
}
