import { Ago } from '@/components/live/ago';
import type { Column } from '@/components/ui/data/data-table';
import { DataTable } from '@/components/ui/data/data-table';
import { Panel } from '@/components/ui/panel';
import type { PollView } from '@/lib/contract/system-rows';
import { formatDuration } from '@/lib/std/duration';

/** Kinds that the server lets nobody watch: what polling them takes, and the right that is missing. */
export function PollsPanel({ polls }: { readonly polls: readonly PollView[] }) {
  return (
    <Panel title="Polls" note="kinds that cannot be watched">
      <DataTable label="Polls" rows={polls} columns={COLUMNS} card={(poll) => <PollCard poll={poll} />} />
    </Panel>
  );
}

const COLUMNS: readonly Column<PollView>[] = [
  { id: 'kind', head: 'Kind', cell: (poll) => <span className="font-medium">{poll.kind}</span> },
  { id: 'groups', head: 'Groups', numeric: true, cell: ({ round }) => round?.groups ?? '' },
  { id: 'lists', head: 'LISTs', numeric: true, cell: ({ round }) => round?.lists ?? '' },
  { id: 'gets', head: 'Single reads', numeric: true, cell: ({ round }) => round?.gets ?? '' },
  { id: 'took', head: 'Took', numeric: true, className: 'whitespace-nowrap', cell: ({ round }) => (round === null ? '' : `${round.tookMs} ms`) },
  { id: 'at', head: 'Last round', className: 'whitespace-nowrap text-ink-3', cell: (poll) => <When poll={poll} /> },
  { id: 'reason', head: 'Refused', className: 'min-w-48 text-ink-3 wrap-anywhere', cell: (poll) => <Why poll={poll} /> },
];

function PollCard({ poll }: { readonly poll: PollView }) {
  const { round } = poll;
  return (
    <div className="space-y-0.5 wrap-anywhere">
      <p className="font-medium">{poll.kind}</p>
      <p className="text-ink-3 text-xs">
        {round === null ? null : `${round.groups} groups, ${round.lists} LISTs, ${round.gets} single reads in ${round.tookMs} ms; `}
        <When poll={poll} />
      </p>
      <p className="text-ink-3 text-xs">
        <Why poll={poll} />
      </p>
    </div>
  );
}

function When({ poll: { round, everyMs } }: { readonly poll: PollView }) {
  return (
    <>
      {round === null ? 'not yet' : <Ago at={round.at} />}, every {formatDuration(everyMs)}
    </>
  );
}

function Why({ poll: { verb, reason, round } }: { readonly poll: PollView }) {
  const last = round?.lastError ?? null;
  return (
    <>
      {verb}: {reason}
      {last === null || last === reason ? null : <>; the last error: {last}</>}
    </>
  );
}
