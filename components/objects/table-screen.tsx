'use client';

import type { ReactNode } from 'react';
import { useId } from 'react';
import type { ListChange } from '@/components/live/address/list-url';
import { FilterChips } from '@/components/live/filters/filter-chips';
import type { OwnerFilterProps } from '@/components/live/filters/metadata-filters';
import { NamespaceFilter, namespaceChips, OwnerFilter, ownerChips } from '@/components/live/filters/metadata-filters';
import { TableTools } from '@/components/live/table/table-tools';
import { asSentence } from '@/components/ui/as-sentence';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { CheckBox } from '@/components/ui/form/check-box';
import { FilterBar } from '@/components/ui/form/filter-bar';
import { SearchBox } from '@/components/ui/form/search-box';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { messageOf } from '@/lib/contract/app-error';
import type { ActTarget } from '@/lib/contract/object-acts';
import { readEscapedName } from '@/lib/std/text/hidden-characters';
import { t } from '@/lib/words/catalogue/objects/objects';
import { formatNamespaces } from '@/lib/words/format-object';
import { ActButtons } from './acts/act-buttons';
import { LabelBox } from './label-box';
import { ObjectRows, objectColumns } from './object-rows';
import { ReadTime } from './read-time';
import { useIsNamespaced } from './table/use-is-namespaced';
import { usePages } from './table/use-pages';
import type { TablePage } from './table/use-table';
import { firstParts, MAX_NAMESPACES, useTable } from './table/use-table';
import { TablePager } from './table-pager';
import { useTableUrl } from './use-table-url';

export interface TableScreenProps {
  readonly group: string;
  /** Plural or kind, as the address says it. */
  readonly named: string;
}

/** The objects of one kind, as the API server prints them for this person. */
export function TableScreen({ group, named }: TableScreenProps) {
  const { asked, change } = useTableUrl();
  const wideId = useId();
  const { ns, labels, q, owner, version, wide } = asked;
  const pages = usePages(JSON.stringify([ns, labels, q, owner, version]), firstParts(ns));
  const { selected } = pages;
  const table = useTable({ group, named, labels, q, owner: owner.join(',') || undefined, version }, pages.parts);
  const targets = table.data ? targetsOf(table.data, selected) : [];
  const unread = table.data === undefined && table.error ? asSentence(messageOf(table.error)) : null;
  const blocked = unread ?? (targets.length === 0 ? t.selectObjectsFirst : null);
  const isNamespaced = useIsNamespaced({ group, named }, table);
  const narrowed = {
    query: { ns, owner },
    change: (wanted: Pick<ListChange, 'ns' | 'owner'>) =>
      change({ ...('ns' in wanted ? { ns: wanted.ns ?? [] } : {}), ...('owner' in wanted ? { owner: wanted.owner ?? [] } : {}) }),
  };
  const showsNamespace = isNamespaced === true && ns.length !== 1;
  return (
    <>
      <PageHead
        breadcrumbs={[{ label: t.objects, href: '/objects' }]}
        title={named}
        note={<ReadTime query={table} of={table.data?.of} />}
      />
      <Panel>
        <FilterBar
          count={ns.length + owner.length + (labels ? 1 : 0)}
          search={<SearchBox isShort label={t.searchNames} value={q ?? ''} onSearch={(text) => change({ q: text })} />}
          acts={<ActButtons size="sm" targets={targets} rights={undefined} blocked={blocked} />}
        >
          {isNamespaced === false ? null : (
            <Unsure isUnsure={isNamespaced === undefined && ns.length === 0}>
              <NamespaceFilter {...narrowed} />
            </Unsure>
          )}
          <OwnerFilter {...ownersOf(table.data)} {...narrowed} />
          <LabelBox key={labels ?? ''} value={labels ?? ''} onLabels={(text) => change({ labels: text })} />
          <label htmlFor={wideId} className="flex h-7 items-center gap-1.5 text-ink-2 text-xs max-sm:hidden">
            <CheckBox id={wideId} checked={wide} onChange={(event) => change({ wide: event.target.checked })} />
            {t.allColumns}
          </label>
          {table.data ? (
            <TableTools id={table.data.of.kind} columns={objectColumns(table.data, { isWide: wide, showsNamespace })} />
          ) : (
            <div className="ml-auto max-sm:hidden" />
          )}
        </FilterBar>
        <FilterChips chips={[...namespaceChips(narrowed), ...ownerChips(narrowed)]} onClear={() => change({ ns: [], owner: [] })} />
        <Unread table={table.data} of={named} cut={ns.slice(MAX_NAMESPACES)} />
        <QueryView query={table} awaits={t.readingFromTheClusterTitle(named)} pending={<SkeletonRows columns={4} />}>
          {(data) => (
            <>
              <ObjectRows
                table={data}
                named={named}
                showsNamespace={showsNamespace}
                isWide={wide}
                isFiltered={Boolean(q ?? labels) || ns.length + owner.length > 0}
                onClear={() => change({ q: '', labels: '', ns: [], owner: [] })}
                selected={selected}
                onSelect={pages.onSelect}
              />
              <TablePager table={data} before={pages.before} onBack={pages.onBack} onNext={pages.nextOf(data)} />
            </>
          )}
        </QueryView>
      </Panel>
    </>
  );
}

/** Keeps the place of what may turn out not to belong there, and shows it once that is known: nothing appears to go away again, and nothing moves. */
function Unsure({ isUnsure, children }: { readonly isUnsure: boolean; readonly children: ReactNode }) {
  return (
    <div className={isUnsure ? 'contents invisible' : 'contents'} inert={isUnsure}>
      {children}
    </div>
  );
}

/** What of the namespaces that are asked for is not shown, and why. */
function Unread({ table, of, cut }: { readonly table: TablePage | undefined; readonly of: string; readonly cut: readonly string[] }) {
  const said = [
    ...(table?.unread ?? []).map(({ ns, why }) => ({ ns, text: t.couldNotBeReadIn(of, ns, asSentence(why)) })),
    ...(cut.length === 0 ? [] : [{ ns: '', text: t.namespacesAtOnce(MAX_NAMESPACES, formatNamespaces(cut)) }]),
  ];
  return said.length === 0 ? null : (
    <div role="status" className="space-y-0.5 border-b bg-warn-soft px-4 py-1.5 text-warn text-xs">
      {said.map(({ ns, text }) => (
        <p key={ns} className="wrap-anywhere">
          {text}
        </p>
      ))}
    </div>
  );
}

/** The owners of the rows that are shown: of the others nobody knows before they are read. */
function ownersOf(table: TablePage | undefined): Pick<OwnerFilterProps, 'owners' | 'unowned'> {
  const counts = new Map<string, number>();
  const rows = table?.rows ?? [];
  for (const { owner } of rows) if (owner !== null) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const owners = [...counts].map(([owner, count]) => ({ owner, count })).sort((one, other) => other.count - one.count);
  return { owners, unowned: rows.filter(({ owner }) => owner === null).length };
}

/** The objects of this page that are selected; one that is gone by now is no more. */
function targetsOf({ of, rows }: TablePage, selected: ReadonlySet<string>): readonly ActTarget[] {
  const type = { apiVersion: of.group === '' ? of.version : `${of.group}/${of.version}`, kind: of.kind };
  return rows.flatMap(({ key, ns, name, uid }) =>
    selected.has(key) && uid !== null ? [{ ...type, name: readEscapedName(name), uid, ...(ns === null ? {} : { ns }) }] : [],
  );
}
