'use client';

import { NamespaceFilter } from '@/components/live/filters/metadata-filters';
import { ViewsMenu } from '@/components/live/table/views-menu';
import { ChoiceMenu } from '@/components/ui/form/choice-menu';
import { ClearButton } from '@/components/ui/form/clear-button';
import { FilterBar } from '@/components/ui/form/filter-bar';
import { SearchBox } from '@/components/ui/form/search-box';
import type { InboxCounts, InboxQuery } from '@/lib/contract/inbox/inbox-query';
import { INBOX_KINDS, isInboxNarrowed } from '@/lib/contract/inbox/inbox-query';
import { t } from '@/lib/words/catalogue/console/inbox';
import type { InboxChange } from './use-inbox-url';

export interface InboxFilterBarProps {
  /** Until they are read, no kind is counted. */
  readonly counts: InboxCounts | undefined;
  readonly query: InboxQuery;
  readonly change: (change: InboxChange) => void;
}

/** Narrows the inbox by text, namespace and kind; each kind says how many there are. */
export function InboxFilterBar({ counts, query, change }: InboxFilterBarProps) {
  const { q = '', ns = [], kind = [] } = query;
  const kinds = INBOX_KINDS.filter((one) => counts?.kinds[one] !== undefined || kind.includes(one));
  return (
    <FilterBar
      isBare
      count={ns.length + kind.length}
      search={<SearchBox label={t.searchTheInbox} value={q} onSearch={(text) => change({ q: text })} />}
    >
      <NamespaceFilter query={{ ns }} change={({ ns: chosen }) => change({ ns: chosen ?? null })} />
      <ChoiceMenu
        label={t.kind}
        any={t.allKinds}
        options={kinds.map((id) => ({ id, word: t.kinds[id], count: counts?.kinds[id] ?? 0 }))}
        chosen={kind}
        onChange={(chosen) => change({ kind: INBOX_KINDS.filter((known) => chosen.includes(known)) })}
      />
      {isInboxNarrowed(query) ? (
        <ClearButton onClear={() => change({ q: null, ns: null, kind: null })}>{t.clearFilters}</ClearButton>
      ) : null}
      <div className="ml-auto">
        <ViewsMenu />
      </div>
    </FilterBar>
  );
}
