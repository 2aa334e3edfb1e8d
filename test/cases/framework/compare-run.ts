import { z } from 'zod';
import { isFields } from '@/lib/kube/fields';
import { getFrameworkError, rootCause } from '@/server/framework/operatorkit/errors';
import type { Registry } from '@/server/platform';
import type { CaseDifference } from '../case';
import { compare, compareUnordered } from '../compare';
import type { Harness, LogLine } from './harness';
import type { ExpectedError } from './schema';
import { expectedError } from './schema';

/** Runs something that may throw; the error in place of a throw. */
export async function outcomeOf<T>(run: () => Promise<T> | T): Promise<{ readonly value?: T; readonly error: unknown }> {
  try {
    return { value: await run(), error: null };
  } catch (error) {
    return { error };
  }
}

/** The class of an error by its root: the framework's own, or whatever a hook threw. */
function classOf(error: unknown): string {
  const kind = getFrameworkError(error)?.kind;
  return kind === undefined ? 'User' : kind.charAt(0).toUpperCase() + kind.slice(1);
}

/** Compares an error; one expected to be of a user must have exactly that message at its root. */
export function compareError(wanted: unknown, found: unknown): readonly CaseDifference[] {
  if (wanted === undefined) return [];
  const expected: ExpectedError = expectedError.parse(wanted);
  if (expected === null || found === null) {
    return expected === null && found === null ? [] : [{ at: 'error', expected, found: found === null ? null : String(found) }];
  }
  const root = rootCause(found);
  const message = root instanceof Error ? root.message : String(root);
  const named = { class: classOf(found), message };
  const fits =
    expected.message === undefined ||
    (expected.class === 'User' ? message === expected.message : message.toLowerCase().includes(expected.message.toLowerCase()));
  return named.class === expected.class && fits ? [] : [{ at: 'error', expected, found: named }];
}

/** Compares log lines by the fields the case names. */
export function compareLog(wanted: unknown, found: readonly LogLine[]): readonly CaseDifference[] {
  if (wanted === undefined) return [];
  const expected = z.array(z.record(z.string(), z.unknown())).parse(wanted);
  if (expected.length !== found.length) return [{ at: 'log', expected, found }];
  return expected.flatMap((line, index) =>
    Object.entries(line).flatMap(([name, value]) => compare(`log[${index}].${name}`, value, found[index]?.[name])),
  );
}

/** Compares the series that grew, each metric as an exact set. */
export async function compareMetrics(wanted: unknown, registry: Registry): Promise<readonly CaseDifference[]> {
  if (!isFields(wanted)) return [];
  const differences: CaseDifference[] = [];
  for (const [name, expected] of Object.entries(wanted)) {
    const found = await seriesOf(registry, name);
    differences.push(...compareUnordered(`metrics.${name}`, Array.isArray(expected) ? expected : [], found));
  }
  return differences;
}

interface Series {
  readonly labels: Readonly<Record<string, unknown>>;
  readonly value: number;
}

/** The series of a metric that are above zero; a name that ends in `_count` reads a histogram. */
export async function seriesOf(registry: Registry, name: string): Promise<readonly Series[]> {
  const metric = registry.getSingleMetric(name) ?? registry.getSingleMetric(name.replace(/_count$/, ''));
  if (metric === undefined) return [];
  const { values } = await metric.get();
  return values
    .filter((sample) => sample.value > 0 && (!('metricName' in sample) || sample.metricName === undefined || sample.metricName === name))
    .map(({ labels, value }) => ({ labels: { ...labels }, value }));
}

/** Compares the members that the case names. */
export function compareNamed(then: Readonly<Record<string, unknown>>, found: Readonly<Record<string, unknown>>): readonly CaseDifference[] {
  return Object.entries(found).flatMap(([name, value]) => (name in then ? compare(name, then[name], value) : []));
}

/** Compares what the resources of a harness did and saw, as far as the case names it; of what is kept by operation, the operations it names. */
export async function compareObserved(then: Readonly<Record<string, unknown>>, harness: Harness): Promise<readonly CaseDifference[]> {
  const { calls, maxConcurrent } = harness;
  return [
    ...compareNamed(then, { calls, maxConcurrent }),
    ...(['args', 'reads', 'loggerMeta'] as const).flatMap((name) => compareByOperation(name, then[name], harness[name])),
    ...compareLog(then.log, harness.log),
    ...(await compareMetrics(then.metrics, harness.metrics)),
  ];
}

function compareByOperation(name: string, wanted: unknown, found: Readonly<Record<string, unknown>>): readonly CaseDifference[] {
  if (wanted === undefined) return [];
  const expected = z.record(z.string(), z.unknown()).parse(wanted);
  return Object.entries(expected).flatMap(([operation, value]) => compare(`${name}.${operation}`, value, found[operation]));
}
