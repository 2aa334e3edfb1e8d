import { Ago } from '@/components/live/ago';
import type { Column } from '@/components/ui/data/data-table';
import { DataTable } from '@/components/ui/data/data-table';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import type { PollView } from '@/lib/contract/system-rows';
import { formatDuration } from '@/lib/std/duration';
import { sayCount, sayTook } from '@/lib/words/figures';

/** Kinds that the server lets nobody watch: what polling them takes, the right that is missing, and what failed last. */
export function PollsPanel({ polls }: { readonly polls: readonly PollView[] }) {
  return (
    <Panel title="Polls" note="kinds that cannot be watched are listed at intervals">
      <DataTable label="Polls" rows={polls} columns={COLUMNS} card={(poll) => <PollCard poll={poll} />} />
    </Panel>
  );
}

const COLUMNS: readonly Column<PollView>[] = [
  { id: 'kind', head: 'Kind', cell: (poll) => <span className="font-medium">{poll.kind}</span> },
  { id: 'groups', head: 'Groups', numeric: true, cell: ({ round }) => round?.groups ?? '–' },
  { id: 'lists', head: 'LISTs', numeric: true, cell: ({ round }) => round?.lists ?? '–' },
  { id: 'gets', head: 'GETs', numeric: true, cell: ({ round }) => round?.gets ?? '–' },
  { id: 'took', head: 'Duration', numeric: true, className: 'whitespace-nowrap', cell: ({ round }) => (round === null ? '–' : sayTook(round.tookMs)) },
  { id: 'at', head: 'Last poll', className: 'whitespace-nowrap text-ink-3', cell: (poll) => <When poll={poll} /> },
  { id: 'reason', head: 'Why', className: 'min-w-48 text-ink-3 wrap-anywhere', cell: (poll) => <Why poll={poll} /> },
  { id: 'error', head: 'Last error', className: 'min-w-40 wrap-anywhere', cell: (poll) => <Sentence text={errorOf(poll) ?? '–'} /> },
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
          {sayCount(round.groups, 'group')}, {sayCount(round.lists, 'LIST')}, {sayCount(round.gets, 'GET')} in {sayTook(round.tookMs)}
        </p>
      )}
      <p className="text-ink-3 text-xs">
        <Why poll={poll} />
      </p>
      {error === null ? null : (
        <p className="text-xs">
          <span className="text-ink-3">Last error:</span> <Sentence text={error} />
        </p>
      )}
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

function Why({ poll: { verb, reason } }: { readonly poll: PollView }) {
  return (
    <>
      {verb} refused: <Sentence text={reason} />
    </>
  );
}

/** What failed in the last poll, the refusal itself aside. */
function errorOf({ round, reason }: PollView): string | null {
  return round === null || round.lastError === reason ? null : round.lastError;
}
