import { Ago } from '@/components/live/ago';
import { ColumnsMenu } from '@/components/live/table/columns-menu';
import type { Column } from '@/components/ui/data/data-table';
import { DataTable } from '@/components/ui/data/data-table';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { PollView } from '@/lib/contract/system-rows';
import { formatDuration } from '@/lib/std/duration';
import { t } from '@/lib/words/catalogue/console/engine';
import { formatElapsed } from '@/lib/words/figures';

/** Kinds that the server lets nobody watch: what polling them takes, the right that is missing, and what failed last. */
export function PollsPanel({ polls }: { readonly polls: readonly PollView[] }) {
  return (
    <Panel title={t.polls} note={t.kindsThatCannotBeWatched} actions={<ColumnsMenu id={t.polls} columns={COLUMNS} isOneOfSeveral />}>
      <DataTable label={t.polls} rows={polls} columns={COLUMNS} card={(poll) => <PollCard poll={poll} />} />
    </Panel>
  );
}

const COLUMNS: readonly Column<PollView>[] = [
  { id: 'kind', head: t.kind, cell: (poll) => <span className="font-medium">{poll.kind}</span> },
  { id: 'groups', head: t.groups, numeric: true, cell: ({ round }) => round?.groups ?? '–' },
  { id: 'lists', head: t.lists, numeric: true, cell: ({ round }) => round?.lists ?? '–' },
  { id: 'gets', head: t.gets, numeric: true, cell: ({ round }) => round?.gets ?? '–' },
  {
    id: 'took',
    head: t.duration,
    numeric: true,
    className: 'whitespace-nowrap',
    cell: ({ round }) => (round === null ? '–' : formatElapsed(round.tookMs)),
  },
  { id: 'at', head: t.lastPoll, className: 'whitespace-nowrap text-ink-3', cell: (poll) => <When poll={poll} /> },
  { id: 'reason', head: t.why, className: 'min-w-48 text-ink-3 wrap-anywhere', cell: (poll) => <Why poll={poll} /> },
  { id: 'error', head: t.lastError, className: 'min-w-40 wrap-anywhere', cell: (poll) => <Sentence text={errorOf(poll) ?? '–'} /> },
];

function PollCard({ poll }: { readonly poll: PollView }) {
  const { round } = poll;
  const error = errorOf(poll);
  return (
    <div className="space-y-1 wrap-anywhere">
      <p className="flex justify-between gap-3">
        <span className="min-w-0 font-medium">{poll.kind}</span>
        <span className="shrink-0 text-ink-3 text-xs">
          <When poll={poll} />
        </span>
      </p>
      {round === null ? null : (
        <p className="text-ink-2 text-xs">
          {t.groupsLISTsGETsIn({ groups: round.groups, lists: round.lists, gets: round.gets, took: formatElapsed(round.tookMs) })}
        </p>
      )}
      <p className="text-ink-3 text-xs">
        <Why poll={poll} />
      </p>
      {error === null ? null : (
        <p className="text-xs">
          <span className="text-ink-3">{t.lastErrorTitle}</span> <Sentence text={error} />
        </p>
      )}
    </div>
  );
}

function When({ poll: { round, everyMs } }: { readonly poll: PollView }) {
  return (
    <>
      {round === null ? t.notYet : <Ago at={round.at} />}
      {t.every(formatDuration(everyMs))}
    </>
  );
}

function Why({ poll: { verb, reason } }: { readonly poll: PollView }) {
  return <>{rich(t.refused(verb, <Sentence text={reason} />))}</>;
}

/** What failed in the last poll, the refusal itself aside. */
function errorOf({ round, reason }: PollView): string | null {
  return round === null || round.lastError === reason ? null : round.lastError;
}
