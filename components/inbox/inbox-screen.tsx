'use client';

import { NoMatch } from '@/components/live/filters/no-match';
import { formatWithin, WithinNote } from '@/components/live/filters/nothing-within';
import { LiveView } from '@/components/live/live-view';
import { useStatus } from '@/components/live/staleness';
import { useLiveWindow } from '@/components/live/use-live-topic';
import { Empty } from '@/components/ui/data/empty';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { lazyOnDemand, lazyWhenIdle, useLazyModule } from '@/components/ui/overlay/lazy/lazy-module';
import { LazyPart } from '@/components/ui/overlay/lazy/lazy-part';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { INBOX_PAGE, isInboxNarrowed } from '@/lib/contract/inbox/inbox-query';
import type { Within } from '@/lib/contract/lists/within';
import { t } from '@/lib/words/catalogue/console/inbox';
import { InboxFilters } from './inbox-filters';
import { InboxGroups } from './inbox-groups';
import { inboxQueries } from './inbox-queries';
import { NotifyButton } from './notify-button';
import { StartPending } from './start/start-pending';
import { useInboxUrl } from './use-inbox-url';

// Of an inbox that is longer than a page.
const pager = lazyOnDemand(async () => (await import('@/components/ui/data/pager')).Pager);
// The last weeks are read once what waits has been.
const weeksPanel = lazyWhenIdle(async () => (await import('@/components/history/weeks-panel')).WeeksPanel);
// Of the demonstration alone.
const startRollout = lazyOnDemand(async () => (await import('./start/start-rollout')).StartRollout);

/** What needs a person first, then what fails, then what moves. */
export function InboxScreen() {
  const status = useStatus();
  const isDemonstration = status?.cluster.kind === 'embedded';
  const { query, change } = useInboxUrl();
  const inbox = useLiveWindow(inboxQueries.inbox(query)).data;
  const isAsked = isInboxNarrowed(query) || query.page !== undefined;
  // What is narrowed counts less than there is.
  const counts = status?.counts && { ...status.counts, ...(isInboxNarrowed(query) ? {} : inbox?.counts?.groups) };
  return (
    <>
      <PageHead
        title={t.inbox}
        actions={<NotifyButton />}
        note={counts && inbox ? <span className="text-ink-3">{formatWithin(inAll(counts), inbox.within)}</span> : undefined}
      />
      {isAsked || (inbox !== undefined && inbox.total > 0) ? (
        <div className="mb-4">
          <InboxFilters counts={inbox?.counts} query={query} change={change} />
        </div>
      ) : null}
      <LiveView
        isPage
        query={inboxQueries.inbox(query)}
        awaits={t.readingWhatNeedsYou}
        pending={
          <Panel>
            <SkeletonRows columns={3} />
          </Panel>
        }
        empty={({ within }) => (
          <div className="space-y-4">
            <Panel>
              {isInboxNarrowed(query) ? (
                <NoMatch title={t.nothingMatches} onClear={() => change({ q: null, ns: null, kind: null })}>
                  {t.changeTheFilters}
                </NoMatch>
              ) : (
                <AllQuiet within={within} />
              )}
            </Panel>
            <Rest isDemonstration={isDemonstration} />
          </div>
        )}
      >
        {({ rows, total, counts: counted }) => (
          <div className="space-y-4">
            <InboxGroups rows={rows} query={query} groups={counted?.groups ?? NONE} />
            {total > INBOX_PAGE || query.page !== undefined ? (
              <Panel>
                <LazyPart part={pager} pending={null}>
                  {(Pager) => (
                    <Pager page={query.page ?? 0} size={INBOX_PAGE} total={total} noun={t.entries} onPage={(page) => change({ page })} />
                  )}
                </LazyPart>
              </Panel>
            ) : null}
            <Rest isDemonstration={isDemonstration} />
          </div>
        )}
      </LiveView>
    </>
  );
}

function inAll(counts: Omit<Parameters<typeof t.waitingFailingMovingInAll>[0], 'part'>): string {
  return t.waitingFailingMovingInAll({ ...counts, part: counts.applications === 1 ? t.application : t.applications });
}

const NONE = { waits: 0, failing: 0, moving: 0 };

function AllQuiet({ within }: { readonly within: Within | undefined }) {
  return (
    <Empty title={t.nothingNeedsYouTitle}>
      {t.rolloutsThatWaitAtA}
      {within ? (
        <p className="mt-2">
          <WithinNote within={within} noun={t.applications} of="applications" />
        </p>
      ) : null}
    </Empty>
  );
}

/** What stands below, whatever needs somebody. */
function Rest({ isDemonstration }: { readonly isDemonstration: boolean }) {
  const WeeksPanel = useLazyModule(weeksPanel);
  return (
    <>
      {isDemonstration ? (
        <LazyPart part={startRollout} pending={<StartPending />}>
          {(StartRollout) => <StartRollout />}
        </LazyPart>
      ) : null}
      {WeeksPanel === undefined ? null : <WeeksPanel />}
    </>
  );
}
