'use client';

import { Anchor, Box, GitBranch, Layers, Server, Ship } from 'lucide-react';
import Link from 'next/link';
import type { ComponentType } from 'react';
import { WeeksPanel } from '@/components/history/weeks-panel';
import { Ago } from '@/components/live/ago';
import { LiveView } from '@/components/live/live-view';
import { useStatus } from '@/components/live/staleness';
import { Empty } from '@/components/ui/data/empty';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { ReleaseGlyph } from '@/components/ui/status/release-mark';
import { HealthMark } from '@/components/ui/status/status';
import { InsideTarget } from '@/components/ui/time/exact-time';
import { Sentence } from '@/components/ui/time/sentence';
import type { InboxRow } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/inbox';
import { inboxQueries } from './inbox-queries';
import { StartRollout } from './start-rollout';

const GROUPS: readonly { readonly id: InboxRow['group']; readonly title: string; readonly none: string }[] = [
  { id: 'waits', title: t.needsYou, none: t.nothingNeedsYou },
  { id: 'failing', title: t.failing, none: t.nothingIsFailing },
  { id: 'moving', title: t.inProgress, none: t.nothingIsInProgress },
];

const KIND_ICON: Readonly<Record<InboxRow['kind'], ComponentType<{ size?: number; 'aria-hidden'?: boolean; className?: string }>>> = {
  rollout: Anchor,
  application: Box,
  release: Ship,
  source: GitBranch,
  tracker: Layers,
  cluster: Server,
};

/** What needs a person first, then what fails, then what moves. */
export function InboxScreen() {
  const status = useStatus();
  const counts = status?.counts;
  const isDemonstration = status?.cluster.kind === 'embedded';
  return (
    <>
      <PageHead
        title={t.inbox}
        note={
          counts ? (
            <span className="text-ink-3">
              {t.waitingFailingMovingInAll({
                waits: counts.waits,
                failing: counts.failing,
                moving: counts.moving,
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
        empty={<AllQuiet isDemonstration={isDemonstration} />}
      >
        {(window) => (
          <div className="space-y-4">
            {GROUPS.map((group) => (
              <InboxGroup key={group.id} title={group.title} none={group.none} rows={window.rows.filter((row) => row.group === group.id)} />
            ))}
            {isDemonstration ? <StartRollout /> : null}
            <WeeksPanel />
          </div>
        )}
      </LiveView>
    </>
  );
}

function AllQuiet({ isDemonstration }: { readonly isDemonstration: boolean }) {
  return (
    <div className="space-y-4">
      <Panel>
        <Empty title={t.nothingNeedsYouTitle}>{t.rolloutsThatWaitAtA}</Empty>
      </Panel>
      {isDemonstration ? <StartRollout /> : null}
      <WeeksPanel />
    </div>
  );
}

function InboxGroup({ title, none, rows }: { readonly title: string; readonly none: string; readonly rows: readonly InboxRow[] }) {
  return (
    <Panel title={title} note={rows.length > 0 ? rows.length : undefined}>
      {rows.length === 0 ? (
        <p className="px-4 py-3 text-ink-3">{none}</p>
      ) : (
        <ul className="divide-y">
          {rows.map((row) => (
            <InboxItem key={row.key} row={row} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function InboxItem({ row }: { readonly row: InboxRow }) {
  const Icon = KIND_ICON[row.kind];
  return (
    <li className="relative flex items-start gap-3 px-4 py-2.5 hover:bg-hover has-[a:focus-visible]:bg-hover">
      <span className="mt-[3px] inline-flex">{row.release === undefined ? <HealthMark health={row.health} /> : <ReleaseGlyph state={row.release} />}</span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2">
          <Link href={row.href} className="min-w-0 rounded-sm font-medium wrap-anywhere after:absolute after:inset-0">
            {row.name} <span className="font-normal text-ink-2">{row.title}</span>
          </Link>
          <span className="inline-flex items-center gap-1 text-ink-3 text-xs">
            <Icon size={12} aria-hidden />
            {row.kind}
            {row.ns ? t.in(row.ns) : ''}
          </span>
        </p>
        <p className="text-pretty text-ink-3 wrap-anywhere">
          <InsideTarget value>
            <Sentence text={row.sentence} />
          </InsideTarget>
        </p>
      </div>
      <span className="shrink-0 text-ink-3 text-xs leading-5">
        <InsideTarget value>
          <Ago at={row.since} none="" />
        </InsideTarget>
      </span>
    </li>
  );
}
