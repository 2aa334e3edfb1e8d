'use client';

import { ViewsMenu } from '@/components/live/table/views-menu';
import { ClearButton } from '@/components/ui/form/clear-button';
import { SelectBox } from '@/components/ui/form/field';
import { FilterBar } from '@/components/ui/form/filter-bar';
import { SearchBox } from '@/components/ui/form/search-box';
import type { LedgerHead } from '@/lib/contract/history/ledger-rows';
import type { LedgerQuery } from '@/lib/contract/lists/ledger-query';
import { LEDGER_STATES } from '@/lib/contract/lists/ledger-query';
import { t } from '@/lib/words/catalogue/delivery/ledger';

interface LedgerFilterBarProps {
  readonly query: LedgerQuery;
  readonly head: LedgerHead;
  readonly onChange: (query: LedgerQuery) => void;
}

/** Narrows the ledger by text, kind and state; each choice says how many objects there are. */
export function LedgerFilterBar({ query, head, onChange }: LedgerFilterBarProps) {
  const change = (wanted: { readonly [Member in 'q' | 'kind']?: string }) =>
    onChange(Object.fromEntries(Object.entries({ ...query, ...wanted }).filter(([, value]) => value !== '')));
  const { state: _state, ...others } = query;
  const changeState = (wanted: string) => {
    const state = LEDGER_STATES.find((known) => known === wanted);
    onChange(state === undefined ? others : { ...others, state });
  };
  const countOf = (state: string) => head.states.find((one) => one.state === state)?.count ?? 0;
  return (
    <FilterBar
      count={[query.kind, query.state].filter(Boolean).length}
      search={<SearchBox label={t.searchObjects} value={query.q ?? ''} onSearch={(q) => change({ q })} />}
    >
      <SelectBox label={t.kind} value={query.kind ?? ''} onChange={(event) => change({ kind: event.target.value })}>
        <option value="">{t.allKinds}</option>
        {head.kinds.map(({ kind, count }) => (
          <option key={kind} value={kind}>
            {t.choice(kind.split('.')[0] ?? kind, count)}
          </option>
        ))}
      </SelectBox>
      <SelectBox label={t.state} value={query.state ?? ''} onChange={(event) => changeState(event.target.value)}>
        <option value="">{t.anyState}</option>
        {LEDGER_STATES.filter((state) => countOf(state) > 0 || state === query.state).map((state) => (
          <option key={state} value={state}>
            {t.choice(t.words[state], countOf(state))}
          </option>
        ))}
      </SelectBox>
      {query.q || query.kind || query.state ? <ClearButton onClear={() => onChange({})}>{t.clear}</ClearButton> : null}
      <div className="ml-auto">
        <ViewsMenu />
      </div>
    </FilterBar>
  );
}
