import type { CaseDifference, CaseResult } from './case';
import { toResult } from './case';
import { runConstructCase } from './framework/construct-cases';
import { runInformerCase } from './framework/informer-cases';
import { runFinalizerPlanCase, runPauseCase, runReconcileObjectCase } from './framework/object-cases';
import {
  runCamelCaseCase,
  runDefaultResourcesCase,
  runFlagCase,
  runInitCtxCase,
  runRouteCase,
  runUnwrapCase,
} from './framework/part-cases';
import { runHandleCase, runProcessCase, runProcessEventsCase } from './framework/process-cases';
import { runBackOffSequenceCase, runBootCase, runCrdCase, runRetryCase } from './framework/retry-cases';
import type { FrameworkCase } from './framework/schema';
import { frameworkCase } from './framework/schema';

const RUNNERS: Readonly<Record<string, (testCase: FrameworkCase) => Promise<readonly CaseDifference[]>>> = {
  processUpdate: runProcessCase,
  processDelete: runProcessCase,
  ensureCreated: runProcessCase,
  ensureDeleted: runProcessCase,
  flag: runFlagCase,
  routeObject: runRouteCase,
  construct: runConstructCase,
  initCtx: runInitCtxCase,
  defaultResourcesFunc: runDefaultResourcesCase,
  handleUpdate: runHandleCase,
  handleDelete: runHandleCase,
  concurrent: runHandleCase,
  retry: runRetryCase,
  backOffSequence: runBackOffSequenceCase,
  processEvents: runProcessEventsCase,
  boot: runBootCase,
  ensureCrd: runCrdCase,
  deleteCrd: runCrdCase,
  unwrap: runUnwrapCase,
  camelCase: runCamelCaseCase,
  isPaused: runPauseCase,
  informer: runInformerCase,
  planAddFinalizer: runFinalizerPlanCase,
  planRemoveFinalizer: runFinalizerPlanCase,
  reconcileObject: runReconcileObjectCase,
};

/** Runs a case of the framework by the call it names. */
export async function runFrameworkCase(testCase: unknown): Promise<CaseResult> {
  const parsed = frameworkCase.parse(testCase);
  const run = RUNNERS[parsed.when.call];
  if (run === undefined) return { kind: 'unanswered', why: `nothing answers the call ${parsed.when.call}` };
  const read = new Set<PropertyKey>();
  // biome-ignore lint/suspicious/noThenProperty: the case files name their expectation so
  const differences = await run({ ...parsed, then: noteReads(parsed.then, read) });
  return toResult([...differences, ...unanswered(parsed, read)]);
}

/** What the case expects and nobody looked at. That nothing is thrown holds once the run is over. */
function unanswered({ when, then }: FrameworkCase, read: ReadonlySet<PropertyKey>): readonly CaseDifference[] {
  return Object.entries(then)
    .filter(([name, expected]) => !read.has(name) && !(name === 'error' && expected === null))
    .map(([name, expected]) => ({ at: `then.${name}`, expected, found: `nothing of ${when.call} answers it` }));
}

/** The same members; notes which of them somebody looks at, since an expectation that nobody looks at would hold by itself. */
function noteReads<T extends object>(members: T, read: Set<PropertyKey>): T {
  return new Proxy(members, {
    get(target, name) {
      read.add(name);
      return Reflect.get(target, name);
    },
    has(target, name) {
      read.add(name);
      return Reflect.has(target, name);
    },
  });
}
