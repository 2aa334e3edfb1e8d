'use client';

import { useQuery } from '@tanstack/react-query';
import { OutdatedPlan, PlanSides } from '@/components/live/outdated-plan';
import type { Staleness } from '@/components/live/staleness';
import { refusalWhileStale } from '@/components/live/staleness';
import type { AcceptReleasePlan, MovedReleasePlan, PlanPart } from '@/lib/contract/release-edit';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/edit';
import { formatList } from '@/lib/words/figures';
import type { ReleasePlace } from '../release-queries';
import { releasePath, releaseQueries } from '../release-queries';
import { PlanCounts, ReleasePlanView } from './release-plan-view';

const PART_WORD: Readonly<Record<PlanPart, string>> = {
  chart: t.theChart,
  values: t.theValues,
  stored: t.theNewestStoredRevision,
  helm: t.theVersionOfHelm,
  account: t.theServiceAccount,
  objects: t.whichObjectsAreCreatedOr,
};

interface OutdatedPlanPanelProps {
  readonly release: ReleaseDetail;
  readonly place: ReleasePlace;
  readonly staleness: Staleness | null;
}

/** A change of a release on hold, since its plan has moved: what moved, and both plans object by object. */
export function OutdatedPlanPanel({ release, place, staleness }: OutdatedPlanPanelProps) {
  const plans = useQuery(releaseQueries.moved(place, `${release.generation} ${release.outdatedPlan}`));
  const blocked = useQuery(releaseQueries.rights(place)).data?.edit ?? refusalWhileStale(staleness);
  const requestOf = ({ uid, generation, now }: MovedReleasePlan): AcceptReleasePlan => ({
    kind: place.kind,
    uid,
    generation,
    plan: now.plan,
  });
  return (
    <OutdatedPlan
      name={place.name}
      plans={plans}
      blocked={blocked}
      accept={{ url: `${releasePath(place)}/accept-plan`, requestOf }}
      editHref={`/releases/${place.ns}/${place.kind}/${place.name}/edit`}
    >
      {(both) => (
        <>
          {both.moved.length === 0 ? null : (
            <p className="px-6 pt-3 text-ink-2">{t.whatMoved(formatList(both.moved.map((part) => PART_WORD[part])))}</p>
          )}
          <PlanSides plans={both}>
            {(plan) => (
              <>
                <PlanCounts plan={plan} />
                <ReleasePlanView plan={plan} />
              </>
            )}
          </PlanSides>
        </>
      )}
    </OutdatedPlan>
  );
}
