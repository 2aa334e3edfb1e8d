'use client';

import type { ReactNode } from 'react';
import { useState } from 'react';
import type { FilterChip } from '@/components/live/filters/filter-chips';
import { FilterChips } from '@/components/live/filters/filter-chips';
import { NamespaceFilter, namespaceChips } from '@/components/live/filters/metadata-filters';
import { SelectBox } from '@/components/ui/form/field';
import { FilterBar } from '@/components/ui/form/filter-bar';
import { SearchBox } from '@/components/ui/form/search-box';
import { useSentence } from '@/components/ui/time/sentence';
import type { ActivityQuery } from '@/lib/contract/pages/activity-query';
import { ACTIVITY_ACTS, ACTIVITY_RESULTS } from '@/lib/contract/pages/activity-query';
import { t } from '@/lib/words/catalogue/console/activity';
import type { ActivityChange } from './activity-url';

const HOUR_MS = 3_600_000;
const SPANS = [
  { id: '1', label: t.lastHour, ms: HOUR_MS },
  { id: '24', label: t.last24Hours, ms: 24 * HOUR_MS },
  { id: '168', label: t.last7Days, ms: 168 * HOUR_MS },
  { id: '720', label: t.last30Days, ms: 720 * HOUR_MS },
] as const;
/** Takes every filter away. */
export const NO_ACTIVITY_FILTER: ActivityChange = {
  ns: null,
  q: null,
  who: null,
  act: null,
  application: null,
  result: null,
  from: null,
  to: null,
};

interface ActivityFiltersProps {
  readonly query: ActivityQuery;
  readonly change: (change: ActivityChange) => void;
  /** After the filters. */
  readonly children: ReactNode;
}

/** What narrows the record: words, namespace, person, application, act, result and time; what is set stands below, to be taken out again. */
export function ActivityFilters({ query, change, children }: ActivityFiltersProps) {
  const say = useSentence();
  const chips = chipsOf({ query, change, say });
  return (
    <>
      <FilterBar
        count={chips.length}
        search={<SearchBox label={t.searchTheRecord} value={query.q ?? ''} onSearch={(q) => change({ q })} />}
      >
        <NamedFilter label={t.person} value={query.who} onChange={(who) => change({ who })} />
        <NamedFilter label={t.application} value={query.application} onChange={(application) => change({ application })} />
        <NamespaceFilter query={query} change={change} />
        <ActFilter query={query} change={change} />
        <SelectBox
          label={t.result}
          value={query.result ?? ''}
          onChange={(event) => change({ result: ACTIVITY_RESULTS.find((known) => known === event.target.value) ?? null })}
        >
          <option value="">{t.allResults}</option>
          {ACTIVITY_RESULTS.map((result) => (
            <option key={result} value={result}>
              {t.results[result]}
            </option>
          ))}
        </SelectBox>
        <TimeFilter query={query} change={change} />
        {children}
      </FilterBar>
      <FilterChips chips={chips} onClear={() => change(NO_ACTIVITY_FILTER)} />
    </>
  );
}

type Filtered = Pick<ActivityFiltersProps, 'query' | 'change'>;

/** Every filter but the words that are searched for. */
function chipsOf({ query, change, say }: Filtered & { readonly say: (sentence: string) => string }): readonly FilterChip[] {
  const { who, application, act, result, from, to } = query;
  const chip = (label: string, value: string | undefined, none: ActivityChange): readonly FilterChip[] =>
    value ? [{ id: label, label, value, onRemove: () => change(none) }] : [];
  return [
    ...chip(t.person, who, { who: null }),
    ...chip(t.application, application, { application: null }),
    ...namespaceChips({ query, change }),
    ...chip(t.act, act, { act: null }),
    ...chip(t.result, result && t.results[result], { result: null }),
    ...chip(t.time, (from ?? to) && say(t.fromTo({ from, to })), { from: null, to: null }),
  ];
}

function ActFilter({ query: { act }, change }: Filtered) {
  const acts: readonly string[] =
    act === undefined || ACTIVITY_ACTS.some((known) => known === act) ? ACTIVITY_ACTS : [act, ...ACTIVITY_ACTS];
  return (
    <SelectBox label={t.act} className="max-w-44" value={act ?? ''} onChange={(event) => change({ act: event.target.value })}>
      <option value="">{t.allActs}</option>
      {acts.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </SelectBox>
  );
}

/** By the time until now; from when exactly, or until when, is said beside it. */
function TimeFilter({ query: { from, to }, change }: Filtered) {
  const isSet = from !== undefined || to !== undefined;
  return (
    <SelectBox
      label={t.time}
      value={isSet ? 'kept' : ''}
      onChange={(event) => {
        const span = SPANS.find(({ id }) => id === event.target.value);
        change({ from: span === undefined ? null : new Date(Date.now() - span.ms).toISOString(), to: null });
      }}
    >
      <option value="">{t.allTime}</option>
      {isSet ? <option value="kept">{t.chosenTime}</option> : null}
      {SPANS.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </SelectBox>
  );
}

interface NamedFilterProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

/** A filter by a whole name, taken when it is entered. */
function NamedFilter({ label, value = '', onChange }: NamedFilterProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const take = () => {
    if (typed !== null && typed.trim() !== value) onChange(typed.trim());
    setTyped(null);
  };
  return (
    <input
      type="text"
      aria-label={label}
      placeholder={label}
      autoComplete="off"
      spellCheck={false}
      value={typed ?? value}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take();
      }}
      className="h-7 w-24 rounded-md border border-line-strong bg-panel px-2 text-ink-2 text-xs placeholder:text-ink-3"
    />
  );
}
