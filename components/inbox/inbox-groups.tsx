'use client';

import { useSnoozed } from '@/components/live/inbox/snoozed';
import { useAssignees } from '@/components/live/inbox/use-assignees';
import { Panel } from '@/components/ui/panel';
import type { Assignee } from '@/lib/contract/inbox/assignees';
import { MOST_ASSIGNED } from '@/lib/contract/inbox/assignees';
import type { InboxCounts, InboxQuery } from '@/lib/contract/inbox/inbox-query';
import { isInboxNarrowed } from '@/lib/contract/inbox/inbox-query';
import type { InboxRow } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/inbox';
import { InboxItem } from './inbox-item';

interface Group {
  readonly title: string;
  readonly none?: string;
  /** What stands above the rows. */
  readonly says?: string;
  readonly rows: readonly InboxRow[];
  /** Of which of the server's counts these are a part; absent where they are of several. */
  readonly of?: InboxRow['group'];
}

interface InboxGroupsProps {
  /** Those of a page. */
  readonly rows: readonly InboxRow[];
  readonly query: InboxQuery;
  /** How many there are of each group on all pages. */
  readonly groups: InboxCounts['groups'];
}

/** The rows of the inbox: what waits for the person, what waits for others, what fails, what moves, and what was put off. */
export function InboxGroups({ rows, query, groups: all }: InboxGroupsProps) {
  const data = useAssignees(
    rows.some(({ group }) => group === 'waits'),
    query,
  );
  const snoozed = useSnoozed();
  const assigneeOf = (row: InboxRow): Assignee | undefined =>
    data !== undefined && Object.hasOwn(data.assignees, row.key) ? data.assignees[row.key] : undefined;
  const off = rows.filter((row) => snoozed.untilOf(row) !== undefined);
  const awake = rows.filter((row) => !off.includes(row));
  // Until it is known whose turn it is, it may be theirs; of some it stays unknown, where more waits than is looked at.
  const isTheirs = (row: InboxRow) => assigneeOf(row)?.mine === false;
  const isLeft = (row: InboxRow) =>
    data !== undefined && assigneeOf(row) === undefined && Object.keys(data.assignees).length >= MOST_ASSIGNED;
  const of = (group: InboxRow['group']) => awake.filter((row) => row.group === group);
  const listed = { waits: 0, failing: 0, moving: 0 };
  for (const { group } of rows) listed[group]++;
  // What is filtered away, or on another page, may well be there.
  const isAll = !isInboxNarrowed(query) && Object.values(listed).every((count, at) => count === Object.values(all)[at]);
  const groups: readonly Group[] = [
    { title: t.needsYou, none: t.nothingNeedsYou, rows: of('waits').filter((row) => !isTheirs(row) && !isLeft(row)), of: 'waits' },
    { title: t.waitsForOthers, rows: of('waits').filter(isTheirs), of: 'waits' },
    { title: t.alsoWaiting, says: t.onlyTheMostUrgent(MOST_ASSIGNED), rows: of('waits').filter(isLeft), of: 'waits' },
    { title: t.failing, none: t.nothingIsFailing, rows: of('failing'), of: 'failing' },
    { title: t.inProgress, none: t.nothingIsInProgress, rows: of('moving'), of: 'moving' },
    { title: t.snoozed, rows: off },
  ];
  return groups.map(({ title, none, says, rows: shown, of: part }) =>
    shown.length === 0 && (none === undefined || !isAll) ? null : (
      <Panel key={title} title={title} note={noteOf(shown.length, part, { listed, all })}>
        {says === undefined ? null : <p className="border-b px-4 py-2 text-ink-3 text-xs">{says}</p>}
        {shown.length === 0 ? (
          <p className="px-4 py-3 text-ink-3">{none}</p>
        ) : (
          <ul className="divide-y">
            {shown.map((row) => (
              <InboxItem
                key={row.key}
                row={row}
                assignee={assigneeOf(row)}
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

type Groups = InboxCounts['groups'];

/** What stands beside the title of a panel: how many it shows, and of how many. */
function noteOf(shown: number, group: InboxRow['group'] | undefined, { listed, all }: Readonly<Record<'listed' | 'all', Groups>>) {
  if (shown === 0) return undefined;
  if (group === undefined || all[group] <= listed[group]) return shown;
  // Whose turn it is with those of other pages, nobody knows here.
  return group === 'waits' ? t.ofAllWaiting(shown, all.waits) : t.ofAll(shown, all[group]);
}
