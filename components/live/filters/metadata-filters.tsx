import { useState } from 'react';
import { ChoiceMenu } from '@/components/ui/form/choice-menu';
import type { ListQuery } from '@/lib/contract/lists/list-query';
import { NO_OWNER } from '@/lib/contract/lists/list-query';
import { t } from '@/lib/words/catalogue/console/filters';
import type { ListChange } from '../address/list-url';
import { useStatus } from '../staleness';
import type { FacetTopic } from './facet-queries';
import { useFacets } from './facet-queries';
import type { FilterChip } from './filter-chips';
import { LabelFilter } from './label-filter';
import { ownerLabel } from './owner-label';
import { addToSelector, partsOf, takeFromSelector } from './selector-parts';

/** What is filtered by everywhere in one way: namespaces, labels and owners. */
export interface MetadataQuery {
  readonly query: { readonly [Member in 'ns' | 'labels' | 'owner']?: ListQuery[Member] | undefined };
  readonly change: (change: Pick<ListChange, 'ns' | 'labels' | 'owner'>) => void;
}

/** By owner and by labels; what there is to choose from is read once somebody is about to. */
export function MetadataFilters({ facets: topic, query, change }: MetadataQuery & { readonly facets: FacetTopic }) {
  const [isWanted, setWanted] = useState(false);
  const facets = useFacets(topic, isWanted);
  return (
    <>
      <OwnerFilter
        owners={facets?.owners ?? []}
        unowned={facets?.unowned ?? 0}
        query={query}
        change={change}
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

export interface OwnerFilterProps extends MetadataQuery {
  readonly owners: readonly { readonly owner: string; readonly count: number }[];
  /** How many have no owner. */
  readonly unowned: number;
  readonly onOpen?: () => void;
}

/** By any of the owners that there are, and by having none; what is chosen stays listed. */
export function OwnerFilter({ owners, unowned, query, change, onOpen }: OwnerFilterProps) {
  const known = [
    ...owners.map(({ owner, count }) => ({ id: owner, word: ownerWord(owner), count })),
    ...(unowned > 0 ? [{ id: NO_OWNER, word: ownerWord(NO_OWNER), count: unowned }] : []),
  ];
  const others = (query.owner ?? []).filter((one) => !known.some(({ id }) => id === one)).map((id) => ({ id, word: ownerWord(id) }));
  return (
    <ChoiceMenu
      label={t.owner}
      any={t.anyOwner}
      options={[...others, ...known]}
      chosen={query.owner ?? []}
      onChange={(owner) => change({ owner })}
      none={t.noOwnersHere}
      {...(onOpen ? { onOpen } : {})}
    />
  );
}

/** By any of the namespaces that the person may see. */
export function NamespaceFilter({ query, change }: MetadataQuery) {
  const namespaces = useStatus()?.namespaces ?? [];
  return (
    <ChoiceMenu
      label={t.namespace}
      any={t.allNamespaces}
      options={namespaces.map((ns) => ({ id: ns, word: ns }))}
      chosen={query.ns ?? []}
      onChange={(ns) => change({ ns })}
    />
  );
}

const ownerWord = (owner: string) => (owner === NO_OWNER ? t.noOwner : ownerLabel(owner));
const without = (values: readonly string[], value: string) => values.filter((one) => one !== value);

/** The namespaces that a list is filtered by, as chips. */
export function namespaceChips({ query: { ns = [] }, change }: MetadataQuery): readonly FilterChip[] {
  return ns.map((one) => ({ id: `ns ${one}`, label: t.namespace, value: one, onRemove: () => change({ ns: without(ns, one) }) }));
}

/** The owners that a list is filtered by, as chips. */
export function ownerChips({ query: { owner = [] }, change }: MetadataQuery): readonly FilterChip[] {
  return owner.map((one) => ({
    id: `owner ${one}`,
    label: t.owner,
    value: ownerWord(one),
    onRemove: () => change({ owner: without(owner, one) }),
  }));
}

/** The owners and each requirement of the selector that a list is filtered by, as chips. */
export function metadataChips({ query, change }: MetadataQuery): readonly FilterChip[] {
  const { labels } = query;
  return [
    ...ownerChips({ query, change }),
    ...partsOf(labels).map((part) => ({
      id: `label ${part}`,
      label: t.labels,
      value: part,
      onRemove: () => change({ labels: takeFromSelector(labels, part) }),
    })),
  ];
}
