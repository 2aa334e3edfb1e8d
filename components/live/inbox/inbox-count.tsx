'use client';

import { cx } from '@/components/ui/cx';
import { t } from '@/lib/words/catalogue/console/inbox';
import type { AssignedToMe } from './use-assigned-to-me';

/** Beside the name of the inbox: how much waits for the person, and in which namespaces where they may see these only. */
export function InboxCount({ assigned, className }: { readonly assigned: AssignedToMe | undefined; readonly className: string }) {
  if (assigned === undefined || assigned.waiting.length === 0) return null;
  const { waiting, hasMore, within } = assigned;
  const said = t.waitingForYou(waiting.length, hasMore, within);
  return (
    <span title={said} className={cx('rounded-sm bg-warn-soft px-1 text-2xs text-warn', className)}>
      <span aria-hidden>{t.count(waiting.length, hasMore)}</span>
      <span className="sr-only">{said}</span>
    </span>
  );
}
