'use client';

import { NoMatch } from '@/components/live/filters/no-match';
import { LiveView } from '@/components/live/live-view';
import { Empty } from '@/components/ui/data/empty';
import { SkeletonPanels, SkeletonRows } from '@/components/ui/data/skeleton';
import { listBreadcrumbs } from '@/components/ui/object-head';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { LedgerHead } from '@/lib/contract/history/ledger-rows';
import { t } from '@/lib/words/catalogue/delivery/ledger';
import { LedgerFilterBar } from './ledger-filter-bar';
import { LedgerLegend } from './ledger-legend';
import type { LedgerPlace } from './ledger-queries';
import { ledgerQueries } from './ledger-queries';
import { MatrixGrid } from './matrix-grid';
import { useLedgerUrl } from './use-ledger-url';

/** The ledger of an application across its revisions: what each recorded, owns, handed over and deleted. */
export function LedgerScreen({ ns, name }: LedgerPlace) {
  const head = (
    <PageHead
      breadcrumbs={[...listBreadcrumbs(t.applications, '/applications', ns), { label: name, href: `/applications/${ns}/${name}` }]}
      title={t.ledger}
      note={<span className="text-ink-3">{t.whatEachRevision}</span>}
    />
  );
  return (
    <>
      {head}
      <LiveView
        isPage
        query={ledgerQueries.head({ ns, name })}
        awaits={t.readingTheLedger(name)}
        pending={<SkeletonPanels shape={[[8, 4]]} />}
        empty={null}
      >
        {(window) => window.rows[0] && <LedgerView place={{ ns, name }} head={window.rows[0]} />}
      </LiveView>
    </>
  );
}

function LedgerView({ place, head }: { readonly place: LedgerPlace; readonly head: LedgerHead }) {
  const { query, change } = useLedgerUrl();
  const { columns, total, older, unread } = head;
  if (columns.length === 0) {
    return (
      <Panel>
        <Empty title={t.nothingRecordedYet}>{t.aRevisionRecords}</Empty>
      </Panel>
    );
  }
  return (
    <Panel title={t.objectsByRevision} note={t.objectsRevisions(total, columns.length)}>
      <LedgerFilterBar query={query} head={head} onChange={change} />
      {unread === null ? null : (
        <p role="status" className="border-b bg-warn-soft px-4 py-1.5 text-warn text-xs">
          {rich(t.deletionsAreNotShown(<Sentence text={unread} />))}
        </p>
      )}
      <LiveView
        query={ledgerQueries.page(place, query)}
        awaits={t.readingTheObjects}
        pending={<SkeletonRows columns={4} />}
        empty={
          <NoMatch title={t.noObjectMatches} onClear={() => change({})}>
            {t.takeAFilterAway}
          </NoMatch>
        }
      >
        {(page) => <MatrixGrid place={place} query={query} columns={columns} total={page.total} />}
      </LiveView>
      {older === 0 ? null : <p className="border-t px-4 py-1.5 text-ink-3 text-xs">{t.olderAreNotShown(older)}</p>}
      <LedgerLegend />
    </Panel>
  );
}
