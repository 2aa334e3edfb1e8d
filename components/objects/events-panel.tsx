'use client';

import { useId, useState } from 'react';
import { useChoices } from '@/components/live/address/choices';
import { useStaleness } from '@/components/live/staleness';
import { Empty } from '@/components/ui/data/empty';
import { Refusal } from '@/components/ui/data/error-panel';
import { Awaiting } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { CheckBox } from '@/components/ui/form/check-box';
import { Panel } from '@/components/ui/panel';
import type { ObjectPage } from '@/lib/contract/object-address';
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
}

/** What happened to an object and to what it owns, newest first and as it happens. */
export function EventsPanel({ at, kind, first = 10 }: EventsPanelProps) {
  const { told, refusal, isLive: isHeard } = useObjectEvents(objectUrl(at, 'events', { watch: 'true' }));
  const isLive = useStaleness(undefined) === null && isHeard;
  const warningsId = useId();
  const { chosen, choose } = useChoices();
  const warnings = chosen.get('events') === 'warnings';
  const [all, setAll] = useState(false);
  const wanted = (told?.events ?? []).filter(({ type }) => !warnings || type === 'Warning');
  const shown = all ? wanted : wanted.slice(0, first);
  return (
    <Panel
      title={t.events}
      note={told === undefined ? undefined : isLive ? t.live(told.events.length) : t.notLiveNow(told.events.length)}
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
      ) : (
        <>
          {told.left.map((sentence) => (
            <p key={sentence} className="border-b px-4 py-2 text-warn text-xs">
              {sentence}
            </p>
          ))}
          {shown.length === 0 ? (
            <Empty title={warnings ? t.noWarnings : t.noEvents}>{t.kubernetesKeepsThemForAn}</Empty>
          ) : (
            <EventList events={shown} of={{ kind, name: at.name }} />
          )}
          {wanted.length > shown.length || told.cut > 0 ? (
            <p className="border-t px-4 py-2 text-ink-3 text-xs">
              {wanted.length > shown.length ? (
                <>
                  <button
                    type="button"
                    onClick={() => setAll(true)}
                    className="rounded-sm font-medium text-accent hover:underline print:hidden"
                  >
                    {t.showOlder(wanted.length - shown.length)}
                  </button>
                  <span className="hidden print:inline">{t.olderOnesAreNotShown(wanted.length - shown.length)}</span>
                </>
              ) : (
                t.olderOnesAreNotShown(told.cut)
              )}
            </p>
          ) : null}
        </>
      )}
    </Panel>
  );
}
