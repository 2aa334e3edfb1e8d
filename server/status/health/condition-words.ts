import { isFields, readNumber } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { BasicCondition } from '../object-conditions';
import { looseConditions } from '../object-conditions';
import type { ComputeResult } from '../result';
import { failed, inProgress } from '../result';
import type { StateWord } from './state-words';
import { isParticiple, isWanted, readWords, wordsOf } from './state-words';

/** Conditions that sum an object up; where one is true, another wish that is not fulfilled must say why to count. */
const SUMMARIES: readonly string[] = ['Ready', 'Available', 'Healthy', 'Succeeded', 'Completed', 'Complete', 'Finished'];
/** Entries of lists in the status have conditions of their own, as the parents of a route do; no more of them are looked at. */
const MAX_ENTRIES = 500;

type Polarity = 'wish' | 'failure' | 'under-way' | 'none';

/** Reads conditions by the polarity that their names have: a failure that is true, a wish that is false. */
export function readConditionWords(object: KubeObject): ComputeResult | undefined {
  if (!isFields(object.status)) return undefined;
  const own = looseConditions(object.status.conditions);
  const summed = isSummed(own);
  const told = [own, ...listsBelow(object.status)].flatMap((list) => readList(list, summed || isSummed(list)));
  const first = told.find(({ state }) => state === 'failed') ?? told[0];
  if (first === undefined) return readStale(object);
  const { type, status, reason, message } = first.condition;
  const said = message || `${object.kind} has condition ${type} ${status}${reason ? `: ${reason}` : ''}`;
  const result = first.state === 'failed' ? failed(reason || type, said) : inProgress(reason || type, said);
  return { ...result, rule: `generic: condition ${type}` };
}

interface ToldCondition {
  readonly condition: BasicCondition;
  readonly state: StateWord;
}

function isSummed(list: readonly BasicCondition[]): boolean {
  return list.some(({ type, status }) => status === 'True' && SUMMARIES.includes(type));
}

function readList(list: readonly BasicCondition[], summed: boolean): readonly ToldCondition[] {
  return list.flatMap((condition) => {
    const state = readCondition(condition, summed);
    return state === undefined ? [] : [{ condition, state }];
  });
}

function readCondition(condition: BasicCondition, summed: boolean): StateWord | undefined {
  switch (condition.status) {
    case 'True':
      return readTrue(condition, summed);
    case 'False':
      return readFalse(condition, summed);
    case 'Unknown':
      return !summed && polarityOf(condition.type) === 'wish' ? 'under-way' : undefined;
    default:
      return undefined;
  }
}

function readTrue(condition: BasicCondition, summed: boolean): StateWord | undefined {
  const polarity = polarityOf(condition.type);
  if (polarity === 'failure') return 'failed';
  if (polarity !== 'under-way' || summed) return undefined;
  return tellsFailure(condition) ? 'failed' : 'under-way';
}

/** What a condition that is false says; of a wish that it is under way, unless another sums the object up. */
export function readFalse(condition: BasicCondition, summed: boolean): StateWord | undefined {
  const polarity = polarityOf(condition.type);
  if (polarity === 'failure') return undefined;
  if (polarity === 'none') return readReason(condition) === 'failed' ? 'failed' : undefined;
  if (tellsFailure(condition)) return 'failed';
  return polarity === 'wish' && (!summed || readReason(condition) === 'under-way') ? 'under-way' : undefined;
}

/**
 * What a condition is about, by its name. The last word of a name is what it says, and else the first: `ErrorsResolved` and `ResolvedRefs` are
 * wishes, `ReplicaFailure` is none.
 */
export function polarityOf(type: string): Polarity {
  const words = wordsOf(type);
  const read = readWords(words);
  if (isWanted(words.at(-1)) || (isWanted(words[0]) && read === undefined) || /UpToDate$/.test(type))
    return read === 'under-way' ? 'under-way' : 'wish';
  if (read === 'failed') return 'failure';
  return read === 'under-way' || isParticiple(words.at(-1)) ? 'under-way' : 'none';
}

const FAILURE_SENTENCE =
  /\b(fail(s|ed|ure|ing)?|errors?|cannot|can't|could not|unable to|denied|forbidden|invalid|rejected|refused|timed out|exceeded|does not exist|unauthorized)\b/i;

function readReason({ reason }: BasicCondition): StateWord | undefined {
  return readWords(wordsOf(reason));
}

function tellsFailure(condition: BasicCondition): boolean {
  const state = readReason(condition);
  return state === 'failed' || (state === undefined && FAILURE_SENTENCE.test(condition.message));
}

function listsBelow(status: object): readonly (readonly BasicCondition[])[] {
  return Object.entries(status).flatMap(([name, list]) => {
    if (name === 'conditions') return [];
    if (isFields(list)) return [looseConditions(list.conditions)];
    if (!Array.isArray(list)) return [];
    return list.slice(0, MAX_ENTRIES).flatMap((entry) => (isFields(entry) ? [looseConditions(entry.conditions)] : []));
  });
}

/** A wish that is fulfilled for another generation is not yet for this one. */
function readStale(object: KubeObject): ComputeResult | undefined {
  const generation = readNumber(object, 'metadata', 'generation');
  const list: unknown = isFields(object.status) ? object.status.conditions : undefined;
  if (generation === undefined || !Array.isArray(list)) return undefined;
  const stale = list.find((one) => isFields(one) && SUMMARIES.includes(String(one.type)) && isOlder(one.observedGeneration, generation));
  if (!isFields(stale)) return undefined;
  const said = `Condition ${String(stale.type)} speaks of generation ${String(stale.observedGeneration)}, the present one is ${generation}`;
  return { ...inProgress('LatestGenerationNotObserved', said), rule: `generic: condition ${String(stale.type)}` };
}

function isOlder(observed: unknown, generation: number): boolean {
  return typeof observed === 'number' && observed < generation;
}
