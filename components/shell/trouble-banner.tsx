'use client';

import { Eye, TriangleAlert } from 'lucide-react';
import Link from 'next/link';
import { usePathname, useSearchParams } from 'next/navigation';
import type { ReactNode } from 'react';
import { Elapsed } from '@/components/live/ago';
import { REFUSED } from '@/components/live/engine-words';
import { useConnection } from '@/components/live/live-provider';
import { useStatus } from '@/components/live/staleness';
import { asSentence } from '@/components/ui/as-sentence';
import { cx } from '@/components/ui/cx';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import { signInPath } from '@/lib/contract/pages/return-path';
import type { StatusRow } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/shell';

/** Across the page while what it shows or takes cannot be relied on: what is wrong, since when, and what that means. A page that is cut off knows no more than that. */
export function TroubleBanner() {
  const connection = useConnection();
  const status = useStatus();
  if (connection.kind === 'ended') {
    return (
      <Banner tone="bad">
        {connection.remedy === 'reload' ? (
          <>
            {connection.reason} <LoadAgain />
          </>
        ) : (
          <SignedOut reason={connection.reason} />
        )}
      </Banner>
    );
  }
  if (connection.kind === 'offline') {
    return (
      <Banner tone="bad" since={new Date(connection.since).toISOString()}>
        {rich(t.theDataIsFromBefore(<strong className="font-semibold">{connection.reason}</strong>))}
      </Banner>
    );
  }
  if (status === undefined) return null;
  return (
    <>
      {status.trouble ? (
        <Banner tone="warn" since={status.trouble.since}>
          <strong className="font-semibold">
            <Sentence text={status.trouble.sentence} />
          </strong>{' '}
          {t.theDataMayBeOut}
        </Banner>
      ) : null}
      {status.record ? (
        <RecordBanner
          record={status.record}
          drives={status.engines.rollout?.mode !== 'observe' && status.engines.rollout?.mode !== 'stopped'}
        />
      ) : null}
      <EngineBanners engines={status.engines} />
    </>
  );
}

/** Why the server ended the session, and the way back: where its sentence says to sign in again, these words lead there. */
function SignedOut({ reason }: { readonly reason: string }) {
  const words = t.signInAgain.toLowerCase();
  const at = reason.indexOf(words);
  if (at < 0)
    return (
      <>
        {reason} <SignInAgain />
      </>
    );
  return (
    <>
      {reason.slice(0, at)}
      <SignInAgain says={words} />
      {reason.slice(at + words.length)}
    </>
  );
}

/** The session lasts: a connection may be free by now. */
function LoadAgain() {
  return (
    <button type="button" onClick={() => globalThis.location.reload()} className="rounded-sm font-medium underline underline-offset-2">
      {t.loadAgain}
    </button>
  );
}

/** The way to sign in, and back to what is looked at. */
function SignInAgain({ says = t.signInAgain }: { readonly says?: string }) {
  const [path, search] = [usePathname(), useSearchParams().toString()];
  return (
    <Link href={signInPath(search === '' ? path : `${path}?${search}`)} className="font-medium underline underline-offset-2">
      {says}
    </Link>
  );
}

/** What is refused and what still works while nothing can be put on record. */
function RecordBanner({
  record: { since, sentence, full },
  drives,
}: {
  readonly record: NonNullable<StatusRow['record']>;
  readonly drives: boolean;
}) {
  return (
    <Banner tone="bad" since={since}>
      {rich(
        t.changesAndDecisionsAreRefused(
          <strong className="font-semibold">{t.theRecordCannotBeWritten(sentence)}</strong>,
          drives ? t.pauseAbortAndSuspendStillWork : '',
          full ? t.tooManyEntriesAreWaiting : '',
        ),
      )}
    </Banner>
  );
}

/** Engines that do not drive: nothing is wrong with the page, but what is asked for here is refused. Engine tells it itself. */
function EngineBanners({ engines }: Pick<StatusRow, 'engines'>) {
  const isOnEngine = usePathname() === '/engine';
  if (isOnEngine) return null;
  const whys = Object.entries(engines).flatMap(([name, { mode, why }]) =>
    why === null || mode === 'drive' || mode === 'off' ? [] : [{ name, mode, why }],
  );
  return whys.map(({ name, mode, why }) => (
    <Banner key={name} tone={mode === 'stopped' ? 'bad' : 'note'}>
      <strong className="font-semibold">
        <Sentence text={asSentence(why)} />
      </strong>{' '}
      {REFUSED[name] ?? ''}{' '}
      <Link href="/engine" className="whitespace-nowrap font-medium underline underline-offset-2">
        {t.seeEngine}
      </Link>
    </Banner>
  ));
}

const LOOK = { bad: 'bg-bad-soft text-bad', warn: 'bg-warn-soft text-warn', note: 'bg-sunken text-ink-2' } as const;

interface BannerProps {
  readonly tone: keyof typeof LOOK;
  /** ISO text. */
  readonly since?: string;
  readonly children: ReactNode;
}

/** Only the sentence is read out, once: a figure that counts in it would be read out with every second. */
function Banner({ tone, since, children }: BannerProps) {
  const Icon = tone === 'note' ? Eye : TriangleAlert;
  return (
    <section aria-label={t.notice} className={cx('flex items-start gap-2.5 border-b px-4 py-2 sm:px-6', LOOK[tone])}>
      <Icon size={15} aria-hidden className="mt-[2.5px] shrink-0" />
      <p role={tone === 'note' ? 'status' : 'alert'} className="min-w-0 max-w-4xl wrap-anywhere">
        {children}
      </p>
      {since === undefined ? null : <p className="shrink-0 whitespace-nowrap text-xs leading-5">{rich(t.for(<Elapsed from={since} />))}</p>}
    </section>
  );
}
