import { isFields, readBoolean, readField, readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import { formatDuration } from '@/lib/std/duration';

/** A policy in a line: its type, and what it means in words. What we have no words for is named. */
export function describePolicy(policy: unknown): { readonly type: string; readonly summary: string } {
  const type = readString(policy, 'type') ?? '';
  const properties = readFields(policy, 'properties');
  const words = WORDS[type]?.(properties) ?? describePlainly(properties);
  return { type, summary: words.join(', ') || readString(policy, 'name') || '' };
}

type Words = (properties: unknown) => readonly string[];

const WORDS: Readonly<Record<string, Words>> = {
  rollout: describeRollout,
  'garbage-collect': describeGarbage,
  'apply-once': (properties) => [
    readBoolean(properties, 'enable') === true ? 'what others change is left as they changed it' : 'off',
    ...counted(readList(properties, 'rules').length, 'rule', 'for some objects'),
  ],
  'take-over': (properties) => [`adopts objects that belong to nobody: ${describeRules(properties)}`],
  'read-only': (properties) => [`uses as they are, and never writes: ${describeRules(properties)}`],
};

const STRATEGY: Readonly<Record<string, string>> = {
  availability: 'new replicas come up before old ones go',
  resourceutil: 'old replicas go before new ones come up',
};

function describeRollout(properties: unknown): readonly string[] {
  const component = readString(properties, 'component');
  const ratio = readNumber(properties, 'ratio');
  const minutes = readNumber(properties, 'stageTimeoutMinutes');
  const strategy = readString(properties, 'strategy') ?? 'availability';
  return [
    component === undefined ? 'in stages' : `${component} in stages`,
    STRATEGY[strategy] ?? strategy,
    ...(ratio === undefined ? [] : [`${ratio}% at a time`]),
    ...describeControl(readField(properties, 'control')),
    ...(minutes === undefined ? [] : [`a stage has ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`]),
  ];
}

function describeControl(control: unknown): readonly string[] {
  return [
    ...describeGates(readField(control, 'gates')),
    ...describeApprovals(readField(control, 'approvals')),
    ...waits(readField(control, 'requiredSoakTime'), (time) => `a stage soaks for ${time}`),
    ...waits(readField(control, 'pause', 'duration'), (time) => `a gate opens by itself after ${time}`),
    ...waits(readField(control, 'scaleDownDelaySeconds'), (time) => `old pods stay ${time} after the end`),
    ...waits(readField(control, 'abortScaleDownDelaySeconds'), (time) => `rejected pods stay ${time} after an abort`),
    ...(readBoolean(control, 'progressDeadlineAbort') === true ? ['aborts by itself when a stage takes too long'] : []),
    ...(readNumber(control, 'autoAbort', 'failureLimit') === undefined ? [] : ['aborts by itself when the new revision fails']),
    ...(readBoolean(control, 'autoPromotionEnabled') === false ? ['the last step waits for a person'] : []),
    ...(readBoolean(control, 'paused') === true ? ['paused'] : []),
  ];
}

function describeGates(gates: unknown): readonly string[] {
  if (gates === 'every-stage') return ['a gate after every stage'];
  if (gates === 'none') return ['no gates'];
  if (!Array.isArray(gates)) return [];
  const percents = gates.flatMap((gate) => readNumber(gate, 'atPercent') ?? []).map((percent) => `${percent}%`);
  return percents.length === 0 ? [] : [`${percents.length === 1 ? 'a gate' : 'gates'} at ${listed(percents)}`];
}

function describeApprovals(approvals: unknown): readonly string[] {
  const required = readNumber(approvals, 'required');
  const groups = readList(approvals, 'groups').filter((group) => typeof group === 'string');
  return [
    ...(required === undefined ? [] : [`${required} ${required === 1 ? 'approval' : 'approvals'} a gate`]),
    ...(groups.length === 0 ? [] : [`approved by ${listed(groups)}`]),
    ...(readBoolean(approvals, 'allowSelf') === false ? ['not by who asked for the change'] : []),
  ];
}

function describeGarbage(properties: unknown): readonly string[] {
  const limit = readNumber(properties, 'applicationRevisionLimit');
  const order = readString(properties, 'order');
  return [
    ...(readBoolean(properties, 'keepLegacyResource') === true ? ['keeps what older revisions left'] : []),
    ...(limit === undefined ? [] : [`keeps ${limit} older revisions`]),
    ...(readBoolean(properties, 'continueOnFailure') === true ? ['collects also when a revision failed'] : []),
    ...(order === 'dependency' ? ['in the order of dependencies'] : []),
    ...readList(properties, 'rules').map(describeGarbageRule),
  ];
}

const WHEN: Readonly<Record<string, string>> = {
  never: 'never deletes',
  onAppUpdate: 'deletes when a newer revision lacks them:',
  onAppDelete: 'deletes only with the application:',
};

function describeGarbageRule(rule: unknown): string {
  const strategy = readString(rule, 'strategy') ?? 'onAppUpdate';
  const orphans = readString(rule, 'propagation') === 'orphan' ? ' and leaves what they own' : '';
  return `${WHEN[strategy] ?? strategy} ${describeSelector(readField(rule, 'selector'))}${orphans}`;
}

function describeRules(properties: unknown): string {
  const rules = readList(properties, 'rules').map((rule) => describeSelector(readField(rule, 'selector')));
  return rules.length === 0 ? 'nothing' : rules.join('; ');
}

const SELECTED: Readonly<Record<string, string>> = {
  componentNames: 'of component',
  componentTypes: 'of components of type',
  oamTypes: 'made by a',
  traitTypes: 'of trait',
  resourceTypes: 'every',
  resourceNames: 'called',
};

function describeSelector(selector: unknown): string {
  const parts = Object.entries(SELECTED).flatMap(([name, word]) => {
    const values = readList(selector, name).filter((value) => typeof value === 'string');
    return values.length === 0 ? [] : [`${word} ${listed(values, 'or')}`];
  });
  return parts.length === 0 ? 'all objects' : parts.join(' ');
}

/** A duration as operators write it: text as it is, a number in seconds. */
function waits(value: unknown, say: (time: string) => string): readonly string[] {
  if (typeof value === 'number') return [say(formatDuration(value * 1000))];
  return typeof value === 'string' ? [say(value)] : [];
}

function counted(count: number, what: string, after: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'} ${after}`];
}

function listed(values: readonly string[], conjunction = 'and'): string {
  const last = values.at(-1) ?? '';
  return values.length < 2 ? last : `${values.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

/** Settings of a policy that is not ours: plain values as they are, others only named. */
function describePlainly(properties: unknown): readonly string[] {
  if (!isFields(properties)) return [];
  return Object.entries(properties).map(([name, value]) => (typeof value === 'object' && value !== null ? `${name} is set` : `${name} ${String(value)}`));
}
