'use client';

import { useSnoozed } from '@/components/live/inbox/snoozed';
import { useTurns } from '@/components/live/inbox/use-turns';
import { Empty } from '@/components/ui/data/empty';
import { Panel } from '@/components/ui/panel';
import type { Turn } from '@/lib/contract/inbox/turns';
import type { InboxRow } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/inbox';
import type { InboxCounts } from './inbox-counts';
import { noteOfGroup } from './inbox-counts';
import { InboxItem } from './inbox-item';

interface Group {
  readonly title: string;
  readonly none?: string;
  readonly rows: readonly InboxRow[];
  /** Of which of the server's counts these are a part; absent where they are of several. */
  readonly of?: InboxRow['group'];
}

interface InboxGroupsProps {
  /** Those that are asked for. */
  readonly rows: readonly InboxRow[];
  readonly isNarrowed: boolean;
  readonly counts: InboxCounts;
}

/** The rows of the inbox: what waits for the person, what waits for others, what fails, what moves, and what was put off. */
export function InboxGroups({ rows, isNarrowed, counts }: InboxGroupsProps) {
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
        <Empty title={t.nothingMatches}>{counts.isCut ? t.changeTheFiltersOrLook(counts.listed) : t.changeTheFilters}</Empty>
      </Panel>
    );
  }
  const groups: readonly Group[] = [
    { title: t.needsYou, none: t.nothingNeedsYou, rows: of('waits').filter((row) => !isTheirs(row)), of: 'waits' },
    { title: t.waitsForOthers, rows: of('waits').filter(isTheirs), of: 'waits' },
    { title: t.failing, none: t.nothingIsFailing, rows: of('failing'), of: 'failing' },
    { title: t.inProgress, none: t.nothingIsInProgress, rows: of('moving'), of: 'moving' },
    { title: t.snoozed, rows: off },
  ];
  return groups.map(({ title, none, rows: shown, of: part }) =>
    // That nothing fails is not known of what is filtered away, and not of what is not listed.
    shown.length === 0 && (none === undefined || isNarrowed || counts.isCut) ? null : (
      <Panel key={title} title={title} note={noteOfGroup(shown.length, isNarrowed ? undefined : part, counts)}>
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
