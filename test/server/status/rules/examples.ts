import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { KubeObject } from '@/lib/kube/object';

const FOLDER = 'test/fixtures/status/kinds';

/** An object in one of three states, and what is told of it. */
export interface Example {
  readonly generation?: number;
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
  /** `{kind}` stands for the kind. */
  readonly says: string;
  /** What tells it where the rule's own rows do not. */
  readonly by?: string;
}

export const STATES = { current: 'Current', progressing: 'InProgress', failed: 'Failed' } as const;
export type State = keyof typeof STATES;

interface Entry extends Partial<Readonly<Record<State, Example>>> {
  /** `group/version Kind`; the examples serve each of them. */
  readonly of: readonly string[];
  /** The rule is that of the whole group of each kind. */
  readonly family?: boolean;
  /** The rule, where it is a family by suffix. */
  readonly rule?: string;
  /** Why the kind cannot be in a state. */
  readonly never?: Readonly<Partial<Record<State, string>>>;
}

/** One example of a kind in a state. */
export interface KindExample {
  readonly rule: string;
  readonly state: State;
  readonly object: KubeObject;
  readonly says: string;
  readonly by: string;
}

/** What the fixtures say of rules: the examples, and the states that a kind never has. */
export function readExamples(): { readonly examples: readonly KindExample[]; readonly never: ReadonlySet<string> } {
  const entries = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => parse(readFileSync(path.join(FOLDER, name), 'utf8')) as readonly Entry[]);
  const never = entries.flatMap((entry) =>
    entry.of.flatMap((of) => Object.keys(entry.never ?? {}).map((state) => `${ruleOf(entry, of)} ${state}`)),
  );
  return { examples: entries.flatMap(toExamples), never: new Set(never) };
}

function toExamples(entry: Entry): readonly KindExample[] {
  return entry.of.flatMap((of) =>
    (Object.keys(STATES) as readonly State[]).flatMap((state) => {
      const example = entry[state];
      const rule = ruleOf(entry, of);
      return example === undefined
        ? []
        : [
            {
              rule,
              state,
              object: toObject(of, example),
              says: example.says.replaceAll('{kind}', of.split(' ')[1] ?? ''),
              by: example.by ?? rule,
            },
          ];
    }),
  );
}

function ruleOf({ rule, family }: Entry, of: string): string {
  if (rule !== undefined) return rule;
  const [apiVersion = '', kind = ''] = of.split(' ');
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return group === '' ? kind : `${group}/${family ? '*' : kind}`;
}

function toObject(of: string, { generation, metadata, spec, status }: Example): KubeObject {
  const [apiVersion = '', kind = ''] = of.split(' ');
  return {
    apiVersion,
    kind,
    metadata: { name: 'one', namespace: 'shop', ...metadata, ...(generation === undefined ? {} : { generation }) },
    ...(spec ? { spec } : {}),
    ...(status ? { status: withConditions(status) as object } : {}),
  };
}

const CONDITION = /^(?<type>[^=]+)=(?<status>[A-Za-z]+)(@(?<generation>\d+))?( (?<reason>[^:]+))?(: (?<message>.+))?$/;

/** Writes out conditions that the fixtures hold as one text each. */
function withConditions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withConditions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [
      name,
      name === 'conditions' && Array.isArray(held) ? held.map(toCondition) : withConditions(held),
    ]),
  );
}

function toCondition(written: unknown): unknown {
  if (typeof written !== 'string') return withConditions(written);
  const parts = CONDITION.exec(written)?.groups;
  if (parts === undefined) throw new Error(`needs a condition such as "Ready=False Reason: message", found ${JSON.stringify(written)}`);
  const { type, status, generation, reason = '', message = '' } = parts;
  return {
    type,
    status,
    reason,
    message,
    lastTransitionTime: '2031-05-03T00:00:00Z',
    ...(generation === undefined ? {} : { observedGeneration: Number(generation) }),
  };
}
