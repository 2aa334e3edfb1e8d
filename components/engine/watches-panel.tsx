import { CircleCheck, CircleDashed, CircleMinus, CircleX } from 'lucide-react';
import type { ComponentType } from 'react';
import { Ago, Elapsed } from '@/components/live/ago';
import { ColumnsMenu } from '@/components/live/table/columns-menu';
import { cx } from '@/components/ui/cx';
import type { Column } from '@/components/ui/data/data-table';
import { DataTable } from '@/components/ui/data/data-table';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { WatchView } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/engine';
import { formatNumber } from '@/lib/words/figures';

const LOOK: Readonly<
  Record<
    WatchView['state'],
    { readonly word: string; readonly look: string; readonly icon: ComponentType<{ size: number; 'aria-hidden': true }> }
  >
> = {
  watching: { word: t.watching, look: 'text-good', icon: CircleCheck },
  listing: { word: t.listing, look: 'text-ink-2', icon: CircleDashed },
  retrying: { word: t.lostTryingAgain, look: 'text-warn', icon: CircleX },
  refused: { word: t.refusedPolled, look: 'text-warn', icon: CircleMinus },
  missing: { word: t.notServed, look: 'text-ink-3', icon: CircleMinus },
  stopped: { word: t.stoppedInline, look: 'text-ink-3', icon: CircleMinus },
};

/** What is watched and how old that knowledge is; what is lost comes first. */
export function WatchesPanel({ watches }: { readonly watches: readonly WatchView[] }) {
  const lost = watches.filter(({ state }) => state === 'retrying').length;
  return (
    <Panel
      title={t.watches}
      note={lost === 0 ? watches.length : t.ofLost(lost, watches.length)}
      actions={<ColumnsMenu id={t.watches} columns={COLUMNS} isOneOfSeveral />}
    >
      <DataTable label={t.watches} rows={watches} columns={COLUMNS} card={(watch) => <WatchCard watch={watch} />} />
    </Panel>
  );
}

const COLUMNS: readonly Column<WatchView>[] = [
  { id: 'kind', head: t.kind, cell: (watch) => <Kind watch={watch} /> },
  { id: 'state', head: t.state, cell: (watch) => <State watch={watch} /> },
  { id: 'objects', head: t.objects, numeric: true, cell: (watch) => formatNumber(watch.objects) },
  { id: 'contact', head: t.lastContact, className: 'text-ink-3', cell: (watch) => <Ago at={watch.lastContactAt} /> },
  { id: 'reason', head: t.reason, className: 'min-w-48 text-ink-3 wrap-anywhere', cell: (watch) => <Reason watch={watch} /> },
];

function WatchCard({ watch }: { readonly watch: WatchView }) {
  return (
    <div className="space-y-0.5 wrap-anywhere">
      <p className="flex justify-between gap-3">
        <Kind watch={watch} />
        <State watch={watch} />
      </p>
      <p className="text-ink-3 text-xs">{rich(t.objectsLastContact(watch.objects, <Ago at={watch.lastContactAt} />))}</p>
      {watch.reason ? (
        <p className="text-ink-3 text-xs">
          <Reason watch={watch} />
        </p>
      ) : null}
    </div>
  );
}

function Kind({ watch: { kind, scope } }: { readonly watch: WatchView }) {
  return (
    <span className="font-medium">
      {kind}
      {scope ? <span className="font-normal text-ink-3"> {scope}</span> : null}
    </span>
  );
}

function State({ watch }: { readonly watch: WatchView }) {
  const { word, look, icon: Icon } = LOOK[watch.state];
  return (
    <span className={cx('inline-flex items-center gap-1.5 whitespace-nowrap', look)}>
      <Icon size={13} aria-hidden /> {word}
    </span>
  );
}

function Reason({ watch: { reason, since } }: { readonly watch: WatchView }) {
  if (reason === null) return null;
  return <>{rich(t.forRich(<Sentence text={reason} />, <Elapsed from={since} />))}</>;
}
