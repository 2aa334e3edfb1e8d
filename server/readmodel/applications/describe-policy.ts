import { isFields, readBoolean, readField, readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import { summarisePolicy } from '@/server/rollout';

/** A policy in a line: its type, and what it means in words. What we have no words for is named. */
export function describePolicy(policy: unknown): { readonly type: string; readonly summary: string } {
  const type = readString(policy, 'type') ?? '';
  const properties = readFields(policy, 'properties');
  // What kubectl stored may be called anything, `constructor` included.
  const words = (Object.hasOwn(WORDS, type) ? WORDS[type]?.(properties) : undefined) ?? describePlainly(properties);
  return { type, summary: words.join(', ') || readString(policy, 'name') || '' };
}

type Words = (properties: unknown) => readonly string[];

const WORDS: Readonly<Record<string, Words>> = {
  rollout: summarisePolicy,
  'garbage-collect': describeGarbage,
  'apply-once': (properties) => [
    readBoolean(properties, 'enable') === true ? 'changes by others are left alone' : 'off',
    ...counted(readList(properties, 'rules').length, 'rule', 'for some objects'),
  ],
  'take-over': (properties) => [`adopts objects without an owner: ${describeRules(properties)}`],
  'read-only': (properties) => [`uses as they are, and never writes: ${describeRules(properties)}`],
};

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
  return `${(Object.hasOwn(WHEN, strategy) ? WHEN[strategy] : undefined) ?? strategy} ${describeSelector(readField(rule, 'selector'))}${orphans}`;
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
  return Object.entries(properties).map(([name, value]) =>
    typeof value === 'object' && value !== null ? `${name} is set` : `${name} ${String(value)}`,
  );
}
