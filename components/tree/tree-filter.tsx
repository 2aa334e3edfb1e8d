'use client';

import { FilterChips } from '@/components/live/filters/filter-chips';
import type { MetadataQuery } from '@/components/live/filters/metadata-filters';
import { MetadataFilters, metadataChips, namespaceChips } from '@/components/live/filters/metadata-filters';
import { ChoiceMenu } from '@/components/ui/form/choice-menu';
import { ClearButton } from '@/components/ui/form/clear-button';
import { SelectBox } from '@/components/ui/form/field';
import { FilterBar } from '@/components/ui/form/filter-bar';
import { SearchBox } from '@/components/ui/form/search-box';
import { HEALTH_STYLE } from '@/components/ui/status/tone';
import type { TreeQuery } from '@/lib/contract/lists/tree-query';
import { isNarrowed, TREE_STATUSES } from '@/lib/contract/lists/tree-query';
import type { ObjectCounts } from '@/lib/contract/tree-rows';
import { t as filters } from '@/lib/words/catalogue/console/filters';
import { t } from '@/lib/words/catalogue/delivery/tree';
import { formatNumber } from '@/lib/words/figures';
import type { TreePlace } from './tree-queries';

export interface TreeFilterProps {
  readonly place: TreePlace;
  readonly query: TreeQuery;
  readonly counts: ObjectCounts;
  readonly onChange: (query: TreeQuery) => void;
}

/** Narrows the list by text, kind, status, namespaces, owners and labels; each choice says how many there are. */
export function TreeFilter({ place: { ns, name }, query, counts, onChange }: TreeFilterProps) {
  const { closed: _closed, page: _page, ...narrowed } = query;
  const change = (wanted: Readonly<Record<string, string | readonly string[] | boolean | number | null | undefined>>) => {
    const all = Object.entries({ ...query, ...wanted }).filter(
      ([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
    );
    onChange(Object.fromEntries(all));
  };
  const marks: MetadataQuery = { query, change };
  const chips = [...namespaceChips(marks), ...metadataChips(marks)];
  const clear = () => onChange(query.closed === undefined ? {} : { closed: query.closed });
  const unwell = counts.statuses.reduce((sum, { health, count }) => (health === 'Current' ? sum : sum + count), 0);
  return (
    <>
      <FilterBar
        count={chips.length + [query.kind, query.status].filter(Boolean).length}
        search={<SearchBox isShort label={t.searchObjects} value={query.q ?? ''} onSearch={(q) => change({ q })} />}
      >
        <SelectBox label={t.kind} value={query.kind ?? ''} onChange={(event) => change({ kind: event.target.value })}>
          <option value="">{t.allKinds}</option>
          {counts.kinds.map(({ kind, count }) => (
            <option key={kind} value={kind}>
              {kind.split('.')[0]} ({formatNumber(count)})
            </option>
          ))}
        </SelectBox>
        <SelectBox label={t.status} value={query.status ?? ''} onChange={(event) => change({ status: event.target.value })}>
          <option value="">{t.anyStatus}</option>
          <option value="unwell">{t.anythingButCurrent(unwell)}</option>
          {counts.statuses.map(({ health, count }) => (
            <option key={health} value={health}>
              {HEALTH_STYLE[health].word} ({formatNumber(count)})
            </option>
          ))}
          {/* A status that nobody has any more stays named while it is asked for. */}
          {TREE_STATUSES.filter(
            (status) => status === query.status && status !== 'unwell' && !counts.statuses.some(({ health }) => health === status),
          ).map((status) => (
            <option key={status} value={status}>
              {status} (0)
            </option>
          ))}
        </SelectBox>
        {counts.namespaces.length > 1 || query.ns !== undefined ? (
          <ChoiceMenu
            label={filters.namespace}
            any={filters.allNamespaces}
            options={counts.namespaces.map(({ ns: one, count }) => ({ id: one, word: one, count }))}
            chosen={query.ns ?? []}
            onChange={(chosen) => change({ ns: chosen })}
          />
        ) : null}
        <MetadataFilters facets={{ kind: 'tree-facets', ns, name }} {...marks} />
        {isNarrowed(narrowed) && chips.length === 0 ? <ClearButton onClear={clear}>{t.clear}</ClearButton> : null}
      </FilterBar>
      <FilterChips chips={chips} onClear={clear} />
    </>
  );
}
