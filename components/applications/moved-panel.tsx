'use client';

import { useQuery } from '@tanstack/react-query';
import { ArrowRight, CheckCheck, GitCompareArrows } from 'lucide-react';
import Link from 'next/link';
import { Ago } from '@/components/live/ago';
import type { Staleness } from '@/components/live/staleness';
import { refusalWhileStale } from '@/components/live/staleness';
import { useCommand } from '@/components/live/use-command';
import { Button, buttonLook } from '@/components/ui/button';
import { Verdict } from '@/components/ui/data/change-list';
import { Refusal } from '@/components/ui/data/error-panel';
import { sentenceOf, VerdictCounts } from '@/components/ui/data/plan-summary';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { showToast } from '@/components/ui/overlay/toast';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { MovedPlan, SavePreview } from '@/lib/contract/change-rows';
import { bareDigest } from '@/lib/contract/change-rows';
import type { AcceptRequest } from '@/lib/contract/requests';
import { useApplicationRefusal } from './application-rights';
import { editorQueries } from './editor-queries';
import type { MovedRow } from './moved-rows';
import { movedChange, movedRows } from './moved-rows';

const SHOWN = 50;

export interface MovedPanelProps {
  readonly application: ApplicationDetail;
  readonly staleness: Staleness | null;
}

/** A change that waits since reality moved: what was seen beside what it would do now, and the act that accepts the latter. */
export function MovedPanel({ application, staleness }: MovedPanelProps) {
  const { ns, name, uid, generation } = application;
  const why = movedChange(application);
  const moved = useQuery(editorQueries.moved(ns, name, `${generation} ${why}`));
  const blocked = useApplicationRefusal(application, 'change') ?? refusalWhileStale(staleness);
  const accept = useCommand<AcceptRequest>(`/api/v1/namespaces/${ns}/applications/${name}/accept-plan`, () => {
    showToast(`The plan of ${name} as it is now is accepted, and on record. It is compared once more before anything is applied.`);
  });
  return (
    <section aria-labelledby="moved" className="relative overflow-hidden rounded-lg border bg-panel shadow-panel">
      <span aria-hidden="true" className="absolute inset-y-0 left-0 w-[3px] bg-warn" />
      <div className="py-4 pr-5 pl-6">
        <h2 id="moved" className="flex items-center gap-1.5 font-medium text-warn text-xs">
          <GitCompareArrows size={13} aria-hidden /> A change is on hold: it would no longer do what was previewed
        </h2>
        <p className="mt-1.5 max-w-2xl text-pretty font-medium text-lg leading-6">
          Nothing has been applied. Compare the plan that was previewed with the plan as it is now, and decide.
        </p>
      </div>
      <div className="border-t">
        <QueryView query={moved} awaits="Computing the plan as it is now." pending={<SkeletonRows rows={3} columns={2} />}>
          {(plans) => (
            <>
              <BothPlans plans={plans} />
              {accept.refusal ? (
                <div className="border-t px-6 py-3">
                  <Refusal sentence={accept.refusal} />
                </div>
              ) : null}
              <div className="flex flex-wrap items-center gap-2 border-t bg-sunken py-3 pr-5 pl-6">
                <Button
                  size="md"
                  look="warning"
                  blocked={blocked}
                  pending={accept.isPending ? 'Sending…' : null}
                  onClick={() => accept.send({ uid, generation, plan: plans.now.plan })}
                >
                  <CheckCheck size={14} aria-hidden /> Apply the plan as it is now
                </Button>
                <Link href={`/applications/${ns}/${name}/edit`} className={buttonLook({ look: 'ghost', size: 'md' })}>
                  Edit the application
                </Link>
                <Button size="md" look="ghost" pending={moved.isFetching ? 'Computing…' : null} onClick={() => void moved.refetch()}>
                  Compute again
                </Button>
              </div>
            </>
          )}
        </QueryView>
      </div>
    </section>
  );
}

function BothPlans({ plans: { seen, now } }: { readonly plans: MovedPlan }) {
  const rows = seen.preview === null ? [] : movedRows(seen.preview, now);
  return (
    <>
      <div className="grid grid-cols-1 divide-y sm:grid-cols-2 sm:divide-x sm:divide-y-0">
        <PlanSide
          title={
            <>
              Previewed{seen.by === null ? '' : ` by ${seen.by}`}
              {seen.at === null ? null : (
                <>
                  , <Ago at={seen.at} />
                </>
              )}
            </>
          }
          preview={seen.preview}
        />
        <PlanSide title="Now" preview={now} />
      </div>
      <div className="border-t px-6 py-3">
        <h3 className="mb-1 font-medium text-ink-3 text-xs">What differs</h3>
        {rows.length === 0 ? (
          <p className="text-ink-2">{whyNoRows(seen.preview)}</p>
        ) : (
          <ul aria-label="What differs between both plans" className="divide-y">
            {rows.slice(0, SHOWN).map((row) => (
              <DifferingRow key={row.key} row={row} />
            ))}
          </ul>
        )}
        {rows.length > SHOWN ? <p className="text-ink-3 text-xs">{rows.length - SHOWN} more differ.</p> : null}
      </div>
    </>
  );
}

function whyNoRows(seen: SavePreview | null): string {
  return seen === null
    ? 'The previewed plan is no longer kept; only its digest is known. Read the whole plan as it is now before you accept it.'
    : 'The same objects with the same verdicts: other fields of them would be written, or the difference lies in what you may not see.';
}

function PlanSide({ title, preview }: { readonly title: React.ReactNode; readonly preview: SavePreview | null }) {
  return (
    <div className="min-w-0 space-y-1.5 px-6 py-3">
      <h3 className="font-medium text-ink-3 text-xs">{title}</h3>
      {preview === null ? (
        <p className="text-ink-2">No longer kept.</p>
      ) : (
        <>
          <p className="text-ink-2">{sentenceOf(preview)}</p>
          <VerdictCounts counts={preview.counts} />
          {preview.refused ? <p className="text-warn text-xs">{preview.refused}</p> : null}
          <p className="break-all font-mono text-ink-3 text-xs">{bareDigest(preview.plan)}</p>
        </>
      )}
    </div>
  );
}

/** What is another thing now; where the verdicts are, they stand beside it. */
function sayDifference(seen: MovedRow['seen'], now: MovedRow['now']): string {
  if (now === null) return 'it was in the plan that was seen, and is not in what would be done now';
  if (seen === null || seen.verdict !== now.verdict) return now.why;
  return seen.uid === now.uid ? `${now.why}; other fields of it would be written` : `${now.why}; it is another object of the same name, made after the preview`;
}

function DifferingRow({ row: { kind, name, ns, seen, now } }: { readonly row: MovedRow }) {
  return (
    <li className="grid grid-cols-1 gap-x-4 gap-y-0.5 py-2 sm:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <p className="wrap-anywhere">
          <span className="text-ink-3">{kind}</span> <span className="font-medium">{name}</span>
          {ns ? <span className="text-ink-3"> in {ns}</span> : null}
        </p>
        <p className="text-ink-3 text-xs wrap-anywhere">{sayDifference(seen, now)}</p>
      </div>
      <p className="flex flex-wrap items-center gap-2">
        {seen === null ? <span className="text-ink-3">not in it</span> : <Verdict verdict={seen.verdict} />}
        <ArrowRight size={13} aria-label="now" className="text-ink-3" />
        {now === null ? <span className="text-ink-3">not in it</span> : <Verdict verdict={now.verdict} />}
      </p>
    </li>
  );
}
