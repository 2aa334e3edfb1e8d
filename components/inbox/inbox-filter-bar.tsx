'use client';

import { NamespaceFilter } from '@/components/live/filters/mark-filters';
import { ViewsMenu } from '@/components/live/table/views-menu';
import { ChoiceMenu } from '@/components/ui/form/choice-menu';
import { ClearButton } from '@/components/ui/form/clear-button';
import { FilterBar } from '@/components/ui/form/filter-bar';
import { SearchBox } from '@/components/ui/form/search-box';
import type { InboxRow } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/inbox';
import type { InboxFilter } from './inbox-filter';
import { narrows } from './inbox-filter';
import type { useInboxUrl } from './use-inbox-url';
import { INBOX_KINDS } from './use-inbox-url';

interface InboxFilterBarProps {
  readonly rows: readonly InboxRow[];
  /** How many there are, of which the server sends the most urgent. */
  readonly total: number;
  readonly filter: InboxFilter;
  readonly change: ReturnType<typeof useInboxUrl>['change'];
}

/** Narrows the inbox by text, namespace and kind; each kind says how many there are, where all of them are here. */
export function InboxFilterBar({ rows, total, filter, change }: InboxFilterBarProps) {
  const countOf = (kind: string) => rows.filter((row) => row.kind === kind).length;
  const kinds = INBOX_KINDS.filter((kind) => countOf(kind) > 0 || filter.kind.includes(kind));
  return (
    <FilterBar
      isBare
      count={filter.ns.length + filter.kind.length}
      search={<SearchBox label={t.searchTheInbox} value={filter.q ?? ''} onSearch={(q) => change({ q })} />}
    >
      <NamespaceFilter query={{ ns: filter.ns }} change={({ ns }) => change({ ns: ns ?? null })} />
      <ChoiceMenu
        label={t.kind}
        any={t.allKinds}
        options={kinds.map((kind) => ({ id: kind, word: t.kinds[kind], ...(total > rows.length ? {} : { count: countOf(kind) }) }))}
        chosen={filter.kind}
        onChange={(kind) => change({ kind })}
      />
      {narrows(filter) ? <ClearButton onClear={() => change({ q: null, ns: null, kind: null })}>{t.clearFilters}</ClearButton> : null}
      <div className="ml-auto">
        <ViewsMenu />
      </div>
    </FilterBar>
  );
}
