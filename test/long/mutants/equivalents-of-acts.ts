import type { Equivalent } from './equivalents';

const ROLLOUT_STEP = "if (step.kind === 'none' || (step.kind === 'leave' && step.policy === undefined)) return;";
const LISTED = 'for await (const { items } of cluster.list({ ...kind, ...(namespace === undefined ? {} : { namespace }) }, { signal })) {';
const UNWRITTEN = 'where nothing is to be written the decision about it comes to nothing as well';
const LISTED_TWICE = 'of an object that the next record lists twice the first entry counts';
const IN_KEY = 'what is found is compared with its namespace, so that elsewhere nothing more is found';

/** Those of what server/application decides, does and looks at that touch a right, a gate, a deletion or a bound. */
export const OF_ACTS: readonly Equivalent[] = [
  {
    file: 'server/application/act/collection-request.ts',
    line: "const accepted = agreement.kind === 'same' ? agreement.deletions : undefined;",
    from: "agreement.kind === 'same'",
    to: 'true',
    why: 'of a plan that nobody saw no deletions are noted',
  },
  {
    file: 'server/application/act/collect.ts',
    line: "if (olds.length === 0 && decisions.length === 0) return { kind: 'done' };",
    from: 'olds.length === 0 && decisions.length === 0',
    to: 'false',
    why: 'without decisions nobody is answered, and without records the next line but two says the same',
  },
  {
    file: 'server/application/act/collect.ts',
    line: "const isRefused = evaluated.some(({ phase }) => phase === 'Rejected');",
    from: "phase === 'Rejected'",
    to: 'true',
    why: 'the server is asked once more, and what is accepted stays among them',
  },
  ...[
    ["({ verdict }) => verdict === 'handed-over'", '() => undefined'],
    ["verdict === 'handed-over'", 'false'],
    ['({ entry }) => entry', '() => undefined'],
  ].map(([from = '', to = '']) => ({
    file: 'server/application/act/collect.ts',
    line: "const shared = new Set(plan.items.filter(({ verdict }) => verdict === 'handed-over').map(({ entry }) => entry));",
    ...{ from, to },
    why: 'what the next record lists is handed over however it is, and only read for nothing',
  })),
  {
    file: 'server/application/act/collect.ts',
    line: 'return olds.flatMap(({ entries }) => entries.filter((entry) => !shared.has(entry)));',
    from: 'entries.filter((entry) => !shared.has(entry))',
    to: 'entries',
    why: 'what the next record lists is handed over however it is, and only read for nothing',
  },
  {
    file: 'server/application/act/dispatch.ts',
    line: 'return staged.has(name) && labels?.[LABEL.rolloutRevision] === name;',
    from: 'labels?.[LABEL.rolloutRevision]',
    to: 'labels[LABEL.rolloutRevision]',
    why: 'every object of an application is written with its labels',
  },
  {
    file: 'server/application/act/finalize.ts',
    line: 'if (!(object.metadata.finalizers ?? []).some(isFinalizerOfOurs)) return undefined;',
    from: '[]',
    to: '["Stryker was here"]',
    why: 'no finalizer of ours is called that',
  },
  {
    file: 'server/application/act/finalize.ts',
    line: "const { finalizers = [], name = '', uid = '', resourceVersion } = object.metadata;",
    from: '[]',
    to: '["Stryker was here"]',
    why: 'one without a finalizer of ours was left before',
  },
  {
    file: 'server/application/act/finalize.ts',
    line: 'context.deps.cluster.delete(toAddress(tracker), options).then(() => true),',
    from: 'true',
    to: 'false',
    why: 'either is something, where a record that changed is nothing',
  },
  {
    file: 'server/application/act/rollout.ts',
    line: ROLLOUT_STEP,
    from: "step.kind === 'none' || (step.kind === 'leave' && step.policy === undefined)",
    to: 'false',
    why: UNWRITTEN,
  },
  { file: 'server/application/act/rollout.ts', line: ROLLOUT_STEP, from: "step.kind === 'none'", to: 'false', why: UNWRITTEN },
  {
    file: 'server/application/act/rollout.ts',
    line: ROLLOUT_STEP,
    from: "step.kind === 'leave' && step.policy === undefined",
    to: 'false',
    why: UNWRITTEN,
  },
  {
    file: 'server/application/act/rollout.ts',
    line: ROLLOUT_STEP,
    from: "step.kind === 'none' || (step.kind === 'leave' && step.policy === undefined)",
    to: "step.kind === 'none' && step.kind === 'leave' && step.policy === undefined",
    why: UNWRITTEN,
  },
  {
    file: 'server/application/act/rollout.ts',
    line: "step.kind === 'remove' ? undefined : await noteOf(context, application.object, (object) => readAnnotatedUser(object, REQUESTED_BY));",
    from: "step.kind === 'remove'",
    to: 'false',
    why: 'nobody is noted on what is taken away',
  },
  {
    file: 'server/application/decide/decide.ts',
    line: 'if (policy === undefined || owner === undefined || owner.uid === uid) return undefined;',
    from: 'policy === undefined',
    to: 'false',
    why: 'without a policy a rollout of somebody else was put aside before',
  },
  {
    file: 'server/application/decide/decide.ts',
    line: "rollout.kind === 'leave' && rollout.isRejected ? planRestore(application, { rejected: rendered, stable: previous }, seen) : undefined,",
    from: "rollout.kind === 'leave'",
    to: 'true',
    why: 'only what is left is said to be rejected',
  },
  {
    file: 'server/application/decide/decide.ts',
    line: "if (workload === undefined || (!staged && seen.latest === undefined) || (!staged && previous !== undefined)) return { kind: 'none' };",
    from: 'workload === undefined',
    to: 'false',
    why: 'a policy names a component with a workload, or the application is refused',
  },
  {
    file: 'server/application/decide/revert.ts',
    line: 'return asked.size > 0 && recordedIds(manifest).some((id) => asked.has(id));',
    from: 'asked.size > 0',
    to: 'true',
    why: 'what nobody asked for is not among it either, at the price of looking',
  },
  {
    file: 'server/application/decide/revert.ts',
    line: 'return asked.size > 0 && recordedIds(manifest).some((id) => asked.has(id));',
    from: 'asked.size > 0',
    to: 'asked.size >= 0',
    why: 'what nobody asked for is not among it either, at the price of looking',
  },
  {
    file: 'server/application/decide/revisions.ts',
    line: 'if (workload === undefined || component === undefined) return undefined;',
    from: 'workload === undefined',
    to: 'false',
    why: 'every workload has a name, so that none is found without one',
  },
  {
    file: 'server/application/observe/live-checks.ts',
    line: 'return error instanceof StaleObservationError || (error instanceof Error && error.cause !== undefined && isStaleObservation(error.cause));',
    from: 'error.cause !== undefined',
    to: 'true',
    why: 'what is no error is not outdated',
  },
  {
    file: 'server/application/observe/live-checks.ts',
    line: 'const at = { ...KINDS.application, ...(namespace === undefined ? {} : { namespace }), name };',
    from: 'namespace === undefined',
    to: 'false',
    why: 'every application lies in a namespace',
  },
  {
    file: 'server/application/plan/plan-change.ts',
    line: 'const listed = new Set(held.map((entry) => toObjectId(entry)));',
    from: '(entry) => toObjectId(entry)',
    to: '() => undefined',
    why: LISTED_TWICE,
  },
  {
    file: 'server/application/plan/plan-change.ts',
    line: 'const ahead = objects.filter(({ id }) => !listed.has(id));',
    from: 'objects.filter(({ id }) => !listed.has(id))',
    to: 'objects',
    why: LISTED_TWICE,
  },
  // Both marks of an entry.
  {
    file: 'server/application/plan/plan-change.ts',
    line: "return [...held, ...ahead.map(({ at }): TrackerEntry => ({ ...at, cluster: 'local', component: '', deleted: false, skipGC: false }))];",
    from: 'false',
    to: 'true',
    why: 'of the next record a plan asks only which objects it lists; the marks of old ones count',
  },
  {
    file: 'server/application/plan/planner.ts',
    line: 'return inlinePlaces(application).length === 0 ? { object: application, secrets: [] } : extractValues(application, await valuesKey());',
    from: 'inlinePlaces(application).length === 0',
    to: 'false',
    why: 'of one without values the same comes back, at the price of the key',
  },
  {
    file: 'server/application/revision.ts',
    line: 'return uid !== undefined && (revision.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false);',
    from: 'uid !== undefined',
    to: 'true',
    why: 'every owner has a uid',
  },
  ...[
    ['namespace === undefined', 'true'],
    ['namespace === undefined', 'false'],
    ['namespace === undefined', 'namespace !== undefined'],
    ['{ namespace }', '{}'],
  ].map(([from = '', to = '']) => ({ file: 'server/application/values/controller.ts', line: LISTED, from, to, why: IN_KEY })),
];
