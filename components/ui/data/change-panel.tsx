'use client';

import type { ChangeCounts, ChangeFilter, ChangeVerdict } from '@/lib/contract/change-rows';
import { CHANGE_PAGE_SIZE } from '@/lib/contract/change-rows';
import { t } from '@/lib/words/catalogue/console/ui';
import { formatNumber } from '@/lib/words/figures';
import { cx } from '../cx';
import { SelectBox } from '../form/field';
import { SearchBox } from '../form/search-box';
import { Panel } from '../panel';
import { TONE_TEXT } from '../status/tone';
import type { ListedChange } from './change-list';
import { ChangeList, VERDICT_STYLE } from './change-list';
import { Pager } from './pager';

/** A filter and the page it is at. */
export interface ChangeQuery extends ChangeFilter {
  readonly page?: number | undefined;
}

export interface ChangePanelProps {
  /** Verdicts that can occur here; each has its count, zero too. */
  readonly verdicts: readonly ChangeVerdict[];
  readonly counted: ChangeCounts;
  readonly query: ChangeQuery;
  readonly onQuery: (query: ChangeQuery) => void;
  /** One page of what is asked for, and how many there are of it in all. */
  readonly page: { readonly rows: readonly ListedChange[]; readonly total: number };
}

/** A change of many objects: counts by verdict, filters by verdict, kind and name, and one page of the rest. */
export function ChangePanel({ verdicts, counted, query, onQuery, page: { rows, total } }: ChangePanelProps) {
  const ask = (part: ChangeQuery) => onQuery({ ...query, page: 0, ...part });
  return (
    <div className="space-y-3">
      <VerdictTiles verdicts={verdicts} counts={counted.counts} chosen={query.verdict} onChoose={(verdict) => ask({ verdict })} />
      <Panel title={t.objectByObject} note={t.deletionsFirst}>
        <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
          <SearchBox label={t.searchObjects} value={query.q ?? ''} onSearch={(q) => ask({ q: q || undefined })} />
          <SelectBox label={t.kind} value={query.kind ?? ''} onChange={(event) => ask({ kind: event.target.value || undefined })}>
            <option value="">{t.everyKind}</option>
            {counted.kinds.map(({ kind, count }) => (
              <option key={kind} value={kind}>
                {kind} ({count})
              </option>
            ))}
          </SelectBox>
        </div>
        {rows.length === 0 ? (
          <p className="px-4 py-6 text-ink-3">{counted.kinds.length === 0 ? t.itHasNoObjects : t.noObjectMatchesTheFilter}</p>
        ) : (
          <ChangeList label={t.objectByObject} rows={rows} />
        )}
        <Pager
          page={query.page ?? 0}
          size={CHANGE_PAGE_SIZE}
          total={total}
          noun={t.objects}
          onPage={(page) => onQuery({ ...query, page })}
        />
      </Panel>
    </div>
  );
}

interface VerdictTilesProps {
  readonly verdicts: readonly ChangeVerdict[];
  readonly counts: ChangeCounts['counts'];
  readonly chosen: ChangeVerdict | undefined;
  readonly onChoose: (verdict: ChangeVerdict | undefined) => void;
}

function VerdictTiles({ verdicts, counts, chosen, onChoose }: VerdictTilesProps) {
  return (
    <fieldset aria-label={t.showOnly} className="grid grid-cols-3 gap-2 sm:auto-cols-fr sm:grid-flow-col sm:grid-cols-none">
      {verdicts.map((verdict) => {
        const { word, tone, icon: Icon } = VERDICT_STYLE[verdict];
        const count = counts[verdict] ?? 0;
        return (
          <button
            key={verdict}
            type="button"
            aria-pressed={chosen === verdict}
            onClick={() => onChoose(chosen === verdict ? undefined : verdict)}
            className={cx(
              'flex min-w-0 flex-col items-start justify-between rounded-lg border px-3 py-2 text-left shadow-panel hover:bg-hover',
              chosen === verdict ? 'border-accent bg-hover forced-colors:border-[Highlight]' : 'bg-panel',
            )}
          >
            <span className={cx('flex items-center gap-1.5 text-xs', count > 0 ? TONE_TEXT[tone] : 'text-ink-3')}>
              <Icon size={13} aria-hidden />
              <span className="min-w-0">{word}</span>
            </span>
            <span className={cx('mt-0.5 block font-semibold text-xl', count === 0 && 'text-ink-3')}>{formatNumber(count)}</span>
          </button>
        );
      })}
    </fieldset>
  );
}
