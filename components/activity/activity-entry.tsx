'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { useState } from 'react';
import type { ChangeQuery } from '@/components/ui/data/change-panel';
import { ChangePanel } from '@/components/ui/data/change-panel';
import { CodeView } from '@/components/ui/data/code-view';
import { sentenceOf } from '@/components/ui/data/plan-summary';
import { QueryView } from '@/components/ui/data/query-view';
import { Skeleton } from '@/components/ui/data/skeleton';
import { Dialog } from '@/components/ui/overlay/dialog';
import { ClockTime, Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import { CHANGE_VERDICTS, pageChanges } from '@/lib/contract/change-rows';
import type { ActivityEntry } from '@/lib/contract/pages/activity-query';
import { t } from '@/lib/words/catalogue/console/activity';
import { formatNumber } from '@/lib/words/figures';
import { activityQueries } from './activity-queries';

/** One entry of the record: what was done, what was noted of it, and what the person saw before they did it. */
export function ActivityEntryDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const entry = useQuery(activityQueries.entry(id));
  return (
    <Dialog open wide onOpenChange={(open) => (open ? undefined : onClose())} title={entry.data?.action ?? t.entryOfTheRecord}>
      <QueryView query={entry} awaits={t.readingTheEntry} pending={<Skeleton height="h-40" className="w-full" />}>
        {(data) => <Entry entry={data} />}
      </QueryView>
    </Dialog>
  );
}

function Entry({ entry }: { readonly entry: ActivityEntry }) {
  const { at, actor, kind, name, ns, message, seq, data, shown } = entry;
  const page =
    kind === 'Application' && ns !== null
      ? `/applications/${ns}/${name}`
      : kind === 'RolloutOrchestrator' && ns !== null
        ? `/rollouts/${ns}/${name}`
        : null;
  return (
    <div className="space-y-4">
      <p className="text-pretty wrap-anywhere">
        <Sentence text={message} />
      </p>
      <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-3 gap-y-1 wrap-anywhere">
        <Fact label={t.when}>
          <ClockTime at={at} />
        </Fact>
        <Fact label={t.who}>{actor}</Fact>
        <Fact label={t.on}>
          {kind}{' '}
          {page === null ? (
            name
          ) : (
            <Link href={page} className="text-accent hover:underline">
              {name}
            </Link>
          )}
          {ns === null ? '' : ` ${t.in(ns)}`}
        </Fact>
        <Fact label={t.entry}>{formatNumber(seq)}</Fact>
      </dl>
      {shown === null ? null : <Shown shown={shown} />}
      {data === null ? null : (
        <section aria-labelledby="noted">
          <h3 id="noted" className="mb-1 font-medium">
            {shown === null ? t.whatWasNotedWithWhat : t.whatWasNoted}
          </h3>
          <div className="rounded-md border">
            <CodeView code={JSON.stringify(data, null, 2)} label={t.whatWasNoted} />
          </div>
        </section>
      )}
    </div>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** The preview as it was shown, as far as the reader may see what is in it. */
function Shown({ shown: { by, at, preview } }: { readonly shown: NonNullable<ActivityEntry['shown']> }) {
  const [query, setQuery] = useState<ChangeQuery>({});
  const page = pageChanges(preview.changes, query);
  return (
    <section aria-labelledby="shown" className="space-y-2">
      <h3 id="shown" className="font-medium">
        {rich(t.whatSawAt(by, <ClockTime key="at" at={at} />))}
      </h3>
      <p className="text-ink-2">{sentenceOf(preview)}</p>
      <ChangePanel verdicts={CHANGE_VERDICTS} counted={preview} query={query} onQuery={setQuery} page={page} />
    </section>
  );
}
