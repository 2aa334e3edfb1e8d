'use client';

import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { createContext, useContext } from 'react';
import { cx } from '@/components/ui/cx';
import { QueryView } from '@/components/ui/data/query-view';
import type { SkeletonPanelsProps } from '@/components/ui/data/skeleton';
import { SkeletonPanels } from '@/components/ui/data/skeleton';
import { Panel } from '@/components/ui/panel';
import { ClockTime, Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { Freshness, Keyed, WindowSnapshot } from '@/lib/contract/live';
import { t } from '@/lib/words/catalogue/console/live';
import type { Staleness } from './staleness';
import { useStaleness } from './staleness';
import type { LiveQueryOptions } from './use-live-topic';
import { useLiveWindow } from './use-live-topic';

export interface LiveViewProps<Row extends Keyed> {
  readonly query: LiveQueryOptions<Row>;
  readonly awaits: string;
  readonly pending: ReactNode;
  /** What is said where nothing is; given the window, whatever its rows are limited to. */
  readonly empty?: ReactNode | ((window: WindowSnapshot<Row>) => ReactNode);
  /** Head of the page for as long as there are no rows to make it from: before them, without them, and when there are none left. */
  readonly head?: ReactNode;
  /** Set where the view is the page itself and not the inside of a panel. */
  readonly isPage?: boolean;
  readonly children: (window: WindowSnapshot<Row>, staleness: Staleness | null) => ReactNode;
}

/** Why what surrounds a view is stale, where a notice there says so already; null where none does. */
const ToldAround = createContext<string | null>(null);

/** A live window on the screen: subscribed, marked when it is old, and never without its four states. */
export function LiveView<Row extends Keyed>({ query, awaits, pending, empty, head, isPage = false, children }: LiveViewProps<Row>) {
  const window = useLiveWindow(query);
  const staleness = useStaleness(window.data?.freshness);
  const told = useContext(ToldAround);
  const isTold = staleness !== null && staleness.reason === told;
  return (
    <ToldAround value={staleness && window.data ? staleness.reason : told}>
      {window.data === undefined || isNothing(window.data) ? head : null}
      <QueryView
        query={window}
        awaits={awaits}
        pending={pending}
        empty={typeof empty === 'function' ? window.data && empty(window.data) : empty}
        isEmpty={isNothing}
        isPage={isPage}
        stale={
          staleness && window.data && !isTold ? (
            <StaleNotice staleness={staleness} freshness={window.data.freshness} isPage={isPage} />
          ) : null
        }
      >
        {(data) => children(data, staleness)}
      </QueryView>
    </ToldAround>
  );
}

export interface ObjectPageProps<Row extends Keyed> extends Pick<LiveViewProps<Row>, 'query' | 'awaits' | 'head'> {
  /** Rows and columns of the panels to come. */
  readonly shape: SkeletonPanelsProps['shape'];
  /** What stands there where there is no such object. */
  readonly missing: ReactNode;
  readonly children: (object: Row, staleness: Staleness | null) => ReactNode;
}

/** The page of one object, live: its head while it is read, and what is said where there is none. */
export function ObjectPage<Row extends Keyed>({ shape, missing, children, ...rest }: ObjectPageProps<Row>) {
  return (
    <LiveView isPage {...rest} pending={<SkeletonPanels shape={shape} />} empty={<Panel>{missing}</Panel>}>
      {({ rows: [object] }, staleness) => object && children(object, staleness)}
    </LiveView>
  );
}

const isNothing = ({ total }: Pick<WindowSnapshot<Keyed>, 'total'>): boolean => total === 0;

export interface StaleNoticeProps {
  readonly staleness: Staleness;
  readonly freshness: Freshness;
  readonly isPage?: boolean;
}

/** When it was last known to be so: what is watched was, until nothing was heard any more, however long ago it had last changed. */
function asOfWhen({ since }: Staleness, { observedAt, source }: Freshness): string {
  return source !== 'poll' && Date.parse(since) > Date.parse(observedAt) ? since : observedAt;
}

/** Says that what follows is as of a moment, and why, unless the banner across the page says why. */
export function StaleNotice({ staleness, freshness, isPage = false }: StaleNoticeProps) {
  return (
    <p
      role="status"
      className={cx('flex items-start gap-2 bg-warn-soft px-4 py-1.5 text-warn text-xs', isPage ? 'mb-4 rounded-md' : 'border-b')}
    >
      <History size={13} aria-hidden className="mt-[1.5px] shrink-0" />
      <span>
        {rich(t.asOf(<ClockTime at={asOfWhen(staleness, freshness)} />))}
        {staleness.isShownAbove ? null : <Sentence text={` ${staleness.reason}`} />}
      </span>
    </p>
  );
}
