import { X } from 'lucide-react';
import type { MouseEvent } from 'react';
import { Button } from '@/components/ui/button';
import { t } from '@/lib/words/catalogue/console/filters';

export interface FilterChip {
  readonly id: string;
  /** What is filtered by: `Namespace`. */
  readonly label: string;
  readonly value: string;
  readonly onRemove: () => void;
}

/** What a list is filtered by, each part with the way to take it out. */
export function FilterChips({ chips, onClear }: { readonly chips: readonly FilterChip[]; readonly onClear: () => void }) {
  if (chips.length === 0) return null;
  return (
    <ul aria-label={t.filters} className="flex flex-wrap items-center gap-1.5 border-b bg-sunken px-4 py-1.5 print:bg-transparent">
      {chips.map(({ id, label, value, onRemove }) => (
        <li key={id} className="inline-flex h-6 max-w-full items-center rounded-md border border-line-strong bg-panel pl-2 text-xs">
          <span className="min-w-0 truncate" title={value}>
            <span className="text-ink-3">{label}</span> {value}
          </span>
          <button
            type="button"
            data-chip=""
            aria-label={t.removeFilter(label, value)}
            onClick={(event) => {
              focusBeside(event);
              onRemove();
            }}
            className="ml-0.5 inline-flex size-6 shrink-0 items-center justify-center rounded-md text-ink-3 hover:bg-hover hover:text-ink print:hidden"
          >
            <X size={12} aria-hidden />
          </button>
        </li>
      ))}
      <li className="print:hidden">
        <Button look="ghost" onClick={onClear}>
          {t.clearFilters}
        </Button>
      </li>
    </ul>
  );
}

/** The chip goes with its button, and the focus may not go with it. */
function focusBeside({ currentTarget }: MouseEvent<HTMLButtonElement>): void {
  const own = currentTarget.closest('li');
  const beside = [own?.nextElementSibling, own?.previousElementSibling].flatMap(
    (item) => item?.querySelector<HTMLElement>('[data-chip]') ?? [],
  )[0];
  (beside ?? document.querySelector<HTMLElement>('[data-page-search]'))?.focus();
}
