import { z } from 'zod';
import { readFields } from '@/lib/kube/fields';
import type { CaseResult } from './case';
import { toResult } from './case';
import { compare } from './compare';
import { faultCodeOf, isSet, withoutUnset } from './rollout-fixtures';
import { planOperations } from './rollout-planning';
import type { RunCase } from './rollout-stages';
import { stageFunctions } from './rollout-stages';

const rolloutCase = z.object({ fn: z.string(), given: z.record(z.string(), z.unknown()) });

/** Runs one case of rollout.json: looks its function up, and compares what the case lists. */
export async function runRolloutCase(testCase: unknown): Promise<CaseResult> {
  const { fn, given } = rolloutCase.parse(withoutUnset(testCase));
  const expectations = readFields(testCase, 'then');
  const operation = typeof given.op === 'string' ? given.op : undefined;
  const run = operation === undefined ? named(stageFunctions, fn) : named(planOperations, `${fn}.${operation}`);
  if (run === undefined) return { kind: 'unanswered', why: `no code answers ${fn}${operation === undefined ? '' : ` ${operation}`}` };
  const found: Record<string, unknown> = {};
  try {
    await run(given, found);
  } catch (error) {
    const code = faultCodeOf(error);
    if (code === undefined) throw error;
    found.error = code;
  }
  const listed = { error: undefined, ...expectations };
  return toResult(
    Object.entries(listed).flatMap(([key, expected]) =>
      compare(key, withoutUnset(expected), shown(key, expected, withoutUnset(found[key]))),
    ),
  );
}

// A name that every object answers to, like "constructor", is no function of ours.
function named(functions: Readonly<Record<string, RunCase>>, name: string): RunCase | undefined {
  return Object.hasOwn(functions, name) ? functions[name] : undefined;
}

// Of reasons a case lists only those it cares about.
function shown(key: string, expected: unknown, found: unknown): unknown {
  if (key === 'passes' && Array.isArray(expected) && Array.isArray(found)) {
    return found.map((pass: unknown, at) => only(pass, expected[at], ['error']));
  }
  return key === 'reasons' ? only(found, expected) : found;
}

function only(found: unknown, expected: unknown, also: readonly string[] = []): unknown {
  if (!isSet(found) || !isSet(expected)) return found;
  return Object.fromEntries([...Object.keys(expected), ...also].map((key) => [key, shown(key, expected[key], found[key])]));
}
