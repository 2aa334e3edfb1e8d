'use client';

import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { TableTools } from '@/components/live/table/table-tools';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { CheckBox } from '@/components/ui/form/check-box';
import { SearchBox } from '@/components/ui/form/search-box';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import type { ActTarget } from '@/lib/contract/object-acts';
import type { ObjectTable } from '@/lib/contract/object-rows';
import { t } from '@/lib/words/catalogue/objects/objects';
import { ActButtons } from './acts/act-buttons';
import { LabelBox } from './label-box';
import { NamespaceBox } from './namespace-box';
import { objectQueries } from './object-queries';
import { ObjectRows, objectColumns } from './object-rows';
import { ReadNote } from './read-note';
import { TablePager } from './table-pager';
import { useTableUrl } from './use-table-url';

export interface TableScreenProps {
  readonly group: string;
  /** Plural or kind, as the address says it. */
  readonly named: string;
}

/** A page of the list, and how many rows stand before it. */
interface Step {
  readonly next: string | undefined;
  readonly before: number;
}

const NONE: ReadonlySet<string> = new Set();
const FIRST: Step = { next: undefined, before: 0 };

/** The objects of one kind, as the API server prints them for this person. */
export function TableScreen({ group, named }: TableScreenProps) {
  const { asked, change } = useTableUrl();
  const wideId = useId();
  const [selected, setSelected] = useState<ReadonlySet<string>>(NONE);
  const [way, setWay] = useState<readonly Step[]>([FIRST]);
  const { ns, labels, q, version, wide } = asked;
  const here = way.at(-1) ?? FIRST;
  const table = useQuery(objectQueries.table({ group, named, ns, labels, q, version, next: here.next }));
  const targets = table.data ? targetsOf(table.data, selected) : [];
  const turn = (to: readonly Step[]) => {
    setWay(to);
    setSelected(NONE);
  };
  const narrow = (wanted: Parameters<typeof change>[0]) => {
    turn([FIRST]);
    change(wanted);
  };
  return (
    <>
      <PageHead trail={[{ label: t.objects, href: '/objects' }]} title={named} note={<ReadNote query={table} of={table.data?.of} />} />
      <Panel>
        <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
          <SearchBox label={t.searchNames} value={q ?? ''} onSearch={(text) => narrow({ q: text })} />
          {table.data?.of.namespaced === false ? null : <NamespaceBox value={ns} onChange={(chosen) => narrow({ ns: chosen })} />}
          <LabelBox key={labels ?? ''} value={labels ?? ''} onLabels={(text) => narrow({ labels: text })} />
          <label htmlFor={wideId} className="flex items-center gap-1.5 text-ink-2 text-xs">
            <CheckBox id={wideId} checked={wide} onChange={(event) => change({ wide: event.target.checked })} />
            {t.allColumns}
          </label>
          <div className="sm:ml-auto">
            <ActButtons size="sm" targets={targets} rights={undefined} blocked={targets.length === 0 ? t.selectObjectsFirst : null} />
          </div>
          {table.data ? (
            <TableTools
              id={table.data.of.kind}
              columns={objectColumns(table.data, { isWide: wide, showsNamespace: table.data.of.namespaced && ns === undefined })}
            />
          ) : null}
        </div>
        <QueryView query={table} awaits={t.readingFromTheClusterTitle(named)} pending={<SkeletonRows columns={4} />}>
          {(data) => (
            <>
              <ObjectRows
                table={data}
                named={named}
                ns={ns}
                isWide={wide}
                isFiltered={Boolean(q ?? labels ?? ns)}
                selected={selected}
                onSelect={setSelected}
              />
              <TablePager
                table={data}
                before={here.before}
                onBack={way.length > 1 ? () => turn(way.slice(0, -1)) : null}
                onNext={nextOf(data, here, (step) => turn([...way, step]))}
              />
            </>
          )}
        </QueryView>
      </Panel>
    </>
  );
}

/** The objects of this page that are selected; one that is gone by now is no more. */
function targetsOf({ of, rows }: ObjectTable, selected: ReadonlySet<string>): readonly ActTarget[] {
  const type = { apiVersion: of.group === '' ? of.version : `${of.group}/${of.version}`, kind: of.kind };
  return rows.flatMap(({ key, ns, name, uid }) =>
    selected.has(key) && uid !== null ? [{ ...type, name, uid, ...(ns === null ? {} : { ns }) }] : [],
  );
}

function nextOf({ next, rows }: ObjectTable, here: Step, go: (step: Step) => void): (() => void) | null {
  return next === null ? null : () => go({ next, before: here.before + rows.length });
}
