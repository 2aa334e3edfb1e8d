'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { WeekBars } from '@/components/charts/week-bars';
import { formatWithin } from '@/components/live/filters/nothing-within';
import { QueryView } from '@/components/ui/data/query-view';
import { Skeleton } from '@/components/ui/data/skeleton';
import { Panel } from '@/components/ui/panel';
import { ClockTime } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { RolloutHistory } from '@/lib/contract/history/history-rows';
import { t } from '@/lib/words/catalogue/console/history';
import { historyHref, historyRead } from './history-queries';
import type { FigureDefinition } from './history-words';
import { FIGURES, formatWeek } from './history-words';

/** The last weeks in figures, each leading to the rollouts that it is made from. */
export function WeeksPanel() {
  const history = useQuery(historyRead({}));
  return (
    <Panel
      title={t.last8Weeks}
      note={formatWithin(t.fromTheRecord, history.data?.within)}
      actions={
        <Link href="/rollouts/history" className="rounded-sm font-medium text-accent text-xs hover:underline">
          {t.allRolloutsOnRecord}
        </Link>
      }
    >
      <QueryView
        query={history}
        awaits={t.readingTheLastWeeks}
        pending={<Skeleton height="h-20" className="m-4" />}
        isEmpty={({ all }) => all.started === 0}
        empty={<p className="px-4 py-3 text-ink-3">{history.data?.within ? t.noneThatYouMaySeeBegan : t.noRolloutBegan}</p>}
      >
        {(data) => <Weeks history={data} />}
      </QueryView>
    </Panel>
  );
}

function Weeks({ history }: { readonly history: RolloutHistory }) {
  return (
    <>
      <ul className="grid grid-cols-2 gap-px bg-line md:grid-cols-3 xl:grid-cols-5">
        {FIGURES.map((figure) => (
          <FigureTile key={figure.id} figure={figure} history={history} />
        ))}
        {/* The last place of rows that are not full. */}
        <li aria-hidden className="bg-panel xl:hidden" />
      </ul>
      <Definitions history={history} />
    </>
  );
}

function FigureTile({ figure, history }: { readonly figure: FigureDefinition; readonly history: RolloutHistory }) {
  const { label, pick, say, formatBase, show, sort, full } = figure;
  const value = pick(history.all);
  const bars = history.weeks.map(({ week, figures }) => {
    const its = pick(figures);
    return { key: week, value: its, said: t.weekAndValue(formatWeek(week), its === null ? t.none : say(its)) };
  });
  return (
    <li className="relative bg-panel px-4 py-3 hover:bg-hover has-[a:focus-visible]:bg-hover">
      <Link
        href={historyHref({ ...(show === undefined ? {} : { show }), ...(sort === undefined ? {} : { sort }) })}
        className="rounded-sm text-ink-2 text-xs after:absolute after:inset-0"
      >
        {label}
      </Link>
      <p className="mt-0.5 font-semibold text-xl">{value === null ? <span className="text-ink-3">–</span> : say(value)}</p>
      <p className="mb-2 text-ink-3 text-xs">{formatBase(history.all)}</p>
      <WeekBars label={t.byWeekOf(label)} bars={bars} {...(full === undefined ? {} : { full })} />
    </li>
  );
}

/** What each figure counts, so that nobody has to guess. */
export function Definitions({ history: { since, isWhole } }: { readonly history: Pick<RolloutHistory, 'since' | 'isWhole'> }) {
  return (
    <details className="border-t px-4 py-2 text-ink-3 text-xs">
      <summary className="cursor-pointer rounded-sm hover:text-ink">{t.howTheseAreCounted}</summary>
      <dl className="mt-2 grid gap-x-6 gap-y-2 pb-1 md:grid-cols-2">
        {FIGURES.map(({ id, label, means }) => (
          <div key={id}>
            <dt className="font-medium text-ink-2">{label}</dt>
            <dd className="text-pretty">{means}</dd>
          </div>
        ))}
        <div>
          <dt className="font-medium text-ink-2">{t.weeks}</dt>
          <dd className="text-pretty">
            {t.aWeekBegins}
            {isWhole ? null : rich(t.figuresBegin(<ClockTime at={since} />))}
          </dd>
        </div>
      </dl>
    </details>
  );
}
