import type { Instant } from '@/lib/std/instant';
import { parseInstant, toIso } from '@/lib/std/instant';
import { applyEvent } from '../control/apply-event';
import { isPausedByPerson } from '../control/control-facts';
import { withHistory } from '../control/state';
import { ENGINE_ACTOR } from '../control/transitions';
import type { RolloutView } from '../control/view';
import type { ManualScaling } from '../model';
import type { ScalePlan } from '../scale';

const ACTION = 'rollout.scaled-by-hand';
const SOON_MS = 60_000;
/** Who goes on is put back as often, and told no more: the record is not theirs to fill. */
const MAX_TOLD = 2;

/**
 * Notes who scaled what is put back now. Whoever does so twice within a minute does it on purpose, or is a program that does it for ever: the
 * rollout is held until a person resumes it.
 */
export function recordManualScaling(
  view: RolloutView,
  scaled: readonly ManualScaling[],
  { writes, ranges }: ScalePlan,
  now: Instant,
): RolloutView {
  const isPutBack = ({ revision }: ManualScaling) => [...writes, ...ranges].some((write) => write.revision === revision);
  return scaled.filter(isPutBack).reduce((noted, one) => noteOne(noted, one, now), view);
}

function noteOne(view: RolloutView, { id, revision, from, to, by }: ManualScaling, now: Instant): RolloutView {
  const recent = view.control.history.filter(
    ({ action, at }) => action === ACTION && now - (parseInstant(at) ?? Number.NEGATIVE_INFINITY) < SOON_MS,
  );
  // Its first write back may have lost against somebody else's: it is the same scaling still.
  if (recent.length >= MAX_TOLD || recent.some((entry) => entry.id === id)) return view;
  const because = `${revision} was scaled from ${from} to ${to} by ${by}, and is being reverted`;
  const entry = { id, at: toIso(now), actor: ENGINE_ACTOR, action: ACTION, message: because };
  const noted = { ...view, control: withHistory(view.control, entry) };
  if (recent.length === 0 || isPausedByPerson(noted.control)) return noted;
  return applyEvent(noted, { type: 'pauseAsked', because: `${because}, for the second time within a minute` });
}
