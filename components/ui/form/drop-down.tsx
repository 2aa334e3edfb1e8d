import { ChevronDown } from 'lucide-react';

/** How whatever opens a list to choose from looks: one of a few, or any of several. */
export const DROP_DOWN = 'rounded-md border border-line-strong bg-panel pr-6 pl-2 text-left text-ink-2 text-xs hover:bg-hover';

/** The mark at its end; its parent is its place. */
export function DropDownMark() {
  return <ChevronDown size={12} aria-hidden className="pointer-events-none absolute top-1/2 right-1.5 -translate-y-1/2 text-ink-3" />;
}
