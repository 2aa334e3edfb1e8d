import { ConflictingChangeView, readConflictingChange } from '@/components/live/conflicting-change';
import { Refusal } from '@/components/ui/data/error-panel';
import { PlanSummary } from '@/components/ui/data/plan-summary';
import type { SavePreview } from '@/lib/contract/change-rows';

/** What the server said to a change: what it would do, or why it is not done. */
export function StartAnswer({ plan, failure }: { readonly plan: SavePreview | null; readonly failure: Error | null }) {
  const theirs = readConflictingChange(failure);
  return (
    <>
      <PlanSummary preview={plan} />
      {failure ? <Refusal sentence={failure.message} /> : null}
      {theirs ? <ConflictingChangeView theirs={theirs} /> : null}
    </>
  );
}
