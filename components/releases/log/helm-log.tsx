'use client';

import { useQuery } from '@tanstack/react-query';
import { Ago } from '@/components/live/ago';
import { Badge } from '@/components/ui/badge';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { ScrollRegion } from '@/components/ui/scroll-region';
import type { HelmLogView } from '@/lib/contract/release-log';
import { t } from '@/lib/words/catalogue/releases/log';
import type { HelmPlace } from '../release-queries';
import { releaseQueries } from '../release-queries';

type Log = NonNullable<HelmLogView['log']>;

/** What Helm writes while it changes the release, or wrote when it did last. */
export function HelmLog({ place, stored, pace }: HelmPlace) {
  const log = useQuery(releaseQueries.log(place, stored, pace));
  return (
    <QueryView query={log} awaits={t.readingWhatHelmWrote} pending={<SkeletonRows rows={4} columns={2} />}>
      {({ log: found, isElsewhere }) => (found === null ? <NoLog isElsewhere={isElsewhere} /> : <Written log={found} />)}
    </QueryView>
  );
}

function NoLog({ isElsewhere }: { readonly isElsewhere: boolean }) {
  return <p className="px-4 py-6 text-ink-3">{isElsewhere ? t.anotherReplicaRunsHelmAnd : t.helmHasNotChangedThis}</p>;
}

function Written({ log: { command, since, until, lines, earlier } }: { readonly log: Log }) {
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 px-4 py-2">
        <Badge tone={until === null ? 'busy' : 'idle'}>{until === null ? t.running : t.ended}</Badge>
        <span className="font-medium">{t.helm(command)}</span>
        <span className="text-ink-3 text-xs">
          {until === null ? t.started : t.endedInline}
          <Ago at={until ?? since} />
        </span>
      </p>
      {earlier === 0 ? null : <p className="px-4 pb-1 text-ink-3 text-xs">{t.earlierLinesNotKept(earlier)}</p>}
      <ScrollRegion tag="ol" label={t.whatHelmWrote} className="max-h-[420px] border-t py-2 font-mono text-xs leading-[18px]">
        {lines.map(({ at, text, times }) => (
          <li key={`${at} ${text}`} className="flex gap-3 px-4">
            <span className="w-12 shrink-0 text-right text-ink-3 tabular-nums">{secondsAfter(since, at)}</span>
            <span className="min-w-0 whitespace-pre-wrap wrap-anywhere">
              {text}
              {times > 1 ? <span className="text-ink-3"> {t.times(times)}</span> : null}
            </span>
          </li>
        ))}
      </ScrollRegion>
      {lines.length === 0 ? (
        <p className="px-4 pb-4 text-ink-3">{until === null ? t.helmHasWrittenNothingYet : t.helmWroteNothing}</p>
      ) : null}
    </>
  );
}

function secondsAfter(since: string, at: string): string {
  return `+${Math.max(0, Math.round((Date.parse(at) - Date.parse(since)) / 1000))}s`;
}
