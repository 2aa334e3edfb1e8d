import type { ReactNode } from 'react';
import { useState } from 'react';
import { ChoiceMenu } from '@/components/ui/form/choice-menu';
import { SearchBox } from '@/components/ui/form/search-box';
import type { ListQuery } from '@/lib/contract/lists/list-query';
import { NO_OWNER } from '@/lib/contract/lists/list-query';
import type { ListKind } from '@/lib/contract/topic';
import { t } from '@/lib/words/catalogue/console/filters';
import type { ListChange } from '../address/list-url';
import { useStatus } from '../staleness';
import { useFacets } from './facet-queries';
import type { FilterChip } from './filter-chips';
import { FilterChips } from './filter-chips';
import { LabelFilter } from './label-filter';
import { sayOwner } from './say-owner';
import { addToSelector, partsOf, takeFromSelector } from './selector-parts';

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
  const namespaces = useStatus()?.namespaces ?? [];
  return (
    <>
      <div className="flex flex-wrap items-start gap-2 border-b px-4 py-2">
        <SearchBox label={t.search(noun)} value={query.q ?? ''} onSearch={(q) => change({ q })} />
        <ChoiceMenu
          label={t.namespace}
          any={t.allNamespaces}
          options={namespaces.map((ns) => ({ id: ns, word: ns }))}
          chosen={query.ns ?? []}
          onChange={(ns) => change({ ns })}
        />
        <ChoiceMenu label={filter.label} any={filter.any} options={filter.options} chosen={query.health ?? []} onChange={(health) => change({ health })} />
        {more}
        {marked ? <MarkFilters list={marked} query={query} change={change} /> : null}
        {tools}
      </div>
      <FilterChips chips={[...chipsOf({ query, change, filter }), ...(moreChips ?? [])]} onClear={() => change(NO_FILTER)} />
    </>
  );
}

/** By owner and by labels; what there is to choose from is read once somebody is about to. */
function MarkFilters({ list, query, change }: Pick<ListFiltersProps, 'query' | 'change'> & { readonly list: ListKind }) {
  const [isWanted, setWanted] = useState(false);
  const facets = useFacets(list, isWanted);
  const unowned = facets && facets.unowned > 0 ? [{ id: NO_OWNER, word: ownerWord(NO_OWNER), count: facets.unowned }] : [];
  const owners = facets?.owners.map(({ owner, count }) => ({ id: owner, word: ownerWord(owner), count })) ?? [];
  const known = [...owners, ...unowned];
  const others = (query.owner ?? []).filter((one) => !known.some(({ id }) => id === one)).map((id) => ({ id, word: ownerWord(id) }));
  return (
    <>
      <ChoiceMenu
        label={t.owner}
        any={t.anyOwner}
        options={[...others, ...known]}
        chosen={query.owner ?? []}
        onChange={(owner) => change({ owner })}
        none={t.noOwnersHere}
        onOpen={() => setWanted(true)}
      />
      <LabelFilter
        onAdd={(text) => change({ labels: addToSelector(query.labels, text) })}
        onTyping={() => setWanted(true)}
        {...(facets ? { known: facets.labels } : {})}
      />
    </>
  );
}

const ownerWord = (owner: string) => (owner === NO_OWNER ? t.noOwner : sayOwner(owner));

function chipsOf({ query, change, filter }: Pick<ListFiltersProps, 'query' | 'change' | 'filter'>): readonly FilterChip[] {
  const { ns = [], health = [], owner = [], labels } = query;
  const without = (values: readonly string[], value: string) => values.filter((one) => one !== value);
  return [
    ...ns.map((one) => ({ id: `ns ${one}`, label: t.namespace, value: one, onRemove: () => change({ ns: without(ns, one) }) })),
    ...health.map((one) => ({
      id: `health ${one}`,
      label: filter.label,
      value: filter.options.find(({ id }) => id === one)?.word ?? one,
      onRemove: () => change({ health: without(health, one) }),
    })),
    ...owner.map((one) => ({
      id: `owner ${one}`,
      label: t.owner,
      value: ownerWord(one),
      onRemove: () => change({ owner: without(owner, one) }),
    })),
    ...partsOf(labels).map((part) => ({
      id: `label ${part}`,
      label: t.labels,
      value: part,
      onRemove: () => change({ labels: takeFromSelector(labels, part) }),
    })),
  ];
}
