import { DiffView } from '@/components/ui/data/diff-view';
import type { TheirChange } from '@/lib/contract/change-rows';
import { theirChange } from '@/lib/contract/change-rows';
import { RequestError } from './request';

/** What somebody else changed, where a refusal tells it; null for any other failure. */
export function readTheirChange(failure: Error | null): TheirChange | null {
  if (!(failure instanceof RequestError)) return null;
  const parsed = theirChange.safeParse(failure.details.theirs);
  return parsed.success ? parsed.data : null;
}

/** Whose change came first, and what it is. */
export function TheirChangeView({ theirs: { by, generation, lines } }: { readonly theirs: TheirChange }) {
  return (
    <section aria-label="Their change" className="space-y-1.5">
      <h3 className="font-medium text-ink-3 text-xs">
        {by === null ? 'What was changed in the meantime' : `What ${by} changed in the meantime`} (generation {generation})
      </h3>
      {lines.length === 0 ? (
        <p className="text-ink-2">The application was deleted and created again. Close this and open it again.</p>
      ) : (
        <DiffView lines={lines} label="Their change" />
      )}
    </section>
  );
}
