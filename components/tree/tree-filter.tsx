'use client';

import { X } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { SelectBox } from '@/components/ui/form/field';
import { SearchBox } from '@/components/ui/form/search-box';
import { HEALTH_LOOK } from '@/components/ui/status/tone';
import type { ObjectCounts, TreeQuery } from '@/lib/contract/tree-rows';
import { isNarrowed, TREE_STATUSES } from '@/lib/contract/tree-rows';
import { t } from '@/lib/words/catalogue/delivery/tree';
import { sayNumber } from '@/lib/words/figures';

export interface TreeFilterProps {
  readonly query: TreeQuery;
  readonly counts: ObjectCounts;
  readonly onChange: (query: TreeQuery) => void;
}

/** Narrows the list by text, kind and status; each choice says how many there are. */
export function TreeFilter({ query, counts, onChange }: TreeFilterProps) {
  const { closed: _closed, page: _page, ...narrowed } = query;
  const change = (wanted: { readonly [Member in 'q' | 'kind' | 'status']?: string }) => {
    const all = Object.entries({ ...query, ...wanted }).filter(([, value]) => value !== '');
    onChange(Object.fromEntries(all));
  };
  const unwell = counts.statuses.reduce((sum, { health, count }) => (health === 'Current' ? sum : sum + count), 0);
  return (
    <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
      <SearchBox label={t.searchObjects} value={query.q ?? ''} onSearch={(q) => change({ q })} />
      <SelectBox label={t.kind} value={query.kind ?? ''} onChange={(event) => change({ kind: event.target.value })}>
        <option value="">{t.allKinds}</option>
        {counts.kinds.map(({ kind, count }) => (
          <option key={kind} value={kind}>
            {kind.split('.')[0]} ({sayNumber(count)})
          </option>
        ))}
      </SelectBox>
      <SelectBox label={t.status} value={query.status ?? ''} onChange={(event) => change({ status: event.target.value })}>
        <option value="">{t.anyStatus}</option>
        <option value="unwell">{t.anythingButCurrent(unwell)}</option>
        {counts.statuses.map(({ health, count }) => (
          <option key={health} value={health}>
            {HEALTH_LOOK[health].word} ({sayNumber(count)})
          </option>
        ))}
        {/* A status that nobody has any more stays named while it is asked for. */}
        {TREE_STATUSES.filter((status) => status === query.status && status !== 'unwell' && !counts.statuses.some(({ health }) => health === status)).map(
          (status) => (
            <option key={status} value={status}>
              {status} (0)
            </option>
          ),
        )}
      </SelectBox>
      {isNarrowed(narrowed) ? (
        <Button onClick={() => onChange(query.closed === undefined ? {} : { closed: query.closed })}>
          <X size={12} aria-hidden /> {t.clear}
        </Button>
      ) : null}
    </div>
  );
}
