'use client';

import { useSnoozed } from '@/components/live/inbox/snoozed';
import { useTurns } from '@/components/live/inbox/use-turns';
import { Empty } from '@/components/ui/data/empty';
import { Panel } from '@/components/ui/panel';
import type { Turn } from '@/lib/contract/inbox/turns';
import type { InboxRow } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/inbox';
import { InboxItem } from './inbox-item';

interface Group {
  readonly title: string;
  readonly none?: string;
  readonly rows: readonly InboxRow[];
}

/** The rows of the inbox: what waits for the person, what waits for others, what fails, what moves, and what was put off. */
export function InboxGroups({ rows, isNarrowed }: { readonly rows: readonly InboxRow[]; readonly isNarrowed: boolean }) {
  const data = useTurns(rows.some(({ group }) => group === 'waits'));
  const snoozed = useSnoozed();
  const turnOf = (row: InboxRow): Turn | undefined =>
    data !== undefined && Object.hasOwn(data.turns, row.key) ? data.turns[row.key] : undefined;
  const off = rows.filter((row) => snoozed.untilOf(row) !== undefined);
  const awake = rows.filter((row) => !off.includes(row));
  // Until it is known whose turn it is, it may be theirs.
  const isTheirs = (row: InboxRow) => turnOf(row)?.mine === false;
  const of = (group: InboxRow['group']) => awake.filter((row) => row.group === group);
  if (isNarrowed && rows.length === 0) {
    return (
      <Panel>
        <Empty title={t.nothingMatches}>{t.changeTheFilters}</Empty>
      </Panel>
    );
  }
  const groups: readonly Group[] = [
    { title: t.needsYou, none: t.nothingNeedsYou, rows: of('waits').filter((row) => !isTheirs(row)) },
    { title: t.waitsForOthers, rows: of('waits').filter(isTheirs) },
    { title: t.failing, none: t.nothingIsFailing, rows: of('failing') },
    { title: t.inProgress, none: t.nothingIsInProgress, rows: of('moving') },
    { title: t.snoozed, rows: off },
  ];
  return groups.map(({ title, none, rows: shown }) =>
    // That nothing fails is not known of what is filtered away.
    shown.length === 0 && (none === undefined || isNarrowed) ? null : (
      <Panel key={title} title={title} note={shown.length > 0 ? shown.length : undefined}>
        {shown.length === 0 ? (
          <p className="px-4 py-3 text-ink-3">{none}</p>
        ) : (
          <ul className="divide-y">
            {shown.map((row) => (
              <InboxItem
                key={row.key}
                row={row}
                turn={turnOf(row)}
                until={snoozed.untilOf(row)}
                onSnooze={off.includes(row) ? undefined : (until) => snoozed.snooze(row, until)}
                onWake={off.includes(row) ? () => snoozed.wake(row) : undefined}
              />
            ))}
          </ul>
        )}
      </Panel>
    ),
  );
}
