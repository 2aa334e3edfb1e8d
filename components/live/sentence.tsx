'use client';

import { ClockTime } from './ago';

const INSTANT = /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)/;

/** A sentence of the server; moments in it are shown as times of day in the reader's zone. */
export function Sentence({ text }: { readonly text: string }) {
  // Splitting by a group keeps what it matched, at every second place.
  return text.split(INSTANT).map((part, at) =>
    at % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one sentence never move
      <ClockTime key={at} at={part} />
    ) : (
      part
    ),
  );
}
