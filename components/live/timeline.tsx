import { ScrollRegion } from '@/components/ui/scroll-region';
import { Sentence } from '@/components/ui/time/sentence';
import type { TimelineEntry } from '@/lib/contract/rollout-rows';
import { t } from '@/lib/words/catalogue/console/live';
import { Ago } from './ago';
import { newestFirst } from './newest-first';

/** What happened to something, newest first. */
export function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }) {
  if (entries.length === 0) return <p className="px-4 py-6 text-ink-3">{t.noEventsYetEachStep}</p>;
  return (
    <ScrollRegion tag="ol" label={t.timeline} className="max-h-[420px] divide-y">
      {newestFirst(entries).map((entry) => (
        <li
          key={entry.key}
          className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-x-3 px-4 py-1.5 md:grid-cols-[4.5rem_minmax(0,1fr)_auto] print:grid-cols-[12rem_minmax(0,1fr)] md:print:grid-cols-[12rem_minmax(0,1fr)_auto]"
        >
          <span className="text-ink-3 text-xs leading-5">
            <Ago at={entry.at} />
          </span>
          <p className="min-w-0 text-pretty wrap-anywhere">
            <Sentence text={entry.message} />
          </p>
          <p className="col-start-2 text-ink-3 text-xs leading-5 md:col-start-3 md:max-w-60 md:text-right wrap-anywhere">
            {entry.actor}, {entry.action}
          </p>
        </li>
      ))}
    </ScrollRegion>
  );
}
