import type { ReactNode } from 'react';
import { cx } from './cx';
import type { Tone } from './status/tone';
import { TONE_SOFT } from './status/tone';

/** A word in a soft box. */
export function Badge({
  tone = 'idle',
  className,
  children,
}: {
  readonly tone?: Tone;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <span
      className={cx(
        'inline-flex h-5 max-w-full items-center gap-1 whitespace-nowrap rounded-sm px-1.5 font-medium text-2xs',
        TONE_SOFT[tone],
        className,
      )}
    >
      <span className="min-w-0 truncate">{children}</span>
    </span>
  );
}
