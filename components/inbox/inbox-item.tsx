'use client';

import { Anchor, Bell, Box, Clock3, GitBranch, Layers, Server, Ship } from 'lucide-react';
import Link from 'next/link';
import type { ComponentType } from 'react';
import { Ago } from '@/components/live/ago';
import { SNOOZES } from '@/components/live/inbox/snoozed';
import { Button } from '@/components/ui/button';
import { Menu, MenuItem, MenuLabel } from '@/components/ui/overlay/menu';
import { ReleaseGlyph } from '@/components/ui/status/release-mark';
import { HealthMark } from '@/components/ui/status/status';
import { InsideTarget } from '@/components/ui/time/exact-time';
import { ClockTime, Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { Assignee } from '@/lib/contract/inbox/assignees';
import type { InboxRow } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/inbox';

const KIND_ICON: Readonly<Record<InboxRow['kind'], ComponentType<{ size?: number; 'aria-hidden'?: boolean; className?: string }>>> = {
  rollout: Anchor,
  application: Box,
  release: Ship,
  source: GitBranch,
  tracker: Layers,
  cluster: Server,
};

interface InboxItemProps {
  readonly row: InboxRow;
  /** Whose turn it is, where that is known. */
  readonly assignee: Assignee | undefined;
  /** Until when it is put off, in milliseconds since the epoch; absent where it is not. */
  readonly until: number | undefined;
  /** Puts it off until a moment; absent where it is put off already. */
  readonly onSnooze: ((until: number) => void) | undefined;
  /** Brings it back; absent where it is not put off. */
  readonly onWake: (() => void) | undefined;
}

/** One thing in the inbox: what it is, why it is here, whom it waits for, since when. */
export function InboxItem({ row, assignee, until, onSnooze, onWake }: InboxItemProps) {
  const Icon = KIND_ICON[row.kind];
  return (
    <li
      data-row=""
      className="relative grid grid-cols-[auto_minmax(0,1fr)_auto_auto] items-start gap-x-3 px-4 py-2.5 hover:bg-hover has-[a:focus-visible]:bg-hover"
    >
      <span className="mt-[3px] inline-flex">
        {row.release === undefined ? <HealthMark health={row.health} /> : <ReleaseGlyph state={row.release} />}
      </span>
      <p className="flex min-w-0 flex-wrap items-center gap-x-2">
        <Link href={row.href} className="min-w-0 rounded-sm font-medium wrap-anywhere after:absolute after:inset-0">
          {row.name}{' '}
          <span className="font-normal text-ink-2">
            {row.decider !== undefined && assignee !== undefined ? t.waitsFor(row.title, assignee.waitsFor) : row.title}
          </span>
        </Link>
        <span className="inline-flex items-center gap-1 text-ink-3 text-xs">
          <Icon size={12} aria-hidden />
          {t.kinds[row.kind]}
          {row.ns ? t.in(row.ns) : ''}
        </span>
      </p>
      <p className="col-span-3 col-start-2 row-start-2 min-w-0 text-pretty text-ink-3 wrap-anywhere">
        <InsideTarget value>
          <Sentence text={row.sentence} />
        </InsideTarget>
      </p>
      <span className="shrink-0 text-ink-3 text-xs leading-5">
        <InsideTarget value>
          {until === undefined ? <Ago at={row.since} none="" /> : rich(t.until(<ClockTime at={new Date(until).toISOString()} />))}
        </InsideTarget>
      </span>
      <span className="relative z-10 -my-1 shrink-0">
        {onSnooze ? <SnoozeMenu name={row.name} onSnooze={onSnooze} /> : null}
        {onWake ? (
          <Button look="ghost" size="icon" aria-label={t.bringBack(row.name)} onClick={onWake}>
            <Bell size={14} aria-hidden />
          </Button>
        ) : null}
      </span>
    </li>
  );
}

function SnoozeMenu({ name, onSnooze }: { readonly name: string; readonly onSnooze: (until: number) => void }) {
  return (
    <Menu
      align="end"
      trigger={
        <Button look="ghost" size="icon" aria-label={t.snooze(name)}>
          <Clock3 size={14} aria-hidden />
        </Button>
      }
    >
      <MenuLabel>{t.snoozeInThisBrowserOr}</MenuLabel>
      {SNOOZES.map(({ id, label, until }) => (
        <MenuItem key={id} onSelect={() => onSnooze(until(Date.now()))}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
