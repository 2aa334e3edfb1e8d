import type { ReactNode } from 'react';
import { createElement, Fragment } from 'react';

/** A text of the catalogue that has parts which are no text, such as a link or a time. */
export function rich(parts: readonly ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...parts);
}
