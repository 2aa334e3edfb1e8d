import type { RefObject } from 'react';
import { useCallback, useLayoutEffect, useRef, useState } from 'react';

interface Part {
  readonly place: Node;
  readonly onFirst: (isFirst: boolean) => void;
  readonly readAgain: () => unknown;
}

/** The parts of the page that could not be read, by the reason, in the order in which they stand on it. */
const failed = new Map<string, readonly Part[]>();

function setParts(reason: string, parts: readonly Part[]): void {
  const sorted = parts.toSorted((a, b) => (a.place.compareDocumentPosition(b.place) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  if (sorted.length === 0) failed.delete(reason);
  else failed.set(reason, sorted);
  const told = new Set<Element | null>();
  for (const { place, onFirst } of sorted) {
    const dialog = dialogOf(place);
    onFirst(!told.has(dialog));
    told.add(dialog);
  }
}

/** What stands in a dialog is read without the page behind it, so each tells for itself. */
function dialogOf(place: Node): Element | null {
  return place.parentElement?.closest('[role="dialog"], [role="alertdialog"]') ?? null;
}

interface SharedError {
  /** To be set on what stands for the part. */
  readonly place: RefObject<HTMLDivElement | null>;
  /** Whether this part is the first one with the reason, and so the one that tells it. */
  readonly isFirst: boolean;
  /** Reads all parts with the reason again. */
  readonly readAllAgain: () => void;
}

/** Of the parts of a page, or of a dialog over it, that could not be read for one reason, lets the first one tell it. */
export function useSharedError(reason: string, readAgain: () => unknown): SharedError {
  const [isFirst, setFirst] = useState(true);
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(readAgain);
  useLayoutEffect(() => {
    latest.current = readAgain;
  });
  useLayoutEffect(() => {
    if (place.current === null) return;
    const part: Part = { place: place.current, onFirst: setFirst, readAgain: () => latest.current() };
    setParts(reason, [...(failed.get(reason) ?? []), part]);
    return () => {
      const others = (failed.get(reason) ?? []).filter((one) => one !== part);
      setParts(reason, others);
    };
  }, [reason]);
  const readAllAgain = useCallback(() => {
    for (const part of failed.get(reason) ?? []) part.readAgain();
  }, [reason]);
  return { place, isFirst, readAllAgain };
}
