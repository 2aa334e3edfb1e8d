import Link from 'next/link';
import { cx } from '@/components/ui/cx';
import { ScrollRegion } from '@/components/ui/scroll-region';
import type { HistoryQuery, HistoryWeek } from '@/lib/contract/history/history-rows';
import { t } from '@/lib/words/catalogue/delivery/history';
import { historyHref } from './history-queries';
import type { FigureDefinition } from './history-words';
import { FIGURES, formatWeek } from './history-words';

interface WeeksTableProps {
  readonly weeks: readonly HistoryWeek[];
  readonly query: HistoryQuery;
}

/** The figures of each week as a table, the newest first; each leads to the rollouts that it is made from. */
export function WeeksTable({ weeks, query }: WeeksTableProps) {
  const ns = query.ns === undefined ? {} : { ns: query.ns };
  return (
    <ScrollRegion label={t.figuresByWeek}>
      <table aria-label={t.figuresByWeek} className="w-full text-right text-xs">
        <thead className="text-2xs text-ink-3">
          <tr className="border-b">
            <th scope="col" className="sticky left-0 h-8 bg-panel pr-1.5 pl-4 text-left font-medium sm:px-4">
              {t.weekOf}
            </th>
            {FIGURES.map(({ id, label }) => (
              <th key={id} scope="col" className="h-8 px-1.5 font-medium last:pr-4 sm:whitespace-nowrap sm:px-4">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.toReversed().map(({ week, figures }, at) => (
            <tr key={week} className={cx('border-b last:border-b-0', week === query.week && 'bg-accent-soft')}>
              <th scope="row" className="sticky left-0 h-8 whitespace-nowrap bg-panel pr-1.5 pl-4 text-left font-medium sm:px-4">
                {formatWeek(week)}
                {at === 0 ? <span className="font-normal text-ink-3 max-sm:block">{t.soFar}</span> : null}
              </th>
              {FIGURES.map((figure) => (
                <td key={figure.id} className="h-8 whitespace-nowrap px-1.5 last:pr-4 sm:px-4">
                  <Figure figure={figure} value={figure.pick(figures)} href={hrefOf(figure, { ...ns, week })} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function hrefOf({ show, sort }: FigureDefinition, query: HistoryQuery): string {
  return historyHref({ ...query, ...(show === undefined ? {} : { show }), ...(sort === undefined ? {} : { sort }) });
}

function Figure({ figure, value, href }: { readonly figure: FigureDefinition; readonly value: number | null; readonly href: string }) {
  if (value === null || (value === 0 && figure.id === 'rollouts')) return <span className="text-ink-3">{value === null ? '–' : '0'}</span>;
  return (
    <Link href={href} className="rounded-sm hover:text-accent hover:underline">
      {figure.say(value)}
    </Link>
  );
}
