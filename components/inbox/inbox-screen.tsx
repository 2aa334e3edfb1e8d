'use client';

import { WeeksPanel } from '@/components/history/weeks-panel';
import { WithinNote } from '@/components/live/filters/nothing-within';
import { LiveView } from '@/components/live/live-view';
import { useStatus } from '@/components/live/staleness';
import { useLiveWindow } from '@/components/live/use-live-topic';
import { Empty } from '@/components/ui/data/empty';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { lazyOnDemand } from '@/components/ui/overlay/lazy/late';
import { LazyPart } from '@/components/ui/overlay/lazy/late-part';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import type { Within } from '@/lib/contract/lists/within';
import { t } from '@/lib/words/catalogue/console/inbox';
import { countInbox } from './inbox-counts';
import { filterInbox, narrows } from './inbox-filter';
import { InboxFilters } from './inbox-filters';
import { InboxGroups } from './inbox-groups';
import { inboxQueries } from './inbox-queries';
import { NotifyButton } from './notify-button';
import { StartPending } from './start/start-pending';
import { useInboxUrl } from './use-inbox-url';

// Of the demonstration alone.
const startRollout = lazyOnDemand(async () => (await import('./start/start-rollout')).StartRollout);

/** What needs a person first, then what fails, then what moves. */
export function InboxScreen() {
  const status = useStatus();
  const counts = status?.counts;
  const isDemonstration = status?.cluster.kind === 'embedded';
  const inbox = useLiveWindow(inboxQueries.inbox()).data;
  const url = useInboxUrl();
  return (
    <>
      <PageHead
        title={t.inbox}
        actions={<NotifyButton />}
        note={
          counts && inbox ? (
            <span className="text-ink-3">
              {t.waitingFailingMovingInAll({
                ...(countInbox(inbox.rows, inbox.total, counts).all ?? counts),
                applications: counts.applications,
                part: counts.applications === 1 ? t.application : t.applications,
              })}
            </span>
          ) : undefined
        }
      />
      <LiveView
        isPage
        query={inboxQueries.inbox()}
        awaits={t.readingWhatNeedsYou}
        pending={
          <Panel>
            <SkeletonRows columns={3} />
          </Panel>
        }
        empty={({ within }) => <AllQuiet isDemonstration={isDemonstration} within={within} />}
      >
        {(window) => (
          <div className="space-y-4">
            <InboxFilters rows={window.rows} total={window.total} {...url} />
            <InboxGroups
              rows={filterInbox(window.rows, url.filter)}
              isNarrowed={narrows(url.filter)}
              counts={countInbox(window.rows, window.total, counts)}
            />
            {isDemonstration ? <Start /> : null}
            <WeeksPanel />
          </div>
        )}
      </LiveView>
    </>
  );
}

interface AllQuietProps {
  readonly isDemonstration: boolean;
  readonly within: Within | undefined;
}

function AllQuiet({ isDemonstration, within }: AllQuietProps) {
  return (
    <div className="space-y-4">
      <Panel>
        <Empty title={t.nothingNeedsYouTitle}>
          {t.rolloutsThatWaitAtA}
          {within ? (
            <p className="mt-2">
              <WithinNote within={within} noun={t.applications} of="applications" />
            </p>
          ) : null}
        </Empty>
      </Panel>
      {isDemonstration ? <Start /> : null}
      <WeeksPanel />
    </div>
  );
}

function Start() {
  return (
    <LazyPart part={startRollout} pending={<StartPending />}>
      {(StartRollout) => <StartRollout />}
    </LazyPart>
  );
}
