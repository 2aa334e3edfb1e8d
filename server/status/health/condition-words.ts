import { isFields, readList } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { BasicCondition } from '../object-conditions';
import { looseConditions } from '../object-conditions';
import type { ComputeResult } from '../result';
import { failed, inProgress } from '../result';
import { isParticiple, isWanted, readWords, wordsOf } from './state-words';

/** Conditions that sum an object up; where one is true, another wish that is not fulfilled must tell of a failure to count. */
const SUMMARIES: readonly string[] = ['Ready', 'Available', 'Healthy', 'Succeeded', 'Completed', 'Complete', 'Finished'];
/** Lists whose entries have conditions of their own, as Gateway API has it for routes and for policies. */
const NESTED: readonly string[] = ['parents', 'ancestors'];

type Polarity = 'wish' | 'failure' | 'under-way' | 'none';

/** Reads conditions by the polarity that their names have: a failure that is true, a wish that is false. */
export function readConditionWords(object: KubeObject): ComputeResult | undefined {
  const conditions = conditionsOf(object);
  const summed = conditions.some(({ type, status }) => status === 'True' && SUMMARIES.includes(type));
  const told = conditions.flatMap((condition) => {
    const state = readCondition(condition, summed);
    return state === undefined ? [] : [{ condition, state }];
  });
  const first = told.find(({ state }) => state === 'failed') ?? told[0];
  if (first === undefined) return undefined;
  const { type, status, reason, message } = first.condition;
  const said = message || `${object.kind} has condition ${type} ${status}${reason ? `: ${reason}` : ''}`;
  const result = first.state === 'failed' ? failed(reason || type, said) : inProgress(reason || type, said);
  return { ...result, rule: `generic: condition ${type}` };
}

function readCondition(condition: BasicCondition, summed: boolean): 'failed' | 'under-way' | undefined {
  const { type, status } = condition;
  const polarity = polarityOf(type);
  if (polarity === 'failure') return status === 'True' ? 'failed' : undefined;
  if (polarity === 'under-way') return status === 'True' && !summed ? 'under-way' : status === 'False' && tellsFailure(condition) ? 'failed' : undefined;
  if (polarity === 'none' || status === 'True') return undefined;
  if (status === 'False' && tellsFailure(condition)) return 'failed';
  return summed || (status !== 'False' && status !== 'Unknown') ? undefined : 'under-way';
}

/** The last word of a name is what it says: `ErrorsResolved` is a wish, `ReplicaFailure` none. */
function polarityOf(type: string): Polarity {
  const words = wordsOf(type);
  const head = words.at(-1);
  const read = readWords(words);
  if (isWanted(head)) return read === 'under-way' ? 'under-way' : 'wish';
  if (read === 'failed') return 'failure';
  return read === 'under-way' || isParticiple(head) ? 'under-way' : 'none';
}

const FAILURE_SENTENCE =
  /\b(fail(s|ed|ure|ing)?|errors?|cannot|can't|could not|unable to|denied|forbidden|invalid|rejected|refused|timed out|exceeded|does not exist|unauthorized)\b/i;

function tellsFailure({ reason, message }: BasicCondition): boolean {
  const state = readWords(wordsOf(reason));
  return state === 'failed' || (state === undefined && FAILURE_SENTENCE.test(message));
}

function conditionsOf(object: KubeObject): readonly BasicCondition[] {
  const nested = NESTED.flatMap((name) => readList(object, 'status', name)).flatMap((entry) => (isFields(entry) ? looseConditions(entry.conditions) : []));
  return [...looseConditions(readList(object, 'status', 'conditions')), ...nested];
}
