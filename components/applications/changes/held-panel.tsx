'use client';

import { useQuery } from '@tanstack/react-query';
import { CheckCheck, Lock } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { useApplicationRefusal } from '@/components/live/application-rights';
import type { Staleness } from '@/components/live/staleness';
import { refusalWhileStale } from '@/components/live/staleness';
import { Button, buttonVariants } from '@/components/ui/button';
import { ChangeList } from '@/components/ui/data/change-list';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { EdgePanel } from '@/components/ui/panel';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { WaitingPage } from '@/lib/contract/change-rows';
import { t } from '@/lib/words/catalogue/delivery/changes';
import { changeQueries } from './change-queries';
import { heldCollection } from './held-decision';
import { HeldDialog } from './held-dialog';

const SHOWN = 5;

export interface HeldPanelProps {
  readonly application: ApplicationDetail;
  readonly staleness: Staleness | null;
}

/** What a safety rule keeps from being deleted, and the decision that lets exactly that go. */
export function HeldPanel({ application, staleness }: HeldPanelProps) {
  const { ns, name, generation, message } = application;
  const [deciding, setDeciding] = useState<WaitingPage | null>(null);
  const blocked = useApplicationRefusal(application, 'decide') ?? refusalWhileStale(staleness);
  const waiting = useQuery(changeQueries.waiting(ns, name, {}, `${generation} ${message}`));
  return (
    <EdgePanel labelledBy="held" tone="warn">
      <div className="py-4 pr-5 pl-6">
        <h2 id="held" className="flex items-center gap-1.5 font-medium text-warn text-xs">
          <Lock size={13} aria-hidden /> {t.aDeletionWaitsForA}
        </h2>
        <p className="mt-1.5 max-w-2xl text-pretty font-medium text-lg leading-6">{heldCollection(application)}</p>
      </div>
      <div className="border-t">
        <QueryView query={waiting} awaits={t.readingWhatWouldBeDeleted} pending={<SkeletonRows rows={3} columns={2} />}>
          {(plan) => (
            <>
              <ChangeList label={t.whatWouldBeDeleted} rows={lostOf(plan).slice(0, SHOWN)} />
              <div className="flex flex-wrap items-center gap-2 border-t bg-sunken py-3 pr-5 pl-6">
                <Button size="md" look="warning" blocked={blocked} onClick={() => setDeciding(plan)}>
                  <CheckCheck size={14} aria-hidden /> {t.deleteExactlyThese}
                </Button>
                <Link href={`/applications/${ns}/${name}/preview`} className={buttonVariants({ look: 'ghost', size: 'md' })}>
                  {plan.decision.count > SHOWN ? t.seeAll(plan.decision.count) : t.seeTheWholePlan}
                </Link>
              </div>
            </>
          )}
        </QueryView>
      </div>
      {deciding ? (
        <HeldDialog application={application} plan={deciding} reading={waiting} blocked={blocked} onClose={() => setDeciding(null)} />
      ) : null}
    </EdgePanel>
  );
}

function lostOf(plan: WaitingPage): WaitingPage['rows'] {
  return plan.rows.filter((row) => row.verdict === 'deleted' || row.verdict === 'held');
}
