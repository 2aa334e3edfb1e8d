import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Sentence } from '../time/sentence';

export interface WarningProps {
  /** What it comes to, before the sentence. */
  readonly lead?: string | undefined;
  readonly text: string;
}

/** A warning on a page, as wide as what it stands above; `role` tells readers of the screen where it may come later. */
export function Warning({ lead, text, role }: WarningProps & { readonly role?: 'status' }) {
  return (
    <p role={role} className="flex items-start gap-2 rounded-lg bg-warn-soft px-4 py-2.5 text-warn">
      <TriangleAlert size={15} aria-hidden className="mt-[2.5px] shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        <Led lead={lead}>
          <Sentence text={text} />
        </Led>
      </span>
    </p>
  );
}

/** A warning among the lines of a dialog. */
export function WarningLine({ lead, text }: WarningProps) {
  return (
    <p className="wrap-anywhere rounded-md bg-warn-soft px-3 py-2 text-warn">
      <Led lead={lead}>
        <Sentence text={text} />
      </Led>
    </p>
  );
}

function Led({ lead, children }: { readonly lead: string | undefined; readonly children: ReactNode }) {
  return (
    <>
      {lead === undefined ? null : <strong className="font-semibold">{lead} </strong>}
      {children}
    </>
  );
}
