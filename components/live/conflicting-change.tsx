import { DiffView } from '@/components/ui/data/diff-view';
import type { ConflictingChange } from '@/lib/contract/change-rows';
import { conflictingChange } from '@/lib/contract/change-rows';
import { t } from '@/lib/words/catalogue/console/live';
import { RequestError } from './request';

/** What somebody else changed, where a refusal tells it; null for any other failure. */
export function readConflictingChange(failure: Error | null): ConflictingChange | null {
  if (!(failure instanceof RequestError)) return null;
  const parsed = conflictingChange.safeParse(failure.details.theirs);
  return parsed.success ? parsed.data : null;
}

/** Whose change came first, and what it is. */
export function ConflictingChangeView({ theirs: { by, generation, lines } }: { readonly theirs: ConflictingChange }) {
  return (
    <section aria-label={t.theirChange} className="space-y-1.5">
      <h3 className="font-medium text-ink-3 text-xs">
        {t.generation(by === null ? t.whatWasChangedInThe : t.whatChangedInTheMeantime(by), generation)}
      </h3>
      {lines.length === 0 ? (
        <p className="text-ink-2">{t.theApplicationWasDeletedAnd}</p>
      ) : (
        <DiffView lines={lines} label={t.theirChange} />
      )}
    </section>
  );
}
