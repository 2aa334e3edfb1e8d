'use client';

import { CheckCheck, GitCompareArrows } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { Button, buttonVariants } from '@/components/ui/button';
import { Refusal } from '@/components/ui/data/error-panel';
import type { QueryLike } from '@/components/ui/data/query-view';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { showToast } from '@/components/ui/overlay/toast';
import { EdgePanel } from '@/components/ui/panel';
import { t } from '@/lib/words/catalogue/console/live';
import { Ago } from './ago';
import { useCommand } from './use-command';

/** The plan that was previewed, and the plan of now. */
interface BothPlans<Plan> {
  readonly seen: { readonly by: string | null; readonly at: string | null; readonly preview: Plan | null };
  readonly now: Plan;
}

export interface OutdatedPlanProps<Plans, Request> {
  /** What the change is of. */
  readonly name: string;
  readonly plans: QueryLike<Plans>;
  /** Why the current plan cannot be accepted now. */
  readonly blocked: string | null;
  /** Where the current plan is accepted, and what is sent for it. */
  readonly accept: { readonly url: string; readonly requestOf: (plans: Plans) => Request };
  readonly editHref: string;
  readonly children: (plans: Plans) => ReactNode;
}

/** A change on hold, since it would no longer do what was previewed: both plans, and the act that accepts the current one. */
export function OutdatedPlan<Plans, Request>({
  name,
  plans: moved,
  blocked,
  accept: { url, requestOf },
  editHref,
  children,
}: OutdatedPlanProps<Plans, Request>) {
  const accept = useCommand<Request>(url, () => {
    showToast(t.theCurrentPlanOfIs(name));
  });
  return (
    <EdgePanel labelledBy="moved" tone="warn">
      <div className="py-4 pr-5 pl-6">
        <h2 id="moved" className="flex items-center gap-1.5 font-medium text-warn text-xs">
          <GitCompareArrows size={13} aria-hidden /> {t.changeOnHoldThePlan}
        </h2>
        <p className="mt-1.5 max-w-2xl text-pretty font-medium text-lg leading-6">{t.nothingHasBeenAppliedCompare}</p>
      </div>
      <div className="border-t">
        <QueryView query={moved} awaits={t.computingTheCurrentPlanNothing} pending={<SkeletonRows rows={3} columns={2} />}>
          {(plans) => (
            <>
              {children(plans)}
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
                  pending={accept.isPending ? t.sending : null}
                  onClick={() => accept.send(requestOf(plans))}
                >
                  <CheckCheck size={14} aria-hidden /> {t.applyTheCurrentPlan}
                </Button>
                <Link href={editHref} className={buttonVariants({ look: 'ghost', size: 'md' })}>
                  {t.editAgain}
                </Link>
                <Button size="md" look="ghost" pending={moved.isFetching ? t.computing : null} onClick={() => void moved.refetch()}>
                  {t.computeAgain}
                </Button>
              </div>
            </>
          )}
        </QueryView>
      </div>
    </EdgePanel>
  );
}

interface PlanSidesProps<Plan> {
  readonly plans: BothPlans<Plan>;
  readonly children: (plan: Plan) => ReactNode;
}

/** Both plans beside each other. */
export function PlanSides<Plan>({ plans: { seen, now }, children }: PlanSidesProps<Plan>) {
  return (
    <div className="grid grid-cols-1 divide-y lg:grid-cols-2 lg:divide-x lg:divide-y-0">
      <PlanSide
        label={t.previewed}
        title={
          <>
            {t.previewedOf(seen.by === null ? '' : t.by(seen.by))}
            {seen.at === null ? null : (
              <>
                , <Ago at={seen.at} />
              </>
            )}
          </>
        }
      >
        {seen.preview === null ? <p className="text-ink-2">{t.noLongerKeptOnlyIts}</p> : children(seen.preview)}
      </PlanSide>
      <PlanSide label={t.nowTitle} title={t.nowTitle}>
        {children(now)}
      </PlanSide>
    </div>
  );
}

function PlanSide({ label, title, children }: { readonly label: string; readonly title: ReactNode; readonly children: ReactNode }) {
  return (
    <section aria-label={label} className="min-w-0 space-y-2 px-6 py-3">
      <h3 className="font-medium text-ink-3 text-xs">{title}</h3>
      {children}
    </section>
  );
}
