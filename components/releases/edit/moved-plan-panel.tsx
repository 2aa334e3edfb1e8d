'use client';

import { useQuery } from '@tanstack/react-query';
import { CheckCheck, FileDiff } from 'lucide-react';
import Link from 'next/link';
import { Ago } from '@/components/live/ago';
import type { Staleness } from '@/components/live/staleness';
import { refusalWhileStale } from '@/components/live/staleness';
import { useCommand } from '@/components/live/use-command';
import { Button, buttonLook } from '@/components/ui/button';
import { Refusal } from '@/components/ui/data/error-panel';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { showToast } from '@/components/ui/overlay/toast';
import type { AcceptReleasePlan, MovedReleasePlan, PlanPart, ReleasePlan } from '@/lib/contract/release-edit';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import { sayList } from '@/lib/words/figures';
import type { ReleasePlace } from '../release-queries';
import { releasePath, releaseQueries } from '../release-queries';
import { PlanCounts, ReleasePlanView } from './release-plan-view';

const PART_WORD: Readonly<Record<PlanPart, string>> = {
  chart: 'the chart',
  values: 'the values',
  stored: 'the newest stored revision',
  helm: 'the version of Helm',
  account: 'the service account',
  objects: 'which objects are created or deleted',
};

interface MovedPlanPanelProps {
  readonly release: ReleaseDetail;
  readonly place: ReleasePlace;
  readonly staleness: Staleness | null;
}

/** A change that waits since what it would do is not what was previewed: both plans beside each other, and the act that accepts the present one. */
export function MovedPlanPanel({ release, place, staleness }: MovedPlanPanelProps) {
  const moved = useQuery(releaseQueries.moved(place, `${release.generation} ${release.planMoved}`));
  const blocked = useQuery(releaseQueries.rights(place)).data?.edit ?? refusalWhileStale(staleness);
  const accept = useCommand<AcceptReleasePlan>(`${releasePath(place)}/accept-plan`, () => {
    showToast(`What the change of ${place.name} would do now is accepted, and on record. It is compared once more before anything is run.`);
  });
  return (
    <section aria-labelledby="moved" className="relative overflow-hidden rounded-lg border bg-panel shadow-panel">
      <span aria-hidden="true" className="absolute inset-y-0 left-0 w-[3px] bg-warn" />
      <div className="py-4 pr-5 pl-6">
        <h2 id="moved" className="flex items-center gap-1.5 font-medium text-warn text-xs">
          <FileDiff size={13} aria-hidden /> A change waits: it would no longer do what was previewed
        </h2>
        <p className="mt-1.5 max-w-2xl text-pretty font-medium text-lg leading-6">
          Nothing was run. Compare what was previewed with what it would do now, and decide.
        </p>
      </div>
      <div className="border-t">
        <QueryView query={moved} awaits="Helm renders what it would do now. Nothing is released." pending={<SkeletonRows rows={3} columns={2} />}>
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
                  onClick={() => accept.send({ kind: place.kind, uid: plans.uid, generation: plans.generation, plan: plans.now.plan })}
                >
                  <CheckCheck size={14} aria-hidden /> Apply what it would be now
                </Button>
                <Link href={`/releases/${place.ns}/${place.kind}/${place.name}/edit`} className={buttonLook({ look: 'ghost', size: 'md' })}>
                  Edit it again
                </Link>
                <Button size="md" look="ghost" pending={moved.isFetching ? 'Rendering…' : null} onClick={() => void moved.refetch()}>
                  Render again
                </Button>
              </div>
            </>
          )}
        </QueryView>
      </div>
    </section>
  );
}

function BothPlans({ plans: { seen, now, moved } }: { readonly plans: MovedReleasePlan }) {
  return (
    <>
      {moved.length === 0 ? null : <p className="px-6 pt-3 text-ink-2">{`What moved: ${sayList(moved.map((part) => PART_WORD[part]))}.`}</p>}
      <div className="grid grid-cols-1 divide-y lg:grid-cols-2 lg:divide-x lg:divide-y-0">
        <PlanSide
          label="Previewed"
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
          plan={seen.preview}
        />
        <PlanSide label="Now" title="Now" plan={now} />
      </div>
    </>
  );
}

interface PlanSideProps {
  readonly label: string;
  readonly title: React.ReactNode;
  readonly plan: ReleasePlan | null;
}

function PlanSide({ label, title, plan }: PlanSideProps) {
  return (
    <section aria-label={label} className="min-w-0 space-y-2 px-6 py-3">
      <h3 className="font-medium text-ink-3 text-xs">{title}</h3>
      {plan === null ? (
        <p className="text-ink-2">No longer kept; only its digest is known. Read all of what it would do now before you accept it.</p>
      ) : (
        <>
          <PlanCounts plan={plan} />
          <ReleasePlanView plan={plan} />
        </>
      )}
    </section>
  );
}
