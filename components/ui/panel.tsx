import type { ReactNode } from 'react';
import { formatNumber } from '@/lib/words/figures';
import { cx } from './cx';
import type { Tone } from './status/tone';

export interface PanelProps {
  readonly title?: ReactNode;
  /** Beside the title: a count, a hint. */
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A framed part of a page with a heading of its own. */
export function Panel({ title, note, actions, className, children }: PanelProps) {
  return (
    <section className={cx('min-w-0 rounded-lg border bg-panel shadow-panel', className)}>
      {title ? (
        <header className="flex min-h-10 flex-wrap items-center gap-x-2 gap-y-1 border-b px-4 py-1.5">
          <h2 className="font-semibold text-sm">{title}</h2>
          {note ? <span className="text-ink-3 text-xs">{typeof note === 'number' ? formatNumber(note) : note}</span> : null}
          {actions ? <div className="ml-auto flex items-center gap-2 print:hidden">{actions}</div> : null}
        </header>
      ) : null}
      {children}
    </section>
  );
}

const EDGE: Readonly<Record<Tone, string>> = {
  good: 'bg-good',
  busy: 'bg-busy',
  warn: 'bg-warn',
  bad: 'bg-bad',
  odd: 'bg-odd',
  idle: 'bg-line-strong',
};

interface EdgePanelProps {
  /** The heading inside that names it. */
  readonly labelledBy: string;
  readonly tone: Tone;
  readonly children: ReactNode;
}

/** A part of a page that asks for attention: its edge has the colour of why. */
export function EdgePanel({ labelledBy, tone, children }: EdgePanelProps) {
  return (
    <section aria-labelledby={labelledBy} className="relative overflow-hidden rounded-lg border bg-panel shadow-panel">
      <span aria-hidden="true" className={cx('absolute inset-y-0 left-0 w-[3px]', EDGE[tone])} />
      {children}
    </section>
  );
}

/** One line of a panel of facts. */
export function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3 px-4 py-2">
      <dt className="text-ink-3">{term}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  );
}
