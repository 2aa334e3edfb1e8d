import type { Fields } from '@/lib/kube/fields';
import { isFields, readList, readString } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import { toStableJson } from '@/lib/std/stable-json';
import type { CaseDifference, CaseResult } from './case';
import { toResult } from './case';
import { Harness } from './chartsync/harness';
import type { Action, Case, Expect } from './chartsync/world';
import { toStoredStatus } from './chartsync/world';
import { compare } from './compare';

const RECORDED = ['dryRun', 'install', 'upgrade', 'rollback', 'uninstall', 'test', 'annotate', 'depBuild', 'driftCheck', 'driftCorrect'];

/** Plays a case of chart sync on fakes of git, Helm and the cluster, and compares what it came to. */
export async function runChartsyncCase(testCase: unknown): Promise<CaseResult> {
  const played = testCase as Case; // the schema of spec/chartsync 1
  const harness = new Harness(played);
  await harness.prepare();
  for (const step of played.when) await harness.play(step);
  await harness.finish();
  return toResult(evaluate(played.then, harness));
}

function evaluate(then: Expect, harness: Harness): readonly CaseDifference[] {
  return [
    ...evaluateActions(then, harness.actions),
    ...(then.engineRevision === undefined ? [] : compare('engineRevision', then.engineRevision, harness.engine.revision)),
    ...(then.mirrorState === undefined ? [] : compare('mirrorState', then.mirrorState, harness.mirror.state.kind)),
    ...Object.entries(then.helm ?? {}).flatMap(([key, wanted]) => evaluateRelease(key, wanted, harness)),
    ...Object.entries(then.status ?? {}).flatMap(([key, wanted]) => evaluateStatus(key, wanted, harness)),
    ...(then.statusWrites === undefined ? [] : compare('statusWrites', then.statusWrites, harness.resources.statusWrites)),
    ...(then.events === undefined ? [] : compare('events', then.events, harness.resources.events)),
    ...evaluateLogs(then, harness),
    ...evaluateError(then, harness.errors),
    ...(then.maxConcurrentPerRelease === undefined
      ? []
      : compare('maxConcurrentPerRelease', then.maxConcurrentPerRelease, harness.helm.mostAtOnce)),
  ];
}

/** The recorded kinds in sequence; those whose position is free are compared as a set. */
function evaluateActions({ actions, kinds = RECORDED, unordered = [] }: Expect, recorded: readonly Action[]): readonly CaseDifference[] {
  if (actions === undefined) return [];
  const seen = recorded.filter((action) => kinds.includes(action.do));
  const part = (list: readonly Action[], free: boolean) => list.filter((action) => unordered.includes(action.do) === free);
  const inOrder = part(actions, false);
  const found = part(seen, false);
  const differences =
    inOrder.length === found.length && inOrder.every((wanted, at) => fits(wanted, found[at]))
      ? []
      : [{ at: 'actions', expected: inOrder, found }];
  const rest = [...part(seen, true)];
  for (const wanted of part(actions, true)) {
    const at = rest.findIndex((action) => fits(wanted, action));
    if (at < 0) return [...differences, { at: 'actions', expected: wanted, found: rest }];
    rest.splice(at, 1);
  }
  return rest.length === 0 ? differences : [...differences, { at: 'actions', expected: 'no more', found: rest }];
}

function fits(wanted: Action, found: Action | undefined): boolean {
  if (found === undefined) return false;
  return Object.entries({ ok: true, ...wanted }).every(([field, value]) => toStableJson(value) === toStableJson(found[field]));
}

function evaluateRelease(key: string, wanted: null | Fields, { helm }: Harness): readonly CaseDifference[] {
  const [namespace = '', name = ''] = key.split('/');
  const found = helm.newest({ namespace, name });
  if (wanted === null) return found === undefined ? [] : [{ at: `helm.${key}`, expected: null, found }];
  return subset(`helm.${key}`, wanted, found === undefined ? {} : { ...found });
}

function evaluateStatus(key: string, wanted: Fields, { resources }: Harness): readonly CaseDifference[] {
  const status = resources.get(key)?.status;
  const conditions = Object.fromEntries(
    readList(status, 'conditions').map((one) => [readString(one, 'type') ?? '', readString(one, 'status')]),
  );
  const { conditions: wantedConditions, ...rest } = wanted;
  const found: Fields = isFields(status) ? status : {};
  return [
    ...subset(`status.${key}`, toStoredStatus(rest), found),
    ...subset(`status.${key}.conditions`, isFields(wantedConditions) ? wantedConditions : {}, conditions),
  ];
}

function subset(at: string, wanted: Fields, found: Fields): readonly CaseDifference[] {
  return Object.entries(wanted).flatMap(([member, value]) =>
    deepEqual(value ?? undefined, found[member]) ? [] : [{ at: `${at}.${member}`, expected: value, found: found[member] }],
  );
}

function evaluateLogs({ logs = [], logsNot = [] }: Expect, harness: Harness): readonly CaseDifference[] {
  const all = harness.logs.map(({ level, text }) => `${level}: ${text}`);
  const missing = logs.filter(
    ({ level, contains }) => !harness.logs.some((line) => (level === undefined || line.level === level) && line.text.includes(contains)),
  );
  const present = logsNot.filter((text) => all.some((line) => line.includes(text)));
  return [
    ...missing.map((wanted) => ({ at: 'logs', expected: wanted, found: all })),
    ...present.map((text) => ({ at: 'logsNot', expected: `no ${text}`, found: all })),
  ];
}

function evaluateError({ error }: Expect, found: readonly string[]): readonly CaseDifference[] {
  if (error === undefined) return [];
  const isSo = error === null ? found.length === 0 : found.some((each) => each.includes(error));
  return isSo ? [] : [{ at: 'error', expected: error, found }];
}
