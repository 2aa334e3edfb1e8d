import type { CONDITION_STATES } from '@/lib/contract/application-rows';
import type { Condition } from '@/lib/kube/condition';
import { readConditions } from '@/lib/kube/condition';
import { polarityOf, readFalse } from './condition-words';
import { wordsOf } from './state-words';

/** A condition as it is written, each part filled in, and what it says. */
export interface DescribedCondition extends Required<Pick<Condition, 'type' | 'status' | 'reason' | 'message'>> {
  readonly at: string | null;
  readonly state: (typeof CONDITION_STATES)[number];
}

/** What nobody wished for, although nothing has failed. */
const UNWELCOME = /^(drift(ed)?|suspended|paused|held|deprecated|outdated|stale)$/;

/** The conditions of an object for whoever lists them, each read by the polarity of its name as the health of the object is. */
export function describeConditions(object: unknown): readonly DescribedCondition[] {
  return readConditions(object).map((condition) => {
    const { type, status, reason = '', message = '', lastTransitionTime: at = null } = condition;
    const written = { type, status, reason, message };
    return { ...written, at, state: stateOf(written) };
  });
}

function stateOf(condition: Pick<DescribedCondition, 'type' | 'status' | 'reason' | 'message'>): DescribedCondition['state'] {
  const isUnwelcome = wordsOf(condition.type).some((word) => UNWELCOME.test(word));
  const polarity = polarityOf(condition.type);
  if (condition.status === 'Unknown') return 'odd';
  if (condition.status === 'True') {
    if (polarity === 'failure') return 'failed';
    if (isUnwelcome) return 'odd';
    return polarity === 'under-way' ? 'under-way' : 'good';
  }
  return readFalse(condition, false) ?? (polarity === 'none' && !isUnwelcome ? 'none' : 'good');
}
