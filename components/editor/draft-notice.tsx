import { History } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { ClockTime } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import { t } from '@/lib/words/catalogue/delivery/editor';

interface DraftNoticeProps {
  readonly restoredAt: string | null;
  readonly isKept: boolean;
  readonly onDiscard: () => void;
}

/** Says that the text is one that was written before and not applied, or that this browser does not keep it. */
export function DraftNotice({ restoredAt, isKept, onDiscard }: DraftNoticeProps) {
  if (!isKept) {
    return <Notice>{t.thisBrowserDoesNotKeep}</Notice>;
  }
  if (restoredAt === null) return null;
  return (
    <Notice action={<Button onClick={onDiscard}>{t.discardDraft}</Button>}>
      {rich(t.thisIsYourDraftOf(<ClockTime key="at" at={restoredAt} />))}
    </Notice>
  );
}

function Notice({ children, action }: { readonly children: React.ReactNode; readonly action?: React.ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-lg border bg-sunken px-4 py-2">
      <History size={14} aria-hidden className="shrink-0 text-ink-3" />
      <p role="status" className="min-w-0 flex-1 text-ink-2">
        {children}
      </p>
      {action}
    </div>
  );
}
