'use client';

import { TriangleAlert } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { Elapsed } from '@/components/live/ago';
import { useConnection } from '@/components/live/live-provider';
import { useStatus } from '@/components/live/staleness';
import { cx } from '@/components/ui/cx';

/** Across the page while what it shows cannot be trusted: what is wrong, since when, and what that means. */
export function TroubleBanner() {
  const connection = useConnection();
  const status = useStatus();
  if (connection.kind === 'ended') {
    return (
      <Banner tone="bad">
        {connection.reason}{' '}
        <Link href="/sign-in" className="font-medium underline underline-offset-2">
          Sign in again
        </Link>
      </Banner>
    );
  }
  if (connection.kind === 'offline') {
    return (
      <Banner tone="bad" since={new Date(connection.since).toISOString()}>
        <strong className="font-semibold">{connection.reason}</strong> Everything here is as old as that. Trying again by itself.
      </Banner>
    );
  }
  if (status?.trouble) {
    return (
      <Banner tone="warn" since={status.trouble.since}>
        <strong className="font-semibold">{status.trouble.sentence}</strong> What is shown may be out of date; decisions wait until it is fresh again.
      </Banner>
    );
  }
  return null;
}

interface BannerProps {
  readonly tone: 'bad' | 'warn';
  /** ISO text. */
  readonly since?: string;
  readonly children: ReactNode;
}

/** Only the sentence is read out, once: a figure that counts in it would be read out with every second. */
function Banner({ tone, since, children }: BannerProps) {
  return (
    <div className={cx('flex items-start gap-2.5 border-b px-4 py-2 sm:px-6', tone === 'bad' ? 'bg-bad-soft text-bad' : 'bg-warn-soft text-warn')}>
      <TriangleAlert size={15} aria-hidden className="mt-[2.5px] shrink-0" />
      <p role="alert" className="min-w-0 max-w-4xl">
        {children}
      </p>
      {since === undefined ? null : (
        <p className="shrink-0 whitespace-nowrap text-xs leading-5">
          for <Elapsed from={since} />
        </p>
      )}
    </div>
  );
}
