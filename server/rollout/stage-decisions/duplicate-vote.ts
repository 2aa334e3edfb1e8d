import type { StageDecisionSpec } from '@/lib/contract/stage-decision';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { formatRollout } from '@/lib/words/format-rollout';
import { mismatchReason } from '../control/decisions';
import { duplicateVoteReason } from '../control/quorum';
import { followTarget } from '../control/transitions';
import { storedView } from '../control/view';

/** Why a decision about a rollout as it is stored would count for nothing beside one that the same person made; undefined where none counts. */
export function countedAlreadyReason(spec: StageDecisionSpec, rollout: KubeObject, now: Instant): string | undefined {
  const view = followTarget(storedView(rollout), now);
  // What is about something else is answered as that.
  const twice = mismatchReason(spec, view) === undefined ? duplicateVoteReason(spec.verb, spec.actor.user, view) : undefined;
  return twice && formatRollout(twice);
}
