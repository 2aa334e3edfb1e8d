'use client';

import { useZone } from '@/components/ui/time/zone';
import { t } from '@/lib/words/catalogue/console/charts';
import { formatMoment } from '@/lib/words/times';
import type { LanePoint } from './scale-lane';

/** The values of one moment of a lane, beside the pointer or where the keyboard is. */
export function LaneValues({ point }: { readonly point: LanePoint }) {
  const zone = useZone();
  const isKnown = point.lastActual === null && point.lastDesired === null;
  const { band } = point;
  const actual = point.actual ?? point.lastActual;
  const desired = point.desired ?? point.lastDesired;
  return (
    <div className="rounded-md bg-raised px-2.5 py-1.5 text-ink text-xs shadow-float">
      <p className="text-ink-3">{formatMoment(point.at, zone)}</p>
      {isKnown ? null : <p className="text-warn">{t.lastKnownValues}</p>}
      {actual === null && desired === null && band === null ? (
        <p>{t.noValues}</p>
      ) : (
        <dl className="mt-0.5 grid grid-cols-[auto_auto] gap-x-3">
          <dt className="text-ink-3">{t.actual}</dt>
          <dd className="text-right font-medium">{actual ?? '–'}</dd>
          <dt className="text-ink-3">{t.desired}</dt>
          <dd className="text-right">{desired ?? '–'}</dd>
          <dt className="text-ink-3">{t.stageBounds}</dt>
          <dd className="text-right">{band === null ? '–' : band[0] === band[1] ? t.exactly(band[0]) : `${band[0]} – ${band[1]}`}</dd>
        </dl>
      )}
    </div>
  );
}
