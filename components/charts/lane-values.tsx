'use client';

import { useZone } from '@/components/ui/time/zone';
import { t } from '@/lib/words/catalogue/console/charts';
import { sayMoment } from '@/lib/words/times';
import type { LanePoint } from './scale-lane';

/** The values of one moment of a lane, beside the pointer or where the keyboard is. */
export function LaneValues({ point }: { readonly point: LanePoint }) {
  const zone = useZone();
  const isKnown = point.lastActual === null && point.lastDesired === null;
  const { band } = point;
  return (
    <div className="rounded-md bg-raised px-2.5 py-1.5 text-ink text-xs shadow-float">
      <p className="text-ink-3">{sayMoment(point.at, zone)}</p>
      {isKnown ? null : <p className="text-warn">{t.lastKnownValues}</p>}
      <dl className="mt-0.5 grid grid-cols-[auto_auto] gap-x-3">
        <dt className="text-ink-3">{t.actual}</dt>
        <dd className="text-right font-medium">{point.actual ?? point.lastActual ?? '–'}</dd>
        <dt className="text-ink-3">{t.desired}</dt>
        <dd className="text-right">{point.desired ?? point.lastDesired ?? '–'}</dd>
        <dt className="text-ink-3">{t.stageBounds}</dt>
        <dd className="text-right">{band === null ? '–' : band[0] === band[1] ? t.exactly(band[0]) : `${band[0]} – ${band[1]}`}</dd>
      </dl>
    </div>
  );
}
