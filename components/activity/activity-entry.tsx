'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { PlanCounts, ReleasePlanView } from '@/components/releases/edit/release-plan-view';
import type { ChangeQuery } from '@/components/ui/data/change-panel';
import { ChangePanel } from '@/components/ui/data/change-panel';
import { CodeView } from '@/components/ui/data/code-view';
import { sentenceOf } from '@/components/ui/data/plan-summary';
import { QueryView } from '@/components/ui/data/query-view';
import { Skeleton } from '@/components/ui/data/skeleton';
import { Dialog } from '@/components/ui/overlay/dialog';
import { ClockTime, Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { SavePreview } from '@/lib/contract/change-rows';
import { CHANGE_VERDICTS, pageChanges } from '@/lib/contract/change-rows';
import type { ActivityEntry } from '@/lib/contract/pages/activity-query';
import { releaseKindNamed } from '@/lib/contract/release-kind';
import { readString } from '@/lib/kube/fields';
import { t } from '@/lib/words/catalogue/console/activity';
import { formatNumber } from '@/lib/words/figures';
import { activityQueries } from './activity-queries';
import { seenFacts } from './seen-facts';

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
  const [seen, reason, page] = [seenFacts(entry), readString(data, 'reason'), pageOf(entry)];
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
            <Link href={page} className="text-accent underline underline-offset-2">
              {name}
            </Link>
          )}
          {ns === null ? '' : ` ${t.in(ns)}`}
        </Fact>
        {reason === undefined ? null : <Fact label={t.reason}>{reason}</Fact>}
        <Fact label={t.entry}>{formatNumber(seq)}</Fact>
      </dl>
      {seen === null || shown !== null ? null : <Seen title={t.whatSaw(actor)} facts={seen} />}
      {shown === null ? null : <Shown shown={shown} facts={[...shown.consequences, ...(seen ?? [])]} />}
      {data === null ? null : (
        <div>
          <h3 className="mb-1 font-medium">{t.whatWasNoted}</h3>
          <div className="rounded-md border">
            <CodeView code={JSON.stringify(data, null, 2)} label={t.whatWasNoted} />
          </div>
        </div>
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

/** The page of what an entry is about; null where it has none. */
function pageOf({ kind, name, ns }: ActivityEntry): string | null {
  if (ns === null) return null;
  const release = releaseKindNamed(kind);
  if (release !== undefined) return `/releases/${ns}/${release}/${name}`;
  if (kind === 'Application') return `/applications/${ns}/${name}`;
  return kind === 'RolloutOrchestrator' ? `/rollouts/${ns}/${name}` : null;
}

interface SeenProps {
  readonly title: ReactNode;
  readonly facts: readonly string[];
  readonly children?: ReactNode;
}

/** What a person saw before they acted: what their decision says of it, and what was kept of it. */
function Seen({ title, facts, children }: SeenProps) {
  const id = useId();
  const note = facts.length > 0 ? t.comparedAgain : t.namesNothingSeen;
  return (
    <section aria-labelledby={id} className="space-y-2">
      <h3 id={id} className="font-medium">
        {title}
      </h3>
      <ul className="list-disc space-y-0.5 pl-5 text-ink-2 wrap-anywhere empty:hidden">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      {facts.length === 0 && children ? null : <p className="text-ink-3 text-xs">{note}</p>}
      {children}
    </section>
  );
}

interface ShownProps extends Pick<SeenProps, 'facts'> {
  readonly shown: NonNullable<ActivityEntry['shown']>;
}

/** What was shown, as it was kept: what the act was said to do, and the preview as far as the reader may see what is in it. */
function Shown({ shown: { by, at, preview, release }, facts }: ShownProps) {
  return (
    <Seen title={rich(t.whatSawAt(by, <ClockTime key="at" at={at} />))} facts={facts}>
      {preview === null ? null : <Preview preview={preview} />}
      {release === undefined ? null : (
        <>
          <PlanCounts plan={release} />
          <ReleasePlanView plan={release} />
        </>
      )}
    </Seen>
  );
}

function Preview({ preview }: { readonly preview: SavePreview }) {
  const [query, setQuery] = useState<ChangeQuery>({});
  return (
    <>
      <p className="text-ink-2">{sentenceOf(preview)}</p>
      <ChangePanel
        verdicts={CHANGE_VERDICTS}
        counted={preview}
        query={query}
        onQuery={setQuery}
        page={pageChanges(preview.changes, query)}
      />
    </>
  );
}
