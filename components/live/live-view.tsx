'use client';

import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '@/components/ui/cx';
import { QueryView } from '@/components/ui/data/query-view';
import { ClockTime, Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { Keyed, WindowSnapshot } from '@/lib/contract/live';
import { t } from '@/lib/words/catalogue/console/live';
import type { Staleness } from './staleness';
import { useStaleness } from './staleness';
import type { LiveQueryOptions } from './use-live-topic';
import { useLiveWindow } from './use-live-topic';

export interface LiveViewProps<Row extends Keyed> {
  readonly query: LiveQueryOptions<Row>;
  readonly awaits: string;
  readonly pending: ReactNode;
  readonly empty?: ReactNode;
  /** Head of the page for as long as there are no rows to make it from: before them, without them, and when there are none left. */
  readonly head?: ReactNode;
  /** Set where the view is the page itself and not the inside of a panel. */
  readonly isPage?: boolean;
  readonly children: (window: WindowSnapshot<Row>, staleness: Staleness | null) => ReactNode;
}

/** A live window on the screen: subscribed, marked when it is old, and never without its four states. */
export function LiveView<Row extends Keyed>({ query, awaits, pending, empty, head, isPage = false, children }: LiveViewProps<Row>) {
  const window = useLiveWindow(query);
  const staleness = useStaleness(window.data?.freshness);
  return (
    <>
      {window.data === undefined || isNothing(window.data) ? head : null}
      <QueryView
        query={window}
        awaits={awaits}
        pending={pending}
        empty={empty}
        isEmpty={isNothing}
        isPage={isPage}
        stale={
          staleness && window.data ? (
            <StaleNotice staleness={staleness} observedAt={window.data.freshness.observedAt} isPage={isPage} />
          ) : null
        }
      >
        {(data) => children(data, staleness)}
      </QueryView>
    </>
  );
}

const isNothing = ({ total }: Pick<WindowSnapshot<Keyed>, 'total'>): boolean => total === 0;

export interface StaleNoticeProps {
  readonly staleness: Staleness;
  readonly observedAt: string;
  readonly isPage?: boolean;
}

/** Says that what follows is as of a moment, and why, unless the banner across the page says why. */
export function StaleNotice({ staleness, observedAt, isPage = false }: StaleNoticeProps) {
  return (
    <p
      role="status"
      className={cx('flex items-start gap-2 bg-warn-soft px-4 py-1.5 text-warn text-xs', isPage ? 'mb-4 rounded-md' : 'border-b')}
    >
      <History size={13} aria-hidden className="mt-[1.5px] shrink-0" />
      <span>
        {rich(t.asOf(<ClockTime at={observedAt} />))}
        {staleness.isToldAbove ? null : <Sentence text={` ${staleness.reason}`} />}
      </span>
    </p>
  );
}
