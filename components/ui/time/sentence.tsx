'use client';

import { Fragment } from 'react';
import { formatWhen } from '@/lib/words/times';
import { keepFlags } from '../words/keep-flags';
import { ExactTime } from './exact-time';
import { useFormattedNow } from './use-now';
import { useZone } from './zone';

const INSTANT = /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)/;

/** A sentence of the server; moments in it, which it writes in UTC, are said in the zone of the page, and flags of commands stay whole. */
export function Sentence({ text }: { readonly text: string }) {
  // Splitting by a group keeps what it matched, at every second place.
  return text.split(INSTANT).map((part, at) =>
    at % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one sentence never move
      <ClockTime key={at} at={part} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one sentence never move
      <Fragment key={at}>{keepFlags(part)}</Fragment>
    ),
  );
}

/** A sentence of the server in two lines at the most, whole on hover. */
export function ShortSentence({ text }: { readonly text: string }) {
  return (
    <p className="line-clamp-2 text-pretty text-ink-2 wrap-anywhere" title={useSentence()(text)}>
      <Sentence text={text} />
    </p>
  );
}

/** A sentence of the server where only text may stand, such as a title: the same words without hover. */
export function useSentence(): (text: string) => string {
  const zone = useZone();
  const today = useToday();
  const say = (part: string, at: number) => (at % 2 === 1 ? formatWhen(Date.parse(part), { now: today, zone }) : part);
  return (text) => text.split(INSTANT).map(say).join('');
}

/** A time of day, and on another day than today that day too. */
export function ClockTime({ at }: { readonly at: string }) {
  const zone = useZone();
  const today = useToday();
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) return null;
  return <ExactTime at={at}>{formatWhen(instant, { now: today, zone })}</ExactTime>;
}

const QUARTER_MS = 900_000;

// No zone is offset by parts of a quarter of an hour, so days begin at one: nothing is drawn again in between.
function useToday(): number {
  return useFormattedNow((now) => Math.floor(now / QUARTER_MS) * QUARTER_MS);
}
