import type { HistoryFigures, HistoryShown, PastAttempt } from '@/lib/contract/history/history-rows';
import { formatDuration } from '@/lib/std/duration';
import { t } from '@/lib/words/catalogue/console/history';
import { formatNumber, formatPercent } from '@/lib/words/figures';
import { formatDay } from '@/lib/words/times';

/** One of the figures of the last weeks: how it is told, what it means, and what it is made from. */
export interface FigureDefinition {
  readonly id: string;
  readonly label: string;
  /** What is counted, as the definition on the page. */
  readonly means: string;
  readonly pick: (figures: HistoryFigures) => number | null;
  readonly say: (value: number) => string;
  /** What the value rests on: `of 12 that ended`. */
  readonly formatBase: (figures: HistoryFigures) => string;
  readonly show?: HistoryShown;
  readonly sort?: 'lead' | 'waited' | 'back';
  /** The value of a full bar. */
  readonly full?: number;
}

/** Share of those that ended by themselves: what was replaced by a newer target neither succeeded nor failed. */
function succeededOf({ completed, aborted }: HistoryFigures): number | null {
  return completed + aborted === 0 ? null : Math.round((1000 * completed) / (completed + aborted)) / 10;
}

/** The figures in the order of the page. */
export const FIGURES: readonly FigureDefinition[] = [
  {
    id: 'rollouts',
    label: t.rollouts,
    means: t.rolloutsMeans,
    pick: ({ started }) => started,
    say: formatNumber,
    formatBase: ({ underWay }) => t.inProgressCount(underWay),
  },
  {
    id: 'succeeded',
    label: t.succeeded,
    means: t.succeededMeans,
    pick: succeededOf,
    say: formatPercent,
    formatBase: ({ completed, aborted }) => t.completedAborted(completed, aborted),
    show: 'aborted',
    full: 100,
  },
  {
    id: 'lead',
    label: t.leadTime,
    means: t.leadTimeMeans,
    pick: ({ leadMs }) => leadMs,
    say: formatDuration,
    formatBase: ({ completed }) => t.medianOf(completed),
    show: 'completed',
    sort: 'lead',
  },
  {
    id: 'back',
    label: t.timeToRollBack,
    means: t.timeToRollBackMeans,
    pick: ({ backMs }) => backMs,
    say: formatDuration,
    formatBase: ({ returned }) => (returned === 0 ? t.noneWentBack : t.medianOf(returned)),
    show: 'returned',
    sort: 'back',
  },
  {
    id: 'waited',
    label: t.waitingForPeople,
    means: t.waitingForPeopleMeans,
    pick: ({ waitedMs }) => waitedMs,
    say: formatDuration,
    formatBase: ({ waited }) => t.medianOfRollouts(waited),
    show: 'waited',
    sort: 'waited',
  },
];

/** How attempts are called by what they are. */
export const KIND_WORD: Readonly<Record<PastAttempt['kind'], string>> = { rollout: t.rollout, retry: t.retry, rollback: t.rollback };

/** What is shown, in the filter. */
export const SHOWN_WORD: Readonly<Record<HistoryShown, string>> = {
  completed: t.completed,
  aborted: t.aborted,
  superseded: t.superseded,
  'under-way': t.inProgress,
  waited: t.waited,
  returned: t.wentBack,
};

/** A length of time, or that there is none. */
export function formatLength(ms: number | null): string {
  return ms === null ? '–' : formatDuration(ms);
}

/** A week by its Monday: `2 Mar`. */
export function formatWeek(week: string): string {
  return formatDay(week);
}
