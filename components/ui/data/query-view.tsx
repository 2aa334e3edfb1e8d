'use client';

import type { ReactNode } from 'react';
import { createContext, useContext } from 'react';
import { asSentence } from '@/components/ui/as-sentence';
import { messageOf } from '@/lib/contract/app-error';
import { t } from '@/lib/words/catalogue/console/ui';
import { Button } from '../button';
import { cx } from '../cx';
import { useSharedError } from '../failure/use-shared-error';
import { Panel } from '../panel';
import { ErrorPanel, grantOf, Refusal, titleOfError } from './error-panel';

/** As much of a query as a view needs to know. */
export interface QueryLike<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isFetching: boolean;
  readonly refetch: () => unknown;
}

export interface QueryViewProps<Data> {
  readonly query: QueryLike<Data>;
  /** What is awaited, as a sentence. */
  readonly awaits: string;
  readonly pending: ReactNode;
  readonly empty?: ReactNode;
  readonly isEmpty?: (data: Data) => boolean;
  /** Set while the data may be out of date: the notice that says so. */
  readonly stale?: ReactNode;
  /** Set where the view is the page itself: what stands in place of the data has a frame of its own. */
  readonly isPage?: boolean;
  readonly children: (data: Data) => ReactNode;
}

const ErrorShownAbove = createContext(false);

/** Says that a line across the page tells already that nobody answers: no part of it says so again. */
export const ErrorShownAboveProvider = ErrorShownAbove.Provider;

/** The one way to show what the server knows: nobody can forget the states before, without, after and beside the data. */
export function QueryView<Data>({ query, awaits, pending, empty, isEmpty, stale, isPage = false, children }: QueryViewProps<Data>) {
  const isTold = useContext(ErrorShownAbove) && codeOf(query.error) === 'unreachable';
  if (query.data === undefined) {
    if (query.error) {
      const failure = <Failure query={query} />;
      return isPage ? <Panel>{failure}</Panel> : failure;
    }
    return <Awaiting awaits={awaits} pending={pending} />;
  }
  const isNothing = isEmpty?.(query.data) ?? false;
  const isOld = Boolean(stale) || isTold;
  return (
    <>
      {stale}
      {query.error && !isTold ? (
        <div className="p-3">
          <Refusal sentence={t.couldNotReadAgain(asSentence(messageOf(query.error)))} />
        </div>
      ) : null}
      <div className={cx(isOld ? 'is-stale' : undefined)} data-stale={isOld ? '' : undefined}>
        {isNothing ? empty : children(query.data)}
      </div>
    </>
  );
}

/** What stands where something is read for the first time, and the sentence of what that is. */
export function Awaiting({ awaits, pending }: Pick<QueryViewProps<unknown>, 'awaits' | 'pending'>) {
  return (
    <div role="status" aria-busy="true" className="relative">
      {pending}
      <p className="animate-appear-late px-4 py-2 text-ink-3 text-xs">{awaits}</p>
    </div>
  );
}

/** Why nothing could be read; where another part of the page says so already, only that it is the same here. */
function Failure<Data>({ query }: { readonly query: QueryLike<Data> }) {
  const [title, sentence] = [titleOfError(codeOf(query.error)), messageOf(query.error)];
  const { place, isFirst, readAllAgain } = useSharedError(`${title}\n${sentence}`, query.refetch);
  const again = (
    <Button onClick={readAllAgain} pending={query.isFetching ? t.readingAgain : null}>
      {t.readAgain}
    </Button>
  );
  return (
    <div ref={place}>
      {isFirst ? (
        <ErrorPanel title={title} sentence={sentence} commands={grantOf(query.error)} action={again} />
      ) : (
        <p className="px-4 py-3 text-ink-3">{t.notReadForTheSameReason}</p>
      )}
    </div>
  );
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : 'internal';
}
