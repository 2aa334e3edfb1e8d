import type { StageDecisionSpec } from '@/lib/contract/stage-decision';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { formatRollout } from '@/lib/words/format-rollout';
import type { Verdict } from '../control/decisions';
import { acceptedMessage, refuseDecision } from '../control/decisions';
import { evaluateRollout } from '../control/evaluation';
import { followTarget } from '../control/transitions';
import { storedView } from '../control/view';
import { blockedReason } from './blocked-decisions';

interface ObservedRollback {
  readonly spec: StageDecisionSpec;
  /** The rollout as it is stored. */
  readonly rollout: KubeObject;
  /** True once the application was set back by this very decision: its effect is there, whatever came of the rollout since. */
  readonly isDone: boolean;
}

/** What becomes of a rollback. It is carried out by whoever has the application, and accepted once that is done. */
export function evaluateRollback({ spec, rollout, isDone }: ObservedRollback, now: Instant): Pick<Verdict, 'phase' | 'message'> {
  const stored = storedView(rollout);
  if (isDone) return { phase: 'Accepted', message: acceptedMessage(spec, stored) };
  const decisionsBlockedReason = blockedReason(stored, evaluateRollout(stored, now));
  if (decisionsBlockedReason !== undefined) return { phase: 'Rejected', message: formatRollout(decisionsBlockedReason) };
  const view = followTarget(stored, now);
  return refuseDecision(spec, view, now) ?? { phase: 'Accepted', message: acceptedMessage(spec, view) };
}
