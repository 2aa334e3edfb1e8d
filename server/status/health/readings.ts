import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { ComputeResult } from '../result';
import { failed, inProgress } from '../result';
import { readConditionWords } from './condition-words';
import type { KindFacts } from './kind-facts';
import { readWithoutStatus } from './no-status';
import { readState } from './state-words';

/** Where controllers write one word for the whole object. */
const STATE_FIELDS = ['phase', 'state', 'health', 'status'] as const;
/** What stands beside a state to explain it. */
const EXPLAINING = ['message', 'reason', 'error', 'errorMessage', 'failureMessage', 'description'] as const;

/**
 * Reads an object of a kind that no rule is known for by what controllers have in common: whether there is a status, words of
 * state, and the polarity of conditions. Undefined where nothing is told by these, which says nothing against the object.
 */
export function readGenerically(object: KubeObject, key: string, facts: KindFacts): ComputeResult | undefined {
  return readWithoutStatus(object, key, facts) ?? readFailure(object) ?? readStates(object) ?? readConditionWords(object);
}

function readStates(object: KubeObject): ComputeResult | undefined {
  const found = STATE_FIELDS.flatMap((field) => {
    const word = stateAt(object, field);
    const state = word === undefined ? undefined : readState(word);
    return word === undefined || state === undefined ? [] : [{ field, word, state }];
  });
  const told = found.find(({ state }) => state === 'failed') ?? found[0];
  if (told === undefined) return undefined;
  const { field, word, state } = told;
  const explained = explain(object);
  const message = `${object.kind} has ${field} ${word}${explained === undefined ? '' : `: ${explained}`}`;
  return { ...(state === 'failed' ? failed(word, message) : inProgress(word, message)), rule: `generic: status.${field}` };
}

/** The state itself, or the one that a map tells under a name of the same kind, as in `status.health.status`. */
function stateAt(object: KubeObject, field: string): string | undefined {
  const status = object.status;
  if (!isFields(status)) return undefined;
  const value = status[field];
  const inner = isFields(value) ? STATE_FIELDS.map((name) => value[name]).find((one) => typeof one === 'string') : value;
  return typeof inner === 'string' && inner !== '' ? inner : undefined;
}

/** The convention of Cluster API and others: a reason and a message that are there only once something failed for good. */
function readFailure(object: KubeObject): ComputeResult | undefined {
  if (!isFields(object.status)) return undefined;
  const { failureReason, failureMessage } = object.status;
  const said = [failureReason, failureMessage].filter((text): text is string => typeof text === 'string' && text !== '');
  if (said.length === 0) return undefined;
  return { ...failed(said[0] ?? 'Failed', said.join(': ')), rule: 'generic: status.failureReason' };
}

function explain(object: KubeObject): string | undefined {
  const status = isFields(object.status) ? object.status : {};
  return EXPLAINING.map((name) => status[name]).find((text): text is string => typeof text === 'string' && text !== '');
}
