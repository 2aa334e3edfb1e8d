'use client';

import { Ago } from '@/components/live/ago';
import { cx } from '@/components/ui/cx';
import { YamlText } from '@/components/ui/data/yaml-text';
import { ScrollRegion } from '@/components/ui/scroll-region';
import type { ObjectDrift, ObjectDriftField } from '@/lib/contract/drift-rows';
import { t } from '@/lib/words/catalogue/delivery/drift';
import type { DiffRow, DiffSide } from './diff-rows';

export interface DiffSidesProps {
  readonly rows: readonly DiffRow[];
  readonly label: string;
  readonly wantedBy: string;
  readonly owners: OwnersOfLines;
}

/** Who set what stands at each line of what is live. */
export type OwnersOfLines = Pick<ObjectDrift, 'owners' | 'lineOwners'>;
type Owner = ObjectDrift['owners'][number];

/** What is desired beside what is live, with who set each line and when; one below the other where there is no room. */
export function DiffSides({ rows, label, wantedBy, owners }: DiffSidesProps) {
  return (
    <ScrollRegion label={label} className="rounded-md border font-mono text-xs leading-[18px] md:max-h-[480px]">
      <div aria-hidden="true" className="sticky top-0 hidden grid-cols-2 border-b bg-sunken font-sans text-2xs text-ink-3 lg:grid">
        <span className="px-3 py-1">{t.wantedBy(wantedBy)}</span>
        <span className="flex border-l px-3 py-1">
          {t.foundInTheCluster} <span className="ml-auto">{t.setByTitle}</span>
        </span>
      </div>
      <ol className="min-w-full py-1">
        {rows.map((row) => (
          <Row key={keyOf(row)} row={row} owners={owners} />
        ))}
      </ol>
    </ScrollRegion>
  );
}

const keyOf = (row: DiffRow) => (row.kind === 'skipped' ? t.skipped(row.at) : `${row.desired?.number ?? ''} ${row.live?.number ?? ''}`);

function Row({ row, owners }: { readonly row: DiffRow; readonly owners: OwnersOfLines }) {
  if (row.kind === 'skipped') {
    return <li className="bg-sunken px-3 font-sans text-2xs text-ink-3 leading-5">{t.linesAreTheSame(row.count)}</li>;
  }
  if (row.kind === 'same') {
    return (
      <li className="lg:grid lg:grid-cols-2">
        <Side side={row.desired} />
        <Side side={row.live} owner={ownerFrom(row.live, owners)} className="border-l max-lg:hidden" />
      </li>
    );
  }
  return (
    <li className="lg:grid lg:grid-cols-2">
      <Side side={row.desired} sign="+" said={t.desired} className={cx(row.desired === null && 'max-lg:hidden')} />
      <Side
        side={row.live}
        sign="-"
        said={t.live}
        fields={row.fields}
        owner={row.live === null ? null : ownerAt(row.live.number, owners)}
        className={cx('lg:border-l', row.live === null && row.fields.length === 0 && 'max-lg:hidden')}
      />
    </li>
  );
}

function ownerAt(line: number, { owners, lineOwners }: OwnersOfLines): Owner | null {
  const at = lineOwners[line - 1] ?? null;
  return at === null ? null : (owners[at] ?? null);
}

/** Of lines that one manager set one after another, the first names it. */
function ownerFrom({ number }: DiffSide, owners: OwnersOfLines): Owner | null {
  const owner = ownerAt(number, owners);
  return owner !== null && owner === ownerAt(number - 1, owners) ? null : owner;
}

interface SideProps {
  readonly side: DiffSide | null;
  readonly sign?: '-' | '+';
  readonly said?: string;
  readonly fields?: readonly ObjectDriftField[];
  readonly owner?: Owner | null;
  readonly className?: string;
}

/** As kubectl diff has it: what putting back adds, and what it takes away. */
const LOOK = { '+': 'bg-good-soft', '-': 'bg-warn-soft' } as const;

function Side({ side, sign, said, fields = [], owner = null, className }: SideProps) {
  const setter = fields[0] === undefined ? owner : fields[0].setBy;
  return (
    <div
      className={cx(
        'flex min-w-0 flex-wrap items-start lg:flex-nowrap',
        side !== null && sign !== undefined && LOOK[sign],
        side === null && 'bg-sunken',
        className,
      )}
    >
      <span aria-hidden="true" className={cx('w-9 shrink-0 select-none pr-2 text-right', sign === undefined ? 'text-ink-3' : 'text-ink-2')}>
        {side?.number}
      </span>
      <span aria-hidden="true" className="w-4 shrink-0 select-none text-ink-2">
        {side === null ? '' : sign}
      </span>
      <code className="min-w-0 flex-1 whitespace-pre-wrap break-words pr-3">
        {side !== null && said !== undefined ? <span className="sr-only">{said}: </span> : null}
        {side === null ? null : <YamlText line={side.text} />}
      </code>
      {fields.length === 0 && setter === null ? null : <Setter setter={setter} />}
    </div>
  );
}

function Setter({ setter }: { readonly setter: Owner | null }) {
  return (
    <span
      title={setter === null ? undefined : t.operationBy(setter.operation, setter.subresource, setter.manager)}
      className="max-w-full shrink-0 basis-full truncate px-3 text-right font-sans text-2xs text-ink-2 lg:max-w-44 lg:basis-auto"
    >
      {setter === null ? (
        t.notRecorded
      ) : (
        <>
          {setter.manager} <Ago at={setter.since} none="" />
        </>
      )}
    </span>
  );
}
