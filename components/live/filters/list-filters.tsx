import type { ReactNode } from 'react';
import { ChoiceMenu } from '@/components/ui/form/choice-menu';
import { FilterBar } from '@/components/ui/form/filter-bar';
import { SearchBox } from '@/components/ui/form/search-box';
import type { ListQuery } from '@/lib/contract/lists/list-query';
import type { ListKind } from '@/lib/contract/topic';
import { t } from '@/lib/words/catalogue/console/filters';
import type { ListChange } from '../address/list-url';
import type { FilterChip } from './filter-chips';
import { FilterChips } from './filter-chips';
import { MetadataFilters, metadataChips, NamespaceFilter, namespaceChips } from './metadata-filters';

/** What a list can be narrowed to, beside its text, namespace, labels and owner. */
export interface ListFilter {
  readonly label: string;
  /** How none of them is called. */
  readonly any: string;
  readonly options: readonly { readonly id: string; readonly word: string }[];
}

export interface ListFiltersProps {
  readonly noun: string;
  readonly query: ListQuery;
  readonly change: (change: ListChange) => void;
  readonly filter: ListFilter;
  /** The list whose rows tell labels and owner. */
  readonly marked?: ListKind | undefined;
  /** A filter of this list alone, and what it says while it is set. */
  readonly more?: ReactNode;
  readonly moreChips?: readonly FilterChip[] | undefined;
  /** At the end of the line. */
  readonly tools: ReactNode;
}

/** No filter of any kind; the order stays. */
export const NO_FILTER: ListChange = { ns: null, q: null, health: null, labels: null, owner: null, drifted: null };

/** What narrows a list: words, namespaces, statuses, owners and labels; what is set stands below, to be taken out again. */
export function ListFilters({ noun, query, change, filter, marked, more, moreChips, tools }: ListFiltersProps) {
  const chips = [...chipsOf({ query, change, filter }), ...(moreChips ?? [])];
  return (
    <>
      <FilterBar count={chips.length} search={<SearchBox label={t.search(noun)} value={query.q ?? ''} onSearch={(q) => change({ q })} />}>
        <NamespaceFilter query={query} change={change} />
        <ChoiceMenu
          label={filter.label}
          any={filter.any}
          options={filter.options}
          chosen={query.health ?? []}
          onChange={(health) => change({ health })}
        />
        {more}
        {marked ? <MetadataFilters facets={{ kind: 'facets', of: marked }} query={query} change={change} /> : null}
        {tools}
      </FilterBar>
      <FilterChips chips={chips} onClear={() => change(NO_FILTER)} />
    </>
  );
}

function chipsOf({ query, change, filter }: Pick<ListFiltersProps, 'query' | 'change' | 'filter'>): readonly FilterChip[] {
  const { health = [] } = query;
  return [
    ...namespaceChips({ query, change }),
    ...health.map((one) => ({
      id: `health ${one}`,
      label: filter.label,
      value: filter.options.find(({ id }) => id === one)?.word ?? one,
      onRemove: () => change({ health: health.filter((other) => other !== one) }),
    })),
    ...metadataChips({ query, change }),
  ];
}
