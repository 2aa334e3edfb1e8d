import type { ReactNode } from 'react';
import { cx } from './cx';

export interface ScrollRegionProps {
  readonly tag?: 'section' | 'ol' | 'pre';
  /** What is read in it. */
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A part of the page that scrolls by itself: it has a name and takes the focus, so that the arrow keys reach all of it. */
export function ScrollRegion({ tag: Tag = 'section', label, className, children }: ScrollRegionProps) {
  return (
    // A list keeps its role; preformatted text has none of its own that could carry a name.
    <Tag
      {...(Tag === 'pre' ? { role: 'region' } : {})}
      aria-label={label}
      tabIndex={0}
      className={cx('focus-inset overflow-auto', className)}
    >
      {children}
    </Tag>
  );
}
