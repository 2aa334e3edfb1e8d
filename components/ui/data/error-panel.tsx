import { OctagonX } from 'lucide-react';
import type { ReactNode } from 'react';
import { Sentence } from '@/components/ui/time/sentence';
import type { ErrorCode } from '@/lib/contract/error-code';
import { t } from '@/lib/words/catalogue/console/ui';

const TITLES: Readonly<Record<ErrorCode | 'unreachable', string>> = {
  invalid: t.invalidAddress,
  unauthenticated: t.youAreNotSignedIn,
  forbidden: t.accessDenied,
  'not-found': t.notFound,
  conflict: t.itWasChangedInThe,
  rejected: t.notPossibleInTheCurrent,
  stale: t.theDataIsOutOf,
  'too-large': t.tooLarge,
  'too-many': t.tooManyRequests,
  unavailable: t.theClusterIsNotReachable,
  unreachable: t.noConnectionToTheServer,
  internal: t.somethingWentWrong,
};

/** The heading for a failure of a kind. */
export function titleOfError(code: string): string {
  return code in TITLES ? TITLES[code as keyof typeof TITLES] : TITLES.internal;
}

/** A failure in place of what should be here. */
export function ErrorPanel({ title, sentence, action }: { readonly title: string; readonly sentence: string; readonly action?: ReactNode }) {
  return (
    <div role="alert" className="mx-auto flex max-w-lg flex-col items-center px-6 py-12 text-center">
      <div className="mb-3 inline-flex size-9 items-center justify-center rounded-lg bg-bad-soft text-bad">
        <OctagonX size={18} aria-hidden />
      </div>
      <p className="font-medium text-base">{title}</p>
      <p className="mt-1 max-w-full text-pretty text-ink-2 wrap-anywhere">
        <Sentence text={sentence} />
      </p>
      {action ? <div className="mt-4">{action}</div> : null}
    </div>
  );
}

/** A refusal, next to the control that was pressed. */
export function Refusal({ sentence }: { readonly sentence: string }) {
  return (
    <p role="alert" className="flex items-start gap-2 rounded-md bg-bad-soft px-3 py-2 text-bad">
      <OctagonX size={14} aria-hidden className="mt-[3px] shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        <Sentence text={sentence} />
      </span>
    </p>
  );
}
