'use client';

import { Elapsed } from '@/components/live/ago';
import { useConnection } from '@/components/live/live-provider';
import { useStatus } from '@/components/live/staleness';
import { cx } from '@/components/ui/cx';
import { rich } from '@/components/ui/words/rich';
import { t } from '@/lib/words/catalogue/console/shell';

/** Live, catching up, or offline and since when. A page that hears of everything is not live while the server itself hears of nothing. */
export function ConnectionMark({ compact = false }: { readonly compact?: boolean }) {
  const connection = useConnection();
  const isStale = Boolean(useStatus()?.trouble);
  const { look, word } = connection.kind === 'live' && isStale ? STALE : lookOf(connection.kind);
  return (
    <div className={cx('flex h-7 items-center gap-2.5 text-ink-3 text-xs', compact ? 'px-1' : 'px-2.5 lg:px-2')}>
      <span aria-hidden="true" className="inline-flex w-[15px] justify-center">
        <span className={cx('size-2 forced-colors:bg-[CanvasText]', look)} />
      </span>
      <span className={compact && connection.kind !== 'offline' ? 'sr-only' : 'sm:sr-only lg:not-sr-only'}>
        <span role="status">{word}</span>
        {/* Where there is little room, the line across the page says since when. */}
        {connection.kind === 'offline' && !compact ? (
          <> {rich(t.for(<Elapsed from={new Date(connection.since).toISOString()} />))}</>
        ) : null}
      </span>
    </div>
  );
}

const STALE = { look: 'rounded-[1px] bg-warn', word: t.outOfDate };

function lookOf(kind: ReturnType<typeof useConnection>['kind']): { readonly look: string; readonly word: string } {
  switch (kind) {
    case 'live':
      return { look: 'rounded-full bg-good', word: t.live };
    case 'connecting':
      return { look: 'animate-breathe rounded-full border-2 border-ink-3', word: t.connecting };
    case 'catching-up':
      return { look: 'animate-breathe rounded-full bg-busy', word: t.catchingUp };
    case 'offline':
      return { look: 'rounded-[1px] bg-bad', word: t.offline };
    case 'ended':
      return { look: 'rounded-[1px] bg-bad', word: t.signedOut };
  }
}
