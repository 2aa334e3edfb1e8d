import type { Fields } from '@/lib/kube/fields';
import { isFields, readNumber } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { ComputeResult } from '../result';
import { failed, inProgress } from '../result';
import { readConditionWords } from './condition-words';
import type { KindFacts } from './kind-facts';
import { readWithoutStatus } from './no-status';
import { readState, wordsOf } from './state-words';

/** Where controllers write one word for the whole object; then come fields whose name ends so, as `certificateStatus`. */
const STATE_FIELDS = ['phase', 'state', 'health', 'status'] as const;
const STATE_ENDINGS: ReadonlySet<string | undefined> = new Set(STATE_FIELDS);
/** What is wanted, and what was once, is no state. */
const OTHER_TIMES: ReadonlySet<string | undefined> = new Set([
  'desired',
  'target',
  'wanted',
  'expected',
  'last',
  'previous',
  'former',
  'old',
  'initial',
]);
/** What stands beside a state to explain it. */
const EXPLAINING = ['message', 'reason', 'error', 'errorMessage', 'failureMessage', 'description'] as const;
/** Texts that are there only while something is wrong, Cluster API's `failureReason` and `failureMessage` among them. */
const FAILURE_FIELD = /^(err|error|failure)(msg|message|reason|description|details)?$/i;
/** Flags that sum an object up. */
const FLAGS = ['healthy', 'ready', 'available'] as const;

/**
 * Reads an object of a kind that no rule is known for by what controllers have in common: whether there is a status, texts of
 * failure, words of state, the polarity of conditions, flags and replicas. Undefined where nothing is told by these, which says nothing
 * against the object.
 */
export function readGenerically(object: KubeObject, facts: KindFacts): ComputeResult | undefined {
  const without = readWithoutStatus(object, facts);
  if (without !== undefined || !isFields(object.status)) return without;
  const { status } = object;
  return (
    readFailure(status) ?? readStates(object, status) ?? readConditionWords(object) ?? readFlags(object, status) ?? readReplicas(object)
  );
}

function readStates(object: KubeObject, status: Fields): ComputeResult | undefined {
  const found = stateFieldsOf(status).flatMap((field) => {
    const word = stateOf(status[field]);
    const state = word === undefined ? undefined : readState(word);
    return word === undefined || state === undefined ? [] : [{ field, word, state }];
  });
  const told = found.find(({ state }) => state === 'failed') ?? found[0];
  if (told === undefined) return undefined;
  const { field, word, state } = told;
  const explained = EXPLAINING.map((name) => status[name]).find(isText);
  const message = `${object.kind} has ${field} ${word}${explained === undefined ? '' : `: ${explained}`}`;
  return { ...(state === 'failed' ? failed(word, message) : inProgress(word, message)), rule: `generic: status.${field}` };
}

function stateFieldsOf(status: Fields): readonly string[] {
  const others = Object.keys(status).filter((name) => {
    const words = wordsOf(name);
    const known = STATE_ENDINGS.has(words.at(-1)) || isFields(status[name]);
    return !STATE_ENDINGS.has(name) && known && !OTHER_TIMES.has(words[0]);
  });
  return [...STATE_FIELDS, ...others];
}

/** The state itself, or the one that a map tells under a name of the same kind, as in `status.health.status`. */
function stateOf(value: unknown): string | undefined {
  const inner = isFields(value) ? STATE_FIELDS.map((name) => value[name]).find(isText) : value;
  return isText(inner) ? inner : undefined;
}

function readFailure(status: Fields): ComputeResult | undefined {
  const told = Object.entries(status).filter((entry): entry is [string, string] => FAILURE_FIELD.test(entry[0]) && isText(entry[1]));
  const [first] = told;
  if (first === undefined) return undefined;
  const reason = told.find(([name]) => /reason$/i.test(name))?.[1] ?? 'Failed';
  return { ...failed(reason, told.map(([, text]) => text).join(': ')), rule: `generic: status.${first[0]}` };
}

function readFlags(object: KubeObject, status: Fields): ComputeResult | undefined {
  const flag = FLAGS.find((name) => status[name] === false);
  if (flag === undefined) return undefined;
  const [reason, message] = [`Not${flag[0]?.toUpperCase()}${flag.slice(1)}`, `${object.kind} is not ${flag}`];
  return { ...(flag === 'healthy' ? failed(reason, message) : inProgress(reason, message)), rule: `generic: status.${flag}` };
}

/** The convention of everything that scales: what is wanted is in the spec, what is ready in the status. */
function readReplicas(object: KubeObject): ComputeResult | undefined {
  const wanted = readNumber(object, 'spec', 'replicas') ?? readNumber(object, 'status', 'replicas');
  const ready = readNumber(object, 'status', 'readyReplicas') ?? readNumber(object, 'status', 'availableReplicas');
  if (wanted === undefined || ready === undefined || ready >= wanted) return undefined;
  return { ...inProgress('LessReady', `Ready: ${ready}/${wanted}`), rule: 'generic: replicas' };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
