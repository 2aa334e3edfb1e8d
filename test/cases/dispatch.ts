import { messageOf } from '@/lib/contract/app-error';
import { readField, readList, readString } from '@/lib/kube/fields';
import type { KubeObject, OwnerReference } from '@/lib/kube/object';
import type { DispatchOptions, ResourceTracker } from '@/server/dispatch';
import {
  ANNOTATION,
  AppManifestsDispatcher,
  apply,
  constructResourceTrackerName,
  extractAppRevisionName,
  mustBeControllableByAny,
  readTracker,
} from '@/server/dispatch';
import { GCHandler } from '@/server/dispatch/garbage/handler';
import { extractAppName } from '@/server/dispatch/names';
import { setOwner } from '@/server/dispatch/owners';
import type { DispatchCase, Step, TrackerForm } from '../support/dispatch-case';
import { addressOf, dispatchCase, prepare, TRACKER, toTracker } from '../support/dispatch-case';
import type { FakeApiServer } from '../support/dispatch-server';
import { caseKey } from '../support/dispatch-server';
import type { CaseDifference, CaseResult } from './case';
import { toResult } from './case';
import { compare, compareUnordered } from './compare';

/** The waits between record writes are not what a case is about. */
const noWait = { sleep: async () => undefined };

/** Runs a case on trackers in either stored form; what it expects does not depend on the form. */
export async function runDispatchCase(testCase: unknown): Promise<CaseResult> {
  const parsed = dispatchCase.parse(testCase);
  for (const form of ['legacy', 'managed'] as const) {
    const differences = await runOnForm(parsed, form);
    if (differences.length > 0)
      return toResult(differences.map((difference) => ({ ...difference, at: `${difference.at} (${form} trackers)` })));
  }
  return toResult([]);
}

interface Outcome {
  readonly error?: string | null;
  readonly stepErrors?: readonly (string | null)[];
  readonly returned?: readonly string[] | null;
  readonly value?: unknown;
  readonly owners?: readonly OwnerReference[];
}

async function runOnForm(testCase: DispatchCase, form: TrackerForm): Promise<readonly CaseDifference[]> {
  const server = prepare(testCase, form);
  const outcome = await perform(testCase, server);
  const collected = testCase.given.cascade ? server.cascade() : [];
  return Object.entries(testCase.then).flatMap(([member, expected]) => check(member, expected, { server, outcome, collected }));
}

async function perform({ given, when: act, profile }: DispatchCase, server: FakeApiServer): Promise<Outcome> {
  const flat = given.options;
  // The schema of cases names each switch by itself.
  const options: DispatchOptions = { merge: flat, tracking: flat, garbage: flat, tools: { clock: noWait } };
  switch (act.op) {
    case 'dispatch':
      return toOutcome(await dispatchSteps(server, options, [{ ...given, faults: [], reuse: false }]));
    case 'sequence':
      return toOutcome(await dispatchSteps(server, options, act.steps));
    case 'garbageCollect':
      return attempt(() => new GCHandler(server, act.namespace, flat).garbageCollect(toTracker(act.old), toTracker(act.new)));
    case 'apply':
      return attempt(() => apply(server, act.desired, { check: (existing) => mustBeControllableByAny(existing, act.uids) }));
    case 'controllable':
      return { error: mustBeControllableByAny(act.existing ?? undefined, act.uids) ?? null };
    case 'setOwner':
      return { owners: setOwner(act.owners, act.owner, flat) };
    case 'constructName':
      return { value: constructResourceTrackerName(act.revision, act.namespace) };
    case 'extractAppName':
      return { value: extractAppName(act.tracker, act.namespace) };
    case 'extractRevisionName':
      return { value: extractAppRevisionName(act.tracker, act.namespace) };
    case 'readTracker':
      return evaluate(() => describe(readTracker(act.object)));
    default: {
      // The seed's scope methods do nothing; what their comments promise is the documented profile.
      const scopes = profile === 'seed' ? 'ignore' : 'maintain';
      const dispatcher = new AppManifestsDispatcher(server, { name: 'case-v1', namespace: given.namespace }, { ...options, scopes });
      const change = act.op === 'referenceScopes' ? dispatcher.referenceScopes : dispatcher.dereferenceScopes;
      return attempt(() => change.call(dispatcher, act.workload, act.scopes));
    }
  }
}

async function attempt(act: () => Promise<unknown>): Promise<Outcome> {
  try {
    await act();
    return { error: null };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function evaluate(read: () => unknown): Outcome {
  try {
    return { value: read(), error: null };
  } catch (error) {
    return { error: messageOf(error), value: `a throw: ${messageOf(error)}` };
  }
}

type StepOutcome = { readonly error: string } | { readonly tracker: ResourceTracker };

async function dispatchSteps(server: FakeApiServer, options: DispatchOptions, steps: readonly Step[]): Promise<readonly StepOutcome[]> {
  const outcomes: StepOutcome[] = [];
  let dispatcher = new AppManifestsDispatcher(server, null, options);
  for (const one of steps) {
    server.addFaults(one.faults);
    if (!one.reuse) dispatcher = new AppManifestsDispatcher(server, one.revision ?? null, options);
    for (const { call, tracker: given } of one.mode) {
      const chosen = given === undefined ? one.previous : given;
      if (call === 'EndAndGC') dispatcher.endAndGC(chosen && toTracker(chosen));
      else dispatcher.startAndSkipGC(chosen && toTracker(chosen));
    }
    try {
      outcomes.push({ tracker: await dispatcher.dispatch(structuredClone(one.manifests)) });
    } catch (error) {
      outcomes.push({ error: messageOf(error) });
    }
  }
  return outcomes;
}

function toOutcome(steps: readonly StepOutcome[]): Outcome {
  const errors = steps.map((one) => ('error' in one ? one.error : null));
  const last = steps.at(-1);
  return {
    error: errors.at(-1) ?? null,
    stepErrors: errors,
    returned: last !== undefined && 'tracker' in last ? last.tracker.entries.map(caseKey) : null,
  };
}

function describe({ form, type, entries }: ResourceTracker) {
  return {
    form,
    type,
    entries: entries.map((entry) => ({
      key: caseKey(entry),
      cluster: entry.cluster,
      component: entry.component,
      deleted: entry.deleted,
      skipGC: entry.skipGC,
    })),
  };
}

interface Found {
  readonly server: FakeApiServer;
  readonly outcome: Outcome;
  readonly collected: readonly string[];
}

/** How each member of `then` is compared. */
const CHECKS: Readonly<Record<string, (expected: unknown, found: Found) => readonly CaseDifference[]>> = {
  error: (expected, { outcome }) => compareError('error', expected, outcome.error ?? null),
  stepErrors: (expected, { outcome }) => [
    ...compare('stepErrors.length', (expected as unknown[]).length, outcome.stepErrors?.length),
    ...(expected as unknown[]).flatMap((one, at) => compareError(`stepErrors[${at}]`, one, outcome.stepErrors?.[at] ?? null)),
  ],
  value: (expected, { outcome }) => compare('value', expected, outcome.value),
  owners: (expected, { outcome }) =>
    compare('owners', (expected as OwnerReference[]).map(withController), outcome.owners?.map(withController)),
  returned: (expected, { outcome }) => compare('returned', expected, outcome.returned ?? null),
  applied: (expected, { server }) => {
    const writes = server.requests.filter(
      ({ verb, kind, succeeded }) => succeeded && kind !== TRACKER.kind && ['create', 'patch', 'update'].includes(verb),
    );
    return compare(
      'applied',
      expected,
      writes.map(({ verb, key }) => ({ verb, key })),
    );
  },
  updated: (expected, { server }) =>
    compare(
      'updated',
      expected,
      server.requests.filter(({ verb }) => verb === 'update').map(({ key }) => key),
    ),
  statusUpdates: (expected, { server }) =>
    compare('statusUpdates', expected, server.requests.filter(({ verb, kind }) => verb === 'updateStatus' && kind === TRACKER.kind).length),
  deleted: (expected, { server }) =>
    compare(
      'deleted',
      expected,
      server.requests.filter(({ verb, succeeded }) => verb === 'delete' && succeeded).map(({ key }) => key),
    ),
  deleteAttempts: (expected, { server }) =>
    compare(
      'deleteAttempts',
      expected,
      server.requests.filter(({ verb }) => verb === 'delete').map(({ key }) => key),
    ),
  collected: (expected, { collected }) => compareUnordered('collected', expected as unknown[], collected),
  exists: (expected, { server }) =>
    compare(
      'exists',
      expected,
      (expected as string[]).filter((key) => server.peek(addressOf(key)) !== undefined),
    ),
  absent: (expected, { server }) =>
    compare(
      'absent',
      expected,
      (expected as string[]).filter((key) => server.peek(addressOf(key)) === undefined),
    ),
  ownersAfter: (expected, { server }) =>
    perKey(expected, (key, owners) =>
      compareUnordered(`ownersAfter.${key}`, (owners as OwnerReference[]).map(withController), ownersOf(server.peek(addressOf(key)))),
    ),
  trackedAfter: (expected, { server }) =>
    perKey(expected, (name, keys) => compare(`trackedAfter.${name}`, keys, trackedOf(server.peek({ ...TRACKER, name })))),
  fields: (expected, { server }) =>
    perKey(expected, (key, pointers) =>
      perKey(pointers, (pointer, value) =>
        compareField(`fields.${key}${pointer}`, value, readPointer(server.peek(addressOf(key)), pointer)),
      ),
    ),
};

function check(member: string, expected: unknown, found: Found): readonly CaseDifference[] {
  const compareMember = CHECKS[member];
  return compareMember?.(expected, found) ?? [{ at: member, expected, found: 'no code compares this member' }];
}

function perKey(expected: unknown, each: (key: string, value: unknown) => readonly CaseDifference[]): readonly CaseDifference[] {
  return Object.entries(expected as Record<string, unknown>).flatMap(([key, value]) => each(key, value));
}

function compareError(at: string, expected: unknown, found: string | null): readonly CaseDifference[] {
  if (expected === null || found === null) return compare(at, expected, found);
  const equals = readString(expected, 'equals');
  if (equals !== undefined) return compare(at, equals, found);
  const parts = readList(expected, 'contains').map(String);
  return parts.filter((part) => !found.includes(part)).map((part) => ({ at, expected: `… ${part} …`, found }));
}

function compareField(at: string, expected: unknown, found: unknown): readonly CaseDifference[] {
  return compare(at, readField(expected, '$absent') === true ? undefined : expected, found);
}

/** A missing controller flag reads as false. */
function withController<Owner extends { readonly controller?: boolean }>(owner: Owner): Owner & { readonly controller: boolean } {
  return { ...owner, controller: owner.controller ?? false };
}

function ownersOf(live: KubeObject | undefined) {
  return (live?.metadata.ownerReferences ?? []).map(({ kind, name, uid, controller }) => ({
    kind,
    name,
    uid,
    controller: controller ?? false,
  }));
}

function trackedOf(live: KubeObject | undefined): readonly string[] | null {
  return live === undefined ? null : readTracker(live).entries.map(caseKey);
}

function readPointer(live: KubeObject | undefined, pointer: string): unknown {
  const steps = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (steps[0] !== '$lastApplied') return readField(live, ...steps);
  const record = live?.metadata.annotations?.[ANNOTATION.lastApplied];
  return record === undefined ? undefined : readField(JSON.parse(record), ...steps.slice(1));
}
