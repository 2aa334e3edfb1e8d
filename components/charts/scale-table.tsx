'use client';

import { InsideTarget } from '@/components/ui/time/exact-time';
import { ClockTime } from '@/components/ui/time/sentence';
import type { ScaleSample } from '@/lib/contract/rollout-rows';
import { t } from '@/lib/words/catalogue/console/charts';

/** The same figures as the chart, as a table to read and to copy; the newest first. */
export function ScaleTable({ label, samples }: { readonly label: string; readonly samples: readonly ScaleSample[] }) {
  return (
    <div className="max-h-40 overflow-y-auto">
      <table aria-label={label} className="w-full text-right text-xs">
        <thead className="sticky top-0 bg-panel text-2xs text-ink-3">
          <tr>
            {[t.time, t.stageMin, t.stageMax, t.desired, t.actual].map((head) => (
              <th key={head} scope="col" className="h-6 px-2 font-medium first:text-left">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {samples.toReversed().map((sample) => (
            <tr key={sample.at}>
              <td className="h-6 px-2 text-left text-ink-3">
                <InsideTarget value>
                  <ClockTime at={sample.at} />
                </InsideTarget>
              </td>
              <td className="px-2">{sample.stageMin ?? '–'}</td>
              <td className="px-2">{sample.stageMax ?? '–'}</td>
              <td className="px-2">{sample.desired ?? '–'}</td>
              <td className="px-2 font-medium">{sample.actual ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
