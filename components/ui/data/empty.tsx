import type { ReactNode } from 'react';

export interface EmptyProps {
  readonly icon?: ReactNode;
  readonly title: string;
  /** What would be here, and how it comes to be. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** What stands where nothing is: it says what would be here and how to get there. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-6 py-12 text-center">
      {icon ? (
        <div className="mb-3 inline-flex size-9 items-center justify-center rounded-lg border bg-sunken text-ink-3">{icon}</div>
      ) : null}
      <p className="text-center font-medium text-base">{title}</p>
      {children ? <div className="mt-1 text-pretty text-ink-3 wrap-anywhere">{children}</div> : null}
      {action ? <div className="mt-4">{action}</div> : null}
    </div>
  );
}
