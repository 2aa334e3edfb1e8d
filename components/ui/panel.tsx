import type { ReactNode } from 'react';
import { cx } from './cx';

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
          {note ? <span className="text-ink-3 text-xs">{note}</span> : null}
          {actions ? <div className="ml-auto flex items-center gap-2 print:hidden">{actions}</div> : null}
        </header>
      ) : null}
      {children}
    </section>
  );
}
