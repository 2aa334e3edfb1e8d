import type { ReactNode } from 'react';
import { t } from '@/lib/words/catalogue/delivery/rollouts';

/** With forced colours all lanes have one, and each says which revision it is. */
const REVISION = 'flex items-center gap-1.5 forced-colors:hidden';

/** What each line of the chart is. Colour says which revision: the new one in the accent, the old one grey. */
export function ChartLegend({ isCut }: { readonly isCut: boolean }) {
  return (
    <ul aria-label={t.linesOfTheChart} className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b px-4 py-1.5 text-2xs text-ink-3">
      <LegendItem label={t.stageBounds}>
        <rect y="2" width="16" height="8" rx="1" fill="currentColor" opacity=".25" />
      </LegendItem>
      <LegendItem label={t.ownBounds}>
        <path d="M0 6h16" stroke="currentColor" strokeDasharray="1 3" />
      </LegendItem>
      <LegendItem label={t.desired}>
        <path d="M0 6h16" stroke="currentColor" strokeWidth="1" opacity=".65" />
      </LegendItem>
      <LegendItem label={t.actual}>
        <path d="M0 6h16" stroke="currentColor" strokeWidth="2.5" />
      </LegendItem>
      <LegendItem label={t.decision}>
        <path d="M8 0v12" stroke="currentColor" strokeWidth="1" opacity=".5" />
      </LegendItem>
      {isCut ? (
        <LegendItem label={t.lastKnown}>
          <path d="M0 6h16" stroke="currentColor" strokeWidth="2" strokeDasharray="5 3" />
        </LegendItem>
      ) : null}
      <li className={REVISION}>
        <span aria-hidden className="size-2 rounded-full bg-accent" /> {t.newRevision}
      </li>
      <li className={REVISION}>
        <span aria-hidden className="size-2 rounded-full bg-ink-3" /> {t.oldRevision}
      </li>
    </ul>
  );
}

function LegendItem({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <li className="flex items-center gap-1.5">
      <svg aria-hidden="true" width="16" height="12" className="text-ink-2">
        {children}
      </svg>
      {label}
    </li>
  );
}
