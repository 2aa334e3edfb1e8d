import { OctagonX } from 'lucide-react';
import type { ReactNode } from 'react';
import { Fragment } from 'react';
import { asSentence } from '@/components/ui/as-sentence';
import { Sentence } from '@/components/ui/time/sentence';
import type { ErrorCode } from '@/lib/contract/error-code';
import { t } from '@/lib/words/catalogue/console/ui';
import { CopyButton } from '../copy-button';
import { keepFlags } from '../words/keep-flags';

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
  unavailable: t.notAvailableNow,
  unreachable: t.noConnectionToTheServer,
  internal: t.somethingWentWrong,
};

/** The heading for a failure of a kind. */
export function titleOfError(code: string): string {
  return code in TITLES ? TITLES[code as keyof typeof TITLES] : TITLES.internal;
}

interface ErrorPanelProps {
  readonly title: string;
  readonly sentence: string;
  readonly action?: ReactNode;
  /** What an administrator would run to mend it. */
  readonly commands?: readonly string[];
}

/** A failure in place of what should be here; words of the API become a sentence. */
export function ErrorPanel({ title, sentence, action, commands = [] }: ErrorPanelProps) {
  return (
    <div role="alert" className="mx-auto flex max-w-lg flex-col items-center px-6 py-12 text-center">
      <div className="mb-3 inline-flex size-9 items-center justify-center rounded-lg bg-bad-soft text-bad">
        <OctagonX size={18} aria-hidden />
      </div>
      <p className="text-center font-medium text-base">{title}</p>
      <p className="mt-1 max-w-full text-pretty text-center text-ink-2 wrap-anywhere">
        <Sentence text={asSentence(sentence)} />
      </p>
      {commands.length > 0 ? <Commands commands={commands} /> : null}
      {action ? <div className="mt-4">{action}</div> : null}
    </div>
  );
}

function Commands({ commands }: { readonly commands: readonly string[] }) {
  return (
    <div className="mt-4 w-full min-w-0 text-left">
      <p className="mb-1 text-ink-2">{t.anAdministratorGrantsItWith}</p>
      <div className="flex items-start gap-2 rounded-md border bg-sunken p-2">
        <pre className="min-w-0 flex-1 select-all whitespace-pre-wrap break-words font-mono text-ink-2 text-xs leading-5">
          <Breakable text={commands.join('\n')} />
        </pre>
        <CopyButton text={commands.join('\n')} what={t.theCommands} isSmall />
      </div>
    </div>
  );
}

/** A command whose long names may be broken after a dot, rather than anywhere. */
function Breakable({ text }: { readonly text: string }) {
  return text.split(/(?<=[\w]\.)(?=\w)/).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
    <Fragment key={at}>
      {at === 0 ? null : <wbr />}
      {keepFlags(part)}
    </Fragment>
  ));
}

/** The commands that a refusal names; what is no text is left out. */
export function grantOf(error: unknown): readonly string[] {
  if (typeof error !== 'object' || error === null || !('details' in error)) return [];
  const { details } = error;
  if (typeof details !== 'object' || details === null || !('grant' in details) || !Array.isArray(details.grant)) return [];
  return details.grant.filter((command) => typeof command === 'string');
}

/** A refusal, next to the control that was pressed; words of the API become a sentence. */
export function Refusal({ sentence }: { readonly sentence: string }) {
  return (
    <p role="alert" className="flex items-start gap-2 rounded-md bg-bad-soft px-3 py-2 text-bad">
      <OctagonX size={14} aria-hidden className="mt-[3px] shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        <Sentence text={asSentence(sentence)} />
      </span>
    </p>
  );
}
