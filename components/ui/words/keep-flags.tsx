import type { ReactNode } from 'react';

/** A flag of a command. */
const FLAG = /((?<![\w-])-{1,2}[A-Za-z][\w-]*)/;

/** A text whose flags stay whole: browsers may break a line after a dash, and what begins the next line is then no flag any more. */
export function keepFlags(text: string): ReactNode {
  if (text.search(FLAG) < 0) return text;
  return text.split(FLAG).map((part, at) =>
    at % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
      <span key={at} className="whitespace-nowrap">
        {part}
      </span>
    ) : (
      part
    ),
  );
}
