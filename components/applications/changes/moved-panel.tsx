'use client';

import { useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { useApplicationRefusal } from '@/components/live/application-rights';
import { OutdatedPlan, PlanSides } from '@/components/live/outdated-plan';
import type { Staleness } from '@/components/live/staleness';
import { refusalWhileStale } from '@/components/live/staleness';
import { Verdict } from '@/components/ui/data/change-list';
import { sentenceOf, VerdictCounts } from '@/components/ui/data/plan-summary';
import { Sentence } from '@/components/ui/time/sentence';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { OutdatedPlan as MovedPlans, SavePreview } from '@/lib/contract/change-rows';
import { bareDigest } from '@/lib/contract/change-rows';
import type { AcceptRequest } from '@/lib/contract/requests';
import { t } from '@/lib/words/catalogue/delivery/changes';
import { changeQueries } from './change-queries';
import type { MovedRow } from './moved-rows';
import { movedChange, movedRows } from './moved-rows';

const SHOWN = 50;

export interface MovedPanelProps {
  readonly application: ApplicationDetail;
  readonly staleness: Staleness | null;
}

/** A change of an application on hold, since its plan has moved: both plans, and the objects in which they differ. */
export function MovedPanel({ application, staleness }: MovedPanelProps) {
  const { ns, name, uid, generation } = application;
  const plans = useQuery(changeQueries.moved(ns, name, `${generation} ${movedChange(application)}`));
  const blocked = useApplicationRefusal(application, 'change') ?? refusalWhileStale(staleness);
  const requestOf = ({ now }: MovedPlans): AcceptRequest => ({ uid, generation, plan: now.plan });
  return (
    <OutdatedPlan
      name={name}
      plans={plans}
      blocked={blocked}
      accept={{ url: `/api/v1/namespaces/${ns}/applications/${name}/accept-plan`, requestOf }}
      editHref={`/applications/${ns}/${name}/edit`}
    >
      {(both) => (
        <>
          <PlanSides plans={both}>{(plan) => <Plan plan={plan} />}</PlanSides>
          {both.seen.preview === null ? null : <Differing rows={movedRows(both.seen.preview, both.now)} />}
        </>
      )}
    </OutdatedPlan>
  );
}

function Plan({ plan }: { readonly plan: SavePreview }) {
  return (
    <>
      <p className="text-ink-2">{sentenceOf(plan)}</p>
      <VerdictCounts counts={plan.counts} />
      {plan.refused ? (
        <p className="text-warn text-xs">
          <Sentence text={plan.refused} />
        </p>
      ) : null}
      <p className="break-all font-mono text-ink-3 text-xs">{bareDigest(plan.plan)}</p>
    </>
  );
}

function Differing({ rows }: { readonly rows: readonly MovedRow[] }) {
  return (
    <div className="border-t px-6 py-3">
      <h3 className="mb-1 font-medium text-ink-3 text-xs">{t.whatDiffers}</h3>
      {rows.length === 0 ? (
        <p className="text-ink-2">{t.sameObjectsAndVerdictsOther}</p>
      ) : (
        <ul aria-label={t.whatDiffersBetweenBothPlans} className="divide-y">
          {rows.slice(0, SHOWN).map((row) => (
            <DifferingRow key={row.key} row={row} />
          ))}
        </ul>
      )}
      {rows.length > SHOWN ? <p className="text-ink-3 text-xs">{t.moreDiffer(rows.length - SHOWN)}</p> : null}
    </div>
  );
}

/** What is another thing now; where the verdicts are, they stand beside it. */
function formatDifference(seen: MovedRow['seen'], now: MovedRow['now']): string {
  if (now === null) return t.itWasInThePreviewed;
  if (seen === null || seen.verdict !== now.verdict) return now.why;
  return seen.uid === now.uid ? t.otherFieldsWouldBeWritten(now.why) : t.itWasDeletedAndCreated(now.why);
}

function DifferingRow({ row: { kind, name, ns, seen, now } }: { readonly row: MovedRow }) {
  return (
    <li className="grid grid-cols-1 gap-x-4 gap-y-0.5 py-2 sm:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <p className="wrap-anywhere">
          <span className="text-ink-3">{kind}</span> <span className="font-medium">{name}</span>
          {ns ? <span className="text-ink-3"> {t.in(ns)}</span> : null}
        </p>
        <p className="text-ink-3 text-xs wrap-anywhere">{formatDifference(seen, now)}</p>
      </div>
      <p className="flex flex-wrap items-center gap-2">
        {seen === null ? <span className="text-ink-3">{t.notInIt}</span> : <Verdict verdict={seen.verdict} />}
        <ArrowRight size={13} aria-label={t.now} className="text-ink-3" />
        {now === null ? <span className="text-ink-3">{t.notInIt}</span> : <Verdict verdict={now.verdict} />}
      </p>
    </li>
  );
}
