import type { ControlEvent } from './reduce';
import { reduce } from './reduce';
import type { RolloutView } from './view';

/** The view after an event. */
export function applyEvent(view: RolloutView, event: ControlEvent): RolloutView {
  const control = reduce(view.control, event);
  return control === view.control ? view : { ...view, control };
}
