import type { Column } from '@/components/ui/data/data-table';
import { parseOwner } from '@/lib/kube/labels/object-owner';
import { t } from '@/lib/words/catalogue/console/filters';

/** A row that tells labels and owner. */
export interface ObjectMetadataRow {
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: string | null;
}

const SHOWN = 3;

/** The owner, where somebody asks for it. */
export const OWNER_COLUMN: Column<Pick<ObjectMetadataRow, 'owner'>> = {
  id: 'owner',
  head: t.owner,
  isExtra: true,
  className: 'max-w-56 text-ink-2',
  cell: ({ owner }) => <Owner owner={owner} />,
};

/** Columns that every list of objects can show and shows only when asked to. */
export const METADATA_COLUMNS: readonly Column<ObjectMetadataRow>[] = [
  OWNER_COLUMN,
  { id: 'labels', head: t.labels, isExtra: true, className: 'max-w-72 text-ink-3', cell: ({ labels }) => <Labels labels={labels} /> },
];

function Owner({ owner }: { readonly owner: string | null }) {
  if (owner === null) return <span className="text-ink-3">–</span>;
  const { kind, ns, name } = parseOwner(owner);
  return (
    <span className="wrap-anywhere">
      {kind === '' ? null : <span className="text-ink-3">{kind} </span>}
      {name}
      {ns === null ? null : <span className="block text-ink-3 text-xs">{ns}</span>}
    </span>
  );
}

function Labels({ labels }: { readonly labels: ObjectMetadataRow['labels'] }) {
  const all = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  if (all.length === 0) return <>–</>;
  return (
    <span className="block font-mono text-xs" title={all.join('\n')}>
      {all.slice(0, SHOWN).map((label) => (
        <span key={label} className="block truncate">
          {label}
        </span>
      ))}
      {all.length > SHOWN ? `+${all.length - SHOWN}` : null}
    </span>
  );
}
