'use client';

import { useId, useState } from 'react';
import { useChoices } from '@/components/live/address/choices';
import { useStaleness } from '@/components/live/staleness';
import { cx } from '@/components/ui/cx';
import { Empty } from '@/components/ui/data/empty';
import { Refusal } from '@/components/ui/data/error-panel';
import { Awaiting } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { CheckBox } from '@/components/ui/form/check-box';
import { Panel } from '@/components/ui/panel';
import { ScrollRegion } from '@/components/ui/scroll-region';
import type { ObjectPage } from '@/lib/contract/object-address';
import type { ObjectEvents } from '@/lib/contract/object-rows';
import { t } from '@/lib/words/catalogue/objects/objects';
import { EventList } from './event-list';
import { objectUrl } from './object-queries';
import { useObjectEvents } from './use-object-events';

export interface EventsPanelProps {
  readonly at: ObjectPage;
  /** Its kind, as its events name it. */
  readonly kind: string;
  /** How many are shown before somebody asks for more. */
  readonly first?: number;
  /** Takes what height there is beside something else, and scrolls by itself. */
  readonly fills?: boolean;
}

/** What happened to an object and to what it owns, newest first and as it happens. */
export function EventsPanel({ at, kind, fills = false, first = fills ? 12 : 10 }: EventsPanelProps) {
  const { told, refusal, isLive: isHeard } = useObjectEvents(objectUrl(at, 'events', { watch: 'true' }));
  const isLive = useStaleness(undefined) === null && isHeard;
  const warningsId = useId();
  const { chosen, choose } = useChoices();
  const warnings = chosen.get('events') === 'warnings';
  const [all, setAll] = useState(false);
  const wanted = (told?.events ?? []).filter(({ type }) => !warnings || type === 'Warning');
  const shown = all ? wanted : wanted.slice(0, first);
  const lines = (
    <>
      {told?.left.map((sentence) => (
        <p key={sentence} className="border-b px-4 py-2 text-warn text-xs">
          {sentence}
        </p>
      ))}
      {shown.length > 0 ? (
        <EventList events={shown} of={{ kind, name: at.name }} />
      ) : isHidden(told) ? null : (
        <Empty title={warnings ? t.noWarnings : t.noEvents}>{t.kubernetesKeepsThemForAn}</Empty>
      )}
      <Older more={wanted.length - shown.length} cut={told?.cut ?? 0} onMore={() => setAll(true)} />
    </>
  );
  return (
    <Panel
      className={cx(fills && 'flex flex-col xl:absolute xl:inset-0 xl:print:static')}
      title={t.events}
      note={noteOf(told, isLive)}
      actions={
        <label htmlFor={warningsId} className="flex items-center gap-1.5 text-ink-2 text-xs">
          <CheckBox id={warningsId} checked={warnings} onChange={(event) => choose({ events: event.target.checked ? 'warnings' : null })} />
          {t.warningsOnly}
        </label>
      }
    >
      {refusal === null ? null : (
        <div className="p-3">
          <Refusal sentence={refusal} />
        </div>
      )}
      {told === undefined ? (
        refusal === null && <Awaiting awaits={t.readingTheEvents} pending={<SkeletonRows rows={3} columns={1} />} />
      ) : fills ? (
        <ScrollRegion label={t.events} className="max-h-[420px] min-h-0 flex-1 xl:max-h-none">
          {lines}
        </ScrollRegion>
      ) : (
        lines
      )}
    </Panel>
  );
}

/** Of what may not be read nobody knows whether there is any. */
function isHidden(told: ObjectEvents | undefined): boolean {
  return told !== undefined && told.left.length > 0 && told.events.length === 0;
}

function noteOf(told: ObjectEvents | undefined, isLive: boolean): string | undefined {
  if (told === undefined || isHidden(told)) return undefined;
  return isLive ? t.live(told.events.length) : t.notLiveNow(told.events.length);
}

interface OlderProps {
  /** How many are held and not shown. */
  readonly more: number;
  /** How many are not even held. */
  readonly cut: number;
  readonly onMore: () => void;
}

function Older({ more, cut, onMore }: OlderProps) {
  if (more === 0 && cut === 0) return null;
  return (
    <p className="border-t px-4 py-2 text-ink-3 text-xs">
      {more > 0 ? (
        <>
          <button type="button" onClick={onMore} className="rounded-sm font-medium text-accent hover:underline print:hidden">
            {t.showOlder(more)}
          </button>
          <span className="hidden print:inline">{t.olderOnesAreNotShown(more)}</span>
        </>
      ) : (
        t.olderOnesAreNotShown(cut)
      )}
    </p>
  );
}
