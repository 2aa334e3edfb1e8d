'use client';

import { CircleSlash, UserRound } from 'lucide-react';
import Link from 'next/link';
import { useId } from 'react';
import { useChoices } from '@/components/live/address/choices';
import { Verdict } from '@/components/ui/data/change-list';
import { Empty } from '@/components/ui/data/empty';
import { Pager } from '@/components/ui/data/pager';
import { CheckBox } from '@/components/ui/form/check-box';
import { SelectBox } from '@/components/ui/form/field';
import { SearchBox } from '@/components/ui/form/search-box';
import { Panel } from '@/components/ui/panel';
import { HealthMark } from '@/components/ui/status/status';
import { Sentence } from '@/components/ui/time/sentence';
import { objectHref } from '@/lib/contract/object-address';
import type { LedgerEntry } from '@/lib/contract/tracker-rows';
import { t } from '@/lib/words/catalogue/delivery/trackers';
import { filterLedger, OWNERSHIPS, ownershipOf, parseLedgerFilter } from './ledger-filter';

const PAGE = 50;

export interface LedgerProps {
  readonly entries: readonly LedgerEntry[];
  /** The application whose collection may wait. */
  readonly application: { readonly ns: string; readonly name: string } | null;
}

/** What a tracker recorded, who owns each object now, and what the collection that waits does with it. */
export function Ledger({ entries, application }: LedgerProps) {
  const { chosen, choose } = useChoices();
  const { page: asked, ...filter } = parseLedgerFilter(chosen);
  const waitingId = useId();
  const owned = entries.filter((entry) => entry.ownedByThis).length;
  const waiting = entries.filter(({ verdict }) => verdict === 'deleted' || verdict === 'held').length;
  const found = filterLedger(entries, filter);
  // There may be fewer pages than when the address was written.
  const page = Math.min(asked, Math.max(0, Math.ceil(found.length / PAGE) - 1));
  return (
    <Panel
      title={t.ledger}
      note={t.recordedOwnedByThisTracker(entries.length, owned)}
      actions={
        application && waiting > 0 ? (
          <Link
            href={`/applications/${application.ns}/${application.name}/preview`}
            className="rounded-sm font-medium text-accent text-xs hover:underline"
          >
            {t.toBeDeletedOrHeld(waiting)}
          </Link>
        ) : null
      }
    >
      {entries.length === 0 ? (
        <Empty title={t.nothingRecorded}>{t.thisRevisionHasAppliedNothing}</Empty>
      ) : (
        <>
          <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
            <SearchBox label={t.searchObjects} value={filter.q ?? ''} onSearch={(q) => choose({ q })} />
            <SelectBox label={t.ownerNow} value={filter.ownership ?? ''} onChange={(event) => choose({ ownership: event.target.value })}>
              <option value="">{t.anyOwner}</option>
              {OWNERSHIPS.map(({ id, word }) => (
                <option key={id} value={id}>
                  {word} ({entries.filter((entry) => ownershipOf(entry) === id).length})
                </option>
              ))}
            </SelectBox>
            <label htmlFor={waitingId} className="flex items-center gap-1.5 text-ink-2 text-xs">
              <CheckBox id={waitingId} checked={filter.waiting ?? false} onChange={(event) => choose({ waiting: event.target.checked })} />
              {t.onlyWhatIsToBe}
            </label>
          </div>
          {found.length === 0 ? <p className="px-4 py-6 text-ink-3">{t.noRecordedObjectMatchesThe}</p> : null}
          <Entries entries={found.slice(page * PAGE, (page + 1) * PAGE)} />
          <Pager page={page} size={PAGE} total={found.length} noun={t.objects} onPage={(to) => choose({ page: to })} />
        </>
      )}
    </Panel>
  );
}

function Entries({ entries }: { readonly entries: readonly LedgerEntry[] }) {
  return (
    <ul aria-label={t.recordedObjects} className="divide-y empty:hidden">
      {entries.map((entry) => (
        <li key={entry.id} className="flex flex-wrap items-start gap-x-3 gap-y-0.5 px-4 py-2">
          <span className="mt-[3px] inline-flex">
            <HealthMark health={entry.health} />
          </span>
          <div className="min-w-0 flex-1 basis-56">
            <p className="wrap-anywhere">
              <span className="text-ink-3">{entry.kind}</span>{' '}
              {entry.exists ? (
                <Link href={objectHref(entry)} className="rounded-sm font-medium hover:underline">
                  {entry.name}
                </Link>
              ) : (
                <span className="font-medium">{entry.name}</span>
              )}
              {entry.ns ? <span className="text-ink-3"> {t.in(entry.ns)}</span> : null}
            </p>
            {entry.message ? (
              <p className="text-ink-3 text-xs wrap-anywhere">
                <Sentence text={entry.message} />
              </p>
            ) : null}
          </div>
          <div className="flex min-w-0 basis-full flex-col pl-7 text-xs sm:max-w-1/2 sm:basis-auto sm:items-end sm:pl-0">
            <Owner entry={entry} />
            {entry.verdict === 'deleted' || entry.verdict === 'held' || entry.verdict === 'kept' ? (
              <span className="inline-flex items-center gap-1.5">
                <span className="text-ink-3">{t.atTheEnd}</span> <Verdict verdict={entry.verdict} />
              </span>
            ) : null}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Owner({ entry }: { readonly entry: LedgerEntry }) {
  switch (ownershipOf(entry)) {
    case 'absent':
      return (
        <span className="inline-flex items-center gap-1.5 text-warn leading-5">
          <CircleSlash size={12} aria-hidden /> {t.notInTheClusterInline}
        </span>
      );
    case 'this':
      return (
        <span className="inline-flex items-center gap-1.5 text-good leading-5">
          <UserRound size={12} aria-hidden /> {t.thisTrackerInline}
        </span>
      );
    case 'nobody':
      return <span className="text-ink-3 leading-5">{t.noOwner}</span>;
    case 'other':
      return (
        <Link
          href={`/trackers/${entry.ownedBy}`}
          className="inline-flex items-center gap-1.5 break-all rounded-sm text-accent leading-5 hover:underline"
        >
          <UserRound size={12} aria-hidden className="shrink-0" /> {entry.ownedBy}
        </Link>
      );
  }
}
