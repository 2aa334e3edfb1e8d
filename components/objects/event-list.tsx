import { TriangleAlert } from 'lucide-react';
import Link from 'next/link';
import { Ago } from '@/components/live/ago';
import { cx } from '@/components/ui/cx';
import { InsideTarget } from '@/components/ui/time/exact-time';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import { objectHref } from '@/lib/contract/object-address';
import type { ObjectEvent } from '@/lib/contract/object-rows';
import { t } from '@/lib/words/catalogue/objects/objects';
import { formatTimes } from '@/lib/words/format-object';

export interface EventListProps {
  readonly events: readonly ObjectEvent[];
  /** The object whose own events do not name it. */
  readonly of?: { readonly kind: string; readonly name: string };
  readonly className?: string;
}

/** Events, newest first: what happened, to what, how often and since when. */
export function EventList({ events, of, className = 'px-4' }: EventListProps) {
  return (
    <ol aria-label={t.events} className="@container divide-y">
      {events.map((event) => (
        <li key={event.key} className={cx('py-2', className)}>
          <div className="flex items-baseline gap-x-2">
            <p className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
              <span className={cx('inline-flex items-baseline gap-1 font-medium', event.type === 'Warning' && 'text-warn')}>
                {event.type === 'Warning' ? <TriangleAlert size={12} aria-hidden className="self-center" /> : null}
                {event.type === 'Warning' ? <span className="sr-only">{t.warning} </span> : null}
                {event.reason}
              </span>
              {isNamed(event, of) ? <Subject about={event.about} /> : null}
              {event.count > 1 ? (
                <span className="text-ink-3 text-xs">
                  {rich(t.since(formatTimes(event.count), <Ago at={event.since} />, event.series ? t.stillCounted : ''))}
                </span>
              ) : null}
            </p>
            <span className="shrink-0 text-ink-3 text-xs">
              {event.by ? <span className="mr-2 hidden @lg:inline">{event.by}</span> : null}
              <InsideTarget value={isNamed(event, of)}>
                <Ago at={event.at} />
              </InsideTarget>
            </span>
          </div>
          <p className="text-ink-2 wrap-anywhere">
            <Sentence text={event.message} />
          </p>
        </li>
      ))}
    </ol>
  );
}

/** Whether an event names what it is about; the exact time is then shown where that has the focus. */
function isNamed({ about }: ObjectEvent, of: EventListProps['of']): boolean {
  return about.kind !== '' && (about.kind !== of?.kind || about.name !== of.name);
}

function Subject({ about }: { readonly about: ObjectEvent['about'] }) {
  return (
    <Link href={objectHref(about)} className="min-w-0 rounded-sm text-ink-3 text-xs wrap-anywhere hover:text-ink hover:underline">
      {about.kind} {about.name}
    </Link>
  );
}
