import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { actorRefusal } from '../control/decisions';
import { evaluateRollout } from '../control/evaluation';
import { followTarget } from '../control/transitions';
import { storedView } from '../control/view';
import type { Approver } from '../policy/approvers';

/**
 * Why decisions of one person about a rollout as it is stored would come to nothing: by whom its policy asks, or since one of theirs counts already. Verbs
 * of which nothing of the kind is known are absent; the rights of the person are another matter.
 */
export function personalRefusals(actor: Approver, rollout: KubeObject, now: Instant): Readonly<Partial<Record<DecisionVerb, string>>> {
  const view = followTarget(storedView(rollout), now);
  const situation = { view, evaluation: evaluateRollout(view, now) };
  return Object.fromEntries(
    DECISION_VERBS.map((verb) => [verb, actorRefusal(verb, actor, situation)]).filter(([, refusal]) => refusal !== undefined),
  );
}
